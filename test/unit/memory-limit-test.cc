// SPDX-License-Identifier: GPL-2.0-only
// Limits on what a process may read and use.
#include "roce-error-of.h"

#include "ns3/roce-line-reader.h"
#include "ns3/roce-memory-limit.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

constexpr double MIB = 1 << 20;

/// A folder as /sys/fs/cgroup.
struct ControlGroups : testing::Test
{
    ~ControlGroups() override
    {
        std::filesystem::remove_all(root);
    }

    void Write(const std::string& path, const std::string& text) const
    {
        std::filesystem::create_directories((root / path).parent_path());
        std::ofstream(root / path) << text << "\n";
    }

    double Limit(const std::string& groups) const
    {
        return GetGroupLimitBytes(groups, root.string());
    }

    const std::filesystem::path root{std::filesystem::temp_directory_path() /
                                     ("roce-groups-" + std::to_string(getpid()))};
};

} // namespace

TEST_F(ControlGroups, OfVersion1)
{
    Write("memory/memory.limit_in_bytes", "9223372036854771712");
    Write("memory/job/memory.limit_in_bytes", "314572800");
    Write("memory/job/step/memory.limit_in_bytes", "9223372036854771712");
    const std::string others = "9:name=systemd:/\n3:cpuset:/\n0::/\n";
    EXPECT_EQ(Limit(others + "4:memory:/job\n"), 300 * MIB);
    EXPECT_EQ(Limit("4:hugetlb,memory:/job/step\n" + others), 300 * MIB)
        << "that of the group above";
    EXPECT_GT(Limit(others + "4:memory:/elsewhere\n"), 1e18);
    EXPECT_TRUE(std::isinf(Limit(others)));
}

TEST_F(ControlGroups, OfVersion2)
{
    Write("user.slice/memory.max", "max");
    Write("user.slice/a/memory.max", "104857600");
    Write("user.slice/a/b/memory.max", "max");
    Write("unified/c/memory.max", "209715200");
    EXPECT_EQ(Limit("0::/user.slice/a/b\n"), 100 * MIB);
    EXPECT_TRUE(std::isinf(Limit("0::/user.slice\n")));
    EXPECT_TRUE(std::isinf(Limit("0::/\n")));
    EXPECT_EQ(Limit("0::/c\n"), 200 * MIB) << "beside version 1";
    EXPECT_TRUE(std::isinf(Limit("")));
}

TEST_F(ControlGroups, AreInTheLimitOfTheProcess)
{
    std::ostringstream groups;
    groups << std::ifstream("/proc/self/cgroup").rdbuf();
    EXPECT_LE(GetMemoryLimitBytes(), GetGroupLimitBytes(groups.str(), "/sys/fs/cgroup"));
    EXPECT_GT(GetMemoryLimitBytes(), 0);
}

TEST(TextLine, IsReadAsItIs)
{
    // Lengths around that of the parts that it is read in.
    for (const std::size_t length : {0, 1, 4094, 4095, 4096, 8190, 8191, 1 << 20})
    {
        for (const char* end : {"\n", ""})
        {
            const std::string text(length, 'x');
            std::istringstream in("first\n" + text + end);
            std::string line;
            ASSERT_TRUE(ReadLine(in, line, "file", 1));
            EXPECT_EQ(line, "first");
            EXPECT_EQ(ReadLine(in, line, "file", 2), length > 0 || *end) << length;
            EXPECT_EQ(line, text);
            EXPECT_FALSE(ReadLine(in, line, "file", 3)) << length;
        }
    }
}

TEST(TextLine, HasAnEnd)
{
    std::istringstream in(std::string((1 << 20) + 1, '1'));
    std::string line;
    EXPECT_EQ(ErrorOf([&] { ReadLine(in, line, "flows.csv", 7); }),
              "flows.csv:7: line of more than 1048576 bytes, expected shorter ones");
    LineReader endless("/dev/zero", "a flow list");
    EXPECT_EQ(ErrorOf([&] { endless.Next(line); }),
              "/dev/zero:1: line of more than 1048576 bytes, expected shorter ones");
}
