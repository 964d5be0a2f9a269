// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TEMP_FILE_H
#define ROCE_TEMP_FILE_H

#include "roce-error-of.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <unistd.h>

namespace ns3::roce::test
{

/// A file of the running test, named after it and its process, removed at its end. One at a time.
class TempFile
{
  public:
    /// @param text what is in it
    explicit TempFile(const std::string& text)
        : path(testing::TempDir() + "roce-" + TestName() + "-" + std::to_string(getpid()) + ".txt")
    {
        std::ofstream(path) << text;
    }

    ~TempFile()
    {
        std::remove(path.c_str());
    }

    TempFile(const TempFile&) = delete;
    TempFile& operator=(const TempFile&) = delete;

    /// @return what is in it now
    std::string Text() const
    {
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }

    const std::string path;

  private:
    /// Suite.Test, without the slashes of parametrised tests.
    static std::string TestName()
    {
        const testing::TestInfo& info = *testing::UnitTest::GetInstance()->current_test_info();
        std::string name = std::string(info.test_suite_name()) + "." + info.name();
        std::replace(name.begin(), name.end(), '/', '-');
        return name;
    }
};

/**
 * @brief Expect a file to be refused with exactly `PATH:line: message`.
 * @tparam F callable with a path
 * @param read what reads it
 * @param text of the file
 * @param line that is wrong
 * @param message what is expected there
 */
template <typename F>
void
ExpectFileRefused(F&& read, const std::string& text, unsigned line, const std::string& message)
{
    const TempFile file(text);
    EXPECT_EQ(ErrorOf([&] { read(file.path); }),
              file.path + ":" + std::to_string(line) + ": " + message);
}

} // namespace ns3::roce::test

#endif /* ROCE_TEMP_FILE_H */
