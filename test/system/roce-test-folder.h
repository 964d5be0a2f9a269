/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_TEST_FOLDER_H
#define ROCE_TEST_FOLDER_H

#include "roce-test-network.h"

#include <filesystem>
#include <string>
#include <unistd.h>

namespace ns3
{
namespace roce
{
namespace test
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

} // namespace test
} // namespace roce
} // namespace ns3

#endif /* ROCE_TEST_FOLDER_H */
