/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_INPUT_FILE_H
#define ROCE_INPUT_FILE_H

#include <fstream>
#include <string>
#include <vector>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief Opens the files that a user names, and remembers them, so that no result replaces one.
 */
struct InputFile
{
    /**
     * @param path the file
     * @param what it is expected to hold, for the message ("a flow list")
     * @return the open file
     * @throw InputError if it cannot be read
     */
    static std::ifstream Open(const std::string& path, const std::string& what);

    /// @return every file that this process has opened so, without double entries
    static const std::vector<std::string>& GetOpened();
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_INPUT_FILE_H */
