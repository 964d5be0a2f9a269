// SPDX-License-Identifier: GPL-2.0-only
#include "roce-run-list.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ns3::roce
{

const char* const RunList::NAME = ".unfinished";

namespace
{

const std::string LIST_TITLE = "ns-3-roce run\n"; //!< its first line

/// @return what a call that has set errno says
InputError
ErrnoError(const std::string& path, const std::string& what)
{
    return InputError(path + ": " + what + ": " + std::strerror(errno));
}

} // namespace

RunList::RunList(const std::string& folder)
    : m_folder(folder),
      m_path((std::filesystem::path(folder) / NAME).string())
{
    while (!TakeLock())
    {
    }
    try
    {
        Read();
    }
    catch (...)
    {
        close(m_file);
        throw;
    }
}

/// @return false if the file has gone meanwhile: try again
bool
RunList::TakeLock()
{
    // Made here, or there before: else a link put there in between would be followed.
    const int flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    m_file = open(m_path.c_str(), flags | O_CREAT | O_EXCL, 0666);
    if (m_file < 0 && errno == EEXIST)
    {
        m_file = open(m_path.c_str(), flags);
        if (m_file < 0 && errno == ENOENT)
        {
            return false;
        }
    }
    if (m_file < 0 && errno == ELOOP)
    {
        throw InputError(m_path + ": is a symbolic link, expected none or the list of a run");
    }
    if (m_file < 0)
    {
        throw ErrnoError(m_path, "cannot create");
    }
    if (flock(m_file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    {
        close(m_file);
        throw InputError(m_folder + ": another run is writing there, expected a folder of its own "
                                    "for each run");
    }

    // The run that has just ended may have removed the file between the two calls.
    struct stat held
    {
    };

    struct stat named
    {
    };

    if (fstat(m_file, &held) == 0 && lstat(m_path.c_str(), &named) == 0 &&
        held.st_ino == named.st_ino && held.st_dev == named.st_dev)
    {
        m_bytes = held.st_size;
        return true;
    }
    close(m_file);
    return false;
}

void
RunList::Read()
{
    std::string text(static_cast<std::size_t>(m_bytes), '\0');
    const ssize_t bytes = pread(m_file, text.data(), text.size(), 0);
    if (bytes != static_cast<ssize_t>(text.size()))
    {
        throw InputError(m_path + ": cannot be read, expected the list of a run");
    }
    if (text.size() < LIST_TITLE.size() && LIST_TITLE.compare(0, text.size(), text) == 0)
    {
        // New, or of a run that died right then.
        m_bytes = 0;
        if (ftruncate(m_file, 0) != 0)
        {
            throw ErrnoError(m_path, "cannot write");
        }
        return;
    }
    if (text.compare(0, LIST_TITLE.size(), LIST_TITLE) != 0)
    {
        throw InputError(m_path + ": is not the list of a run, expected none or one");
    }
    std::size_t begin = LIST_TITLE.size();
    for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    {
        const std::string line = text.substr(begin, end - begin);
        const std::size_t tab = line.find('\t');
        const std::string name = line.substr(0, tab);
        if (!name.empty() && name.find('/') == std::string::npos)
        {
            m_earlier[name].insert(tab == std::string::npos ? "" : line.substr(tab + 1));
        }
    }
}

void
RunList::Write(const std::string& line)
{
    // An unfinished line of an earlier run must not become part of this one.
    std::string text = line + "\n";
    if (m_made.empty())
    {
        text.insert(0, m_bytes == 0 ? LIST_TITLE : "\n");
    }
    if (write(m_file, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    {
        throw ErrnoError(m_path, "cannot write");
    }
}

/// @return inode and birth of a regular file; "" if there is none
std::string
RunList::IdentityOf(const std::string& path)
{
    struct statx found
    {
    };

    if (statx(AT_FDCWD,
              path.c_str(),
              AT_SYMLINK_NOFOLLOW,
              STATX_TYPE | STATX_INO | STATX_BTIME,
              &found) != 0 ||
        !S_ISREG(found.stx_mode))
    {
        return "";
    }
    // Not all file systems know the birth.
    const bool hasBirth = found.stx_mask & STATX_BTIME;
    return std::to_string(found.stx_ino) + "." +
           (hasBirth ? std::to_string(found.stx_btime.tv_sec) + "." +
                           std::to_string(found.stx_btime.tv_nsec)
                     : "0");
}

std::string
RunList::Create(const std::string& name)
{
    const std::string path = (std::filesystem::path(m_folder) / (name + ".tmp")).string();
    if (!m_made.count(name))
    {
        Write(name);
        m_made[name]; // from now on the list has it
        if (IsRemnant(name))
        {
            unlink(path.c_str());
        }
    }
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST)
    {
        throw InputError(path + ": is not from a run, expected another folder for the results");
    }
    if (file < 0)
    {
        throw ErrnoError(path, "cannot create");
    }
    close(file);
    m_made[name] = IdentityOf(path);
    Write(name + "\t" + m_made[name]);
    return path;
}

void
RunList::CheckStillThere(const std::string& name) const
{
    // Not its identity: on some file systems that does not last, and a result could be lost.
    const std::string path = (std::filesystem::path(m_folder) / (name + ".tmp")).string();
    if (IdentityOf(path).empty())
    {
        throw InputError(path + ": is not there any more, or no file; expected that nobody "
                                "touches it before the run ends");
    }
}

bool
RunList::IsRemnant(const std::string& name) const
{
    const auto listed = m_earlier.find(name);
    const std::string path = (std::filesystem::path(m_folder) / (name + ".tmp")).string();
    const std::string identity = IdentityOf(path);
    if (listed == m_earlier.end() || identity.empty())
    {
        return false;
    }
    std::error_code missing;
    return listed->second.count(identity) || std::filesystem::file_size(path, missing) == 0;
}

std::vector<std::string>
RunList::GetRemnants() const
{
    std::vector<std::string> names;
    for (const auto& [name, identities] : m_earlier)
    {
        if (IsRemnant(name))
        {
            names.push_back(name);
        }
    }
    return names;
}

RunList::~RunList()
{
    if (!m_keep && !m_done)
    {
        for (const auto& [name, identity] : m_made)
        {
            const std::string path = (std::filesystem::path(m_folder) / (name + ".tmp")).string();
            if (!identity.empty() && IdentityOf(path) == identity)
            {
                unlink(path.c_str());
            }
        }
        // As it was: bad input changes nothing.
        [[maybe_unused]] const int ignored = ftruncate(m_file, m_bytes);
    }
    if ((m_done || !m_keep) && GetRemnants().empty())
    {
        unlink(m_path.c_str()); // while it is locked: it is ours
    }
    close(m_file);
}

} // namespace ns3::roce
