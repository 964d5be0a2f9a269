// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TEST_FOLDER_H
#define ROCE_TEST_FOLDER_H

#include "roce-test-network.h"

#include <filesystem>
#include <string>
#include <unistd.h>

namespace ns3::roce::test
{

/// A SystemTest with a folder of its own for files.
struct FolderTest : SystemTest
{
    FolderTest()
        : folder(std::filesystem::temp_directory_path() / ("roce-test-" + std::to_string(getpid())))
    {
        std::filesystem::create_directories(folder);
    }

    ~FolderTest() override
    {
        std::filesystem::remove_all(folder);
    }

    std::filesystem::path folder;
};

} // namespace ns3::roce::test

#endif /* ROCE_TEST_FOLDER_H */
