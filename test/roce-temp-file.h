// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TEMP_FILE_H
#define ROCE_TEMP_FILE_H

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

} // namespace ns3::roce::test

#endif /* ROCE_TEMP_FILE_H */
