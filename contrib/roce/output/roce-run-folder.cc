/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-run-folder.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-input-file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ns3
{
namespace roce
{

namespace fs = std::filesystem;

const char* const RunFolder::SUMMARY = "summary.json";

namespace
{

const char* const UNFINISHED = ".unfinished";
/// The earlier run's summary while Commit() works: its files can still be told from others'.
const char* const OLD_SUMMARY = "summary.json.old.tmp";

/**
 * @param name a file name
 * @return true when it names a file directly in the folder
 */
bool
IsPlainName(const std::string& name)
{
    const bool strange = std::any_of(name.begin(), name.end(), [](unsigned char c) {
        return c < ' ' || c == '/' || c == 127;
    });
    return !name.empty() && name != "." && name != ".." && !strange;
}

/// @return whether a process has read this file. @param path the file
bool
IsInput(const std::string& path)
{
    const std::vector<std::string>& inputs = InputFile::GetOpened();
    return std::any_of(inputs.begin(), inputs.end(), [&path](const std::string& input) {
        std::error_code missing;
        return fs::equivalent(input, path, missing);
    });
}

/// @throw InputError for an error. @param path of the file @param what failed @param error of it
void
ThrowIf(const std::string& path, const std::string& what, const std::error_code& error)
{
    if (error)
    {
        throw InputError(path + ": " + what + ": " + error.message());
    }
}

void
Rename(const std::string& from, const std::string& to)
{
    std::error_code error;
    fs::rename(from, to, error);
    ThrowIf(from, "cannot rename to " + to, error);
}

} // namespace

RunFolder::RunFolder(const std::string& path)
    : m_path(path)
{
    std::error_code error;
    m_created = fs::create_directories(path, error);
    if (error || !fs::is_directory(path, error))
    {
        throw InputError(path + ": cannot create the run folder: " +
                         (error ? error.message() : std::string("not a folder")));
    }
    Lock();
    try
    {
        for (const char* manifest : {SUMMARY, "summary.json.tmp", OLD_SUMMARY})
        {
            ReadOwned(manifest);
        }
        ReadRemains();
        Check(SUMMARY);
    }
    catch (...)
    {
        Unlock();
        throw;
    }
}

RunFolder::~RunFolder()
{
    if (!m_committed && !m_keepUnfinished)
    {
        std::error_code ignored;
        for (const std::string& name : m_names)
        {
            fs::remove(TmpPathOf(name), ignored);
        }
    }
    if (!m_committed)
    {
        Unlock();
        std::error_code notEmpty;
        if (m_created)
        {
            fs::remove(m_path, notEmpty);
        }
    }
}

std::string
RunFolder::PathOf(const std::string& name) const
{
    return (fs::path(m_path) / name).string();
}

std::string
RunFolder::TmpPathOf(const std::string& name) const
{
    return PathOf(name + ".tmp");
}

void
RunFolder::Lock()
{
    const std::string path = PathOf(UNFINISHED);
    while (true)
    {
        m_list = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (m_list < 0)
        {
            throw InputError(path + ": cannot create: " + std::strerror(errno));
        }
        if (flock(m_list, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        {
            close(m_list);
            throw InputError(m_path + ": another run is writing there, expected a folder of its "
                                      "own for each run");
        }

        // The run that has just ended may have removed the file between the two calls.
        struct stat held
        {
        };

        struct stat named
        {
        };

        if (fstat(m_list, &held) == 0 && stat(path.c_str(), &named) == 0 &&
            held.st_ino == named.st_ino && held.st_dev == named.st_dev)
        {
            return;
        }
        close(m_list);
    }
}

void
RunFolder::Unlock()
{
    if (m_remains.empty() && (m_committed || !m_keepUnfinished))
    {
        std::error_code ignored;
        fs::remove(PathOf(UNFINISHED), ignored); // while it is locked: nobody else's
    }
    close(m_list);
    m_list = -1;
}

void
RunFolder::ReadRemains()
{
    std::ifstream in(PathOf(UNFINISHED));
    for (std::string name; std::getline(in, name);)
    {
        std::error_code missing;
        if (IsPlainName(name) && fs::exists(TmpPathOf(name), missing))
        {
            m_remains.insert(name);
        }
    }
}

void
RunFolder::ReadOwned(const std::string& manifest)
{
    std::error_code missing;
    if (!fs::is_regular_file(PathOf(manifest), missing))
    {
        return;
    }
    std::ifstream in(PathOf(manifest));
    const nlohmann::json summary = nlohmann::json::parse(in, nullptr, false);
    if (!summary.is_object() || !summary.contains("files") || !summary["files"].is_array())
    {
        return;
    }
    const auto& files = summary["files"];
    if (std::find(files.begin(), files.end(), SUMMARY) == files.end())
    {
        return; // every run lists it
    }
    for (const auto& entry : files)
    {
        const std::string name = entry.is_string() ? entry.get<std::string>() : "";
        const auto type = fs::symlink_status(PathOf(name), missing).type();
        if (IsPlainName(name) && (type == fs::file_type::regular || type == fs::file_type::symlink))
        {
            m_owned.insert(name);
        }
    }
}

void
RunFolder::Check(const std::string& name) const
{
    if (!IsPlainName(name))
    {
        throw std::logic_error("run folder: '" + name + "' is not a plain file name");
    }
    const std::string path = PathOf(name);
    for (const std::string& target : {path, TmpPathOf(name)})
    {
        std::error_code missing;
        const fs::file_status status = fs::symlink_status(target, missing);
        if (status.type() == fs::file_type::directory)
        {
            throw InputError(target + ": is a folder, expected none or a file of an earlier run");
        }
        if (IsInput(target))
        {
            throw InputError(target + ": this run reads it, expected another folder for the "
                                      "results");
        }
        if (target == path && fs::exists(status) && !m_owned.count(name))
        {
            throw InputError(target + ": is not from an earlier run (no summary.json lists it), "
                                      "expected another folder for the results");
        }
    }
}

std::string
RunFolder::Add(const std::string& name)
{
    if (m_committed || std::find(m_names.begin(), m_names.end(), name) != m_names.end())
    {
        throw std::logic_error("run folder: file '" + name + "' is added twice or after Commit()");
    }
    Check(name);
    const std::string line = name + "\n";
    if (write(m_list, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    {
        throw InputError(PathOf(UNFINISHED) + ": cannot write: " + std::strerror(errno));
    }
    m_names.push_back(name);
    return TmpPathOf(name);
}

void
RunFolder::Commit(
    const std::function<void(const std::string&, const std::vector<std::string>&)>& writeSummary)
{
    const std::string tmp = Add(SUMMARY);
    writeSummary(tmp, m_names);
    m_keepUnfinished = true;
    const std::string summary = PathOf(SUMMARY);
    const std::string oldSummary = PathOf(OLD_SUMMARY);
    std::error_code error;
    // Whatever happens from here on, either summary lists the files of this run and of the earlier.
    if (fs::exists(fs::symlink_status(summary, error)))
    {
        Rename(summary, oldSummary);
    }
    for (const std::string& name : m_owned)
    {
        const bool replaced = std::find(m_names.begin(), m_names.end(), name) != m_names.end();
        if (!replaced && !IsInput(PathOf(name)))
        {
            fs::remove(PathOf(name), error);
            ThrowIf(PathOf(name), "cannot remove the old result", error);
        }
    }
    for (const std::string& name : m_names) // summary.json is the last
    {
        Rename(TmpPathOf(name), PathOf(name));
    }
    m_committed = true;
    fs::remove(oldSummary, error);
    for (const std::string& name : std::exchange(m_remains, {}))
    {
        if (!IsInput(TmpPathOf(name)))
        {
            fs::remove(TmpPathOf(name), error);
        }
    }
    Unlock();
}

} // namespace roce
} // namespace ns3
