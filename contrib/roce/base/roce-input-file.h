// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_INPUT_FILE_H
#define ROCE_INPUT_FILE_H

#include "roce-sha256.h"

#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Opens the files that a user names, and remembers them: no result replaces one, and
 * summary.json lists them.
 */
struct InputFile
{
    /// A file that was opened.
    struct Opened
    {
        std::string path;
        std::optional<FileDigest> digest; //!< as it was then; none of a pipe or another device
    };

    /**
     * @param what it is expected to hold, for the message ("a flow list")
     * @return the open file
     * @throw InputError if it cannot be read
     */
    static std::ifstream Open(const std::string& path, const std::string& what);

    /// @brief Another program begins: GetOpened() is empty.
    static void ForgetOpened();

    /// @return every file that this program has opened so, without double entries
    static const std::vector<Opened>& GetOpened();
};

} // namespace ns3::roce

#endif /* ROCE_INPUT_FILE_H */
