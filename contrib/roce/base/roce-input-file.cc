// SPDX-License-Identifier: GPL-2.0-only
#include "roce-input-file.h"

#include "roce-input-error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace ns3::roce
{

namespace
{

std::vector<InputFile::Opened> g_opened; //!< in order of the first opening

} // namespace

std::ifstream
InputFile::Open(const std::string& path, const std::string& what)
{
    errno = 0;
    std::ifstream in(path);
    if (!in)
    {
        const std::string reason = errno != 0 ? std::strerror(errno) : "unknown reason";
        throw InputError(path, 1, "cannot be read (" + reason + "), expected " + what);
    }
    if (std::none_of(g_opened.begin(), g_opened.end(), [&path](const Opened& file) {
            return file.path == path;
        }))
    {
        std::error_code missing;
        const bool isRegular = std::filesystem::is_regular_file(path, missing);
        g_opened.push_back(
            {path, isRegular ? std::optional<FileDigest>(FileDigest::Of(path)) : std::nullopt});
    }
    return in;
}

void
InputFile::ForgetOpened()
{
    g_opened.clear();
}

const std::vector<InputFile::Opened>&
InputFile::GetOpened()
{
    return g_opened;
}

} // namespace ns3::roce
