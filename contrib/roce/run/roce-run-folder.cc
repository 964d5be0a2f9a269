// SPDX-License-Identifier: GPL-2.0-only
#include "roce-run-folder.h"

#include "roce-buffered-file.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-input-file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <unistd.h>

namespace ns3::roce
{

namespace fs = std::filesystem;

const char* const RunFolder::SUMMARY = "summary.json";

namespace
{

const char* const JOURNAL = ".commit"; //!< see RunFolder

/// @param name a file name. @return true when it names a file directly in the folder
bool
IsPlainName(const std::string& name)
{
    const bool strange = std::any_of(name.begin(), name.end(), [](unsigned char c) {
        return c < ' ' || c == '/' || c == 127;
    });
    return !name.empty() && name != "." && name != ".." && !strange;
}

/// @return whether a process has read this file.
bool
IsInput(const std::string& path)
{
    const std::vector<InputFile::Opened>& inputs = InputFile::GetOpened();
    return std::any_of(inputs.begin(), inputs.end(), [&path](const InputFile::Opened& input) {
        std::error_code missing;
        return fs::equivalent(input.path, path, missing);
    });
}

/// @return whether anything has this name, if only a link to nowhere
bool
IsThere(const std::string& path)
{
    std::error_code missing;
    return fs::exists(fs::symlink_status(path, missing));
}

/// @return whether it is a file, and no link to one
bool
IsFile(const std::string& path)
{
    std::error_code missing;
    return fs::symlink_status(path, missing).type() == fs::file_type::regular;
}

/// @throw InputError for an error. @param what failed
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

void
Remove(const std::string& path, const std::string& what)
{
    std::error_code error;
    fs::remove(path, error);
    ThrowIf(path, "cannot remove " + what, error);
}

/// @return plain names in a list of JSON; others are left out
std::vector<std::string>
NamesIn(const nlohmann::json& object, const char* member)
{
    std::vector<std::string> names;
    if (object.is_object() && object.contains(member) && object[member].is_array())
    {
        for (const auto& entry : object[member])
        {
            const std::string name = entry.is_string() ? entry.get<std::string>() : "";
            if (IsPlainName(name))
            {
                names.push_back(name);
            }
        }
    }
    return names;
}

/// @return what a file of JSON holds, or a discarded value
nlohmann::json
ReadJson(const std::string& path)
{
    if (!IsFile(path))
    {
        return nlohmann::json(nlohmann::json::value_t::discarded);
    }
    std::ifstream in(path);
    return nlohmann::json::parse(in, nullptr, false);
}

bool
Has(const std::vector<std::string>& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
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
    m_list = std::make_unique<RunList>(path);
    GoOnWithJournal();
    m_earlier = ReadResult(PathOf(SUMMARY));
    for (const char* name : {SUMMARY, JOURNAL})
    {
        Check(name);
    }
}

RunFolder::~RunFolder()
{
    if (m_list)
    {
        m_list.reset();
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
    return TmpPathOf(m_path, name);
}

std::string
RunFolder::TmpPathOf(const std::string& folder, const std::string& name)
{
    return (fs::path(folder) / (name + ".tmp")).string();
}

void
RunFolder::KeepUnfinished()
{
    m_list->Keep();
}

/// @param path of a summary.json @return the files that it lists; none if it is not that of a run
RunFolder::Result
RunFolder::ReadResult(const std::string& path) const
{
    Result result;
    const nlohmann::json summary = ReadJson(path);
    const std::vector<std::string> names = NamesIn(summary, "files");
    if (!Has(names, SUMMARY))
    {
        return result; // every run lists it
    }
    const nlohmann::json manifest = summary.value("manifest", nlohmann::json());
    const bool isEarlier = !manifest.is_object(); // of an earlier version, which always had these
    if (isEarlier && (summary.value("format", nlohmann::json()) != 1 ||
                      !summary.value("versions", nlohmann::json()).is_object()))
    {
        return result;
    }
    result[SUMMARY];
    if (isEarlier)
    {
        for (const std::string& name : names)
        {
            result[name];
        }
        return result;
    }
    for (const auto& output : manifest.value("outputs", nlohmann::json::array()))
    {
        const auto textOf = [&output](const char* member) {
            const auto found = output.is_object() ? output.find(member) : output.end();
            return found != output.end() && found->is_string() ? found->get<std::string>() : "";
        };
        const std::string name = textOf("name");
        const auto bytes = output.is_object() ? output.find("bytes") : output.end();
        if (Has(names, name) && name != SUMMARY && bytes != output.end() &&
            bytes->is_number_unsigned())
        {
            result[name] = FileDigest{bytes->get<uint64_t>(), textOf("sha256"), 0};
        }
    }
    return result;
}

/// @return whether a file is one, and holds what a manifest says of it
bool
RunFolder::IsAsListed(const std::string& path, const std::optional<FileDigest>& listed) const
{
    std::error_code missing;
    if (!listed || !IsFile(path) || fs::file_size(path, missing) != listed->bytes)
    {
        return false;
    }
    return FileDigest::Of(path).sha256 == listed->sha256;
}

/// @return whether a file is of the earlier result, as that has left it
bool
RunFolder::IsOwned(const std::string& name) const
{
    const auto entry = m_earlier.find(name);
    if (entry == m_earlier.end())
    {
        return false;
    }
    const auto [known, isNew] = m_owned.try_emplace(name, false);
    if (isNew)
    {
        known->second =
            entry->second ? IsAsListed(PathOf(name), entry->second) : IsFile(PathOf(name));
    }
    return known->second;
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
        if (fs::symlink_status(target, missing).type() == fs::file_type::directory)
        {
            throw InputError(target + ": is a folder, expected none or a file of an earlier run");
        }
        if (IsInput(target))
        {
            throw InputError(target + ": this run reads it, expected another folder for the "
                                      "results");
        }
    }
    CheckOwned(name);
    if (m_list && !Has(m_names, name) && IsThere(TmpPathOf(name)) && !m_list->IsRemnant(name))
    {
        throw InputError(TmpPathOf(name) + ": is not from a run (" + RunList::NAME +
                         " does not have it), expected another folder for the results");
    }
}

/// @throw InputError if there is a file that is not to be replaced
void
RunFolder::CheckOwned(const std::string& name) const
{
    const std::string path = PathOf(name);
    if (IsThere(path) && !IsOwned(name))
    {
        throw InputError(path +
                         (m_earlier.count(name)
                              ? ": is not as the earlier run has left it (summary.json has "
                                "another size or SHA-256)"
                              : ": is not from an earlier run (no summary.json lists it)") +
                         ", expected another folder for the results");
    }
}

std::string
RunFolder::Add(const std::string& name)
{
    if (!m_list || Has(m_names, name))
    {
        throw std::logic_error("run folder: file '" + name + "' is added twice or after Commit()");
    }
    Check(name);
    std::string path = m_list->Create(name);
    m_names.push_back(name);
    return path;
}

/// @return what a manifest says of all files but summary.json
nlohmann::ordered_json
RunFolder::DescribeOutputs() const
{
    auto outputs = nlohmann::ordered_json::array();
    for (const std::string& name : m_names)
    {
        if (name == SUMMARY)
        {
            continue;
        }
        m_list->CheckStillThere(name);
        const FileDigest digest = FileDigest::Of(TmpPathOf(name));
        nlohmann::ordered_json output{{"name", name},
                                      {"bytes", digest.bytes},
                                      {"sha256", digest.sha256}};
        if (fs::path(name).extension() == ".csv")
        {
            output["rows"] = std::max<uint64_t>(digest.lines, 1) - 1; // without the header
        }
        outputs.push_back(output);
    }
    return outputs;
}

void
RunFolder::WriteJournal(const Journal& journal)
{
    const nlohmann::ordered_json json{{"files", journal.files}, {"remove", journal.remove}};
    const std::string path = m_list->Create(JOURNAL);
    BufferedFile(path)
        .Append(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
        .Append('\n')
        .Close();
    Rename(path, PathOf(JOURNAL));
}

/// Give the files of a new result their names, as far as they have not got them.
void
RunFolder::Follow(const Journal& journal) const
{
    for (const std::string& name : journal.files)
    {
        if (name != SUMMARY && IsThere(TmpPathOf(name)))
        {
            Rename(TmpPathOf(name), PathOf(name));
        }
    }
    for (const std::string& name : journal.remove)
    {
        Remove(PathOf(name), "the old result");
    }
    // As long as the old summary.json is there, it says what may be removed.
    if (IsThere(TmpPathOf(SUMMARY)))
    {
        Rename(TmpPathOf(SUMMARY), PathOf(SUMMARY));
    }
    Remove(PathOf(JOURNAL), "the journal");
}

/// A run has died in Commit(): complete that.
void
RunFolder::GoOnWithJournal() const
{
    const std::string path = PathOf(JOURNAL);
    if (!IsThere(path))
    {
        return;
    }
    const nlohmann::json json = ReadJson(path);
    const Journal journal{NamesIn(json, "files"), NamesIn(json, "remove")};
    const auto refuse = [&path](const std::string& why) {
        return InputError(path + ": " + why + ", expected the journal of a run, or none");
    };
    if (journal.files.empty() || journal.files.back() != SUMMARY)
    {
        throw refuse("does not list the files of a result");
    }
    const bool isRenamed = !IsThere(TmpPathOf(SUMMARY));
    const Result after = ReadResult(isRenamed ? PathOf(SUMMARY) : TmpPathOf(SUMMARY));
    const Result before = ReadResult(PathOf(SUMMARY));
    const auto listed = [](const Result& result, const std::string& name) {
        const auto entry = result.find(name);
        return entry == result.end() ? std::nullopt : entry->second;
    };
    std::set<std::string> names;
    for (const auto& [name, digest] : after)
    {
        names.insert(name);
    }
    if (names != std::set<std::string>(journal.files.begin(), journal.files.end()) ||
        json["files"].size() != journal.files.size())
    {
        throw refuse("does not list the files of the new summary.json");
    }
    if (isRenamed)
    {
        Remove(path, "the journal"); // it is removed last
        return;
    }
    for (const std::string& name : journal.files)
    {
        const std::string tmp = TmpPathOf(name);
        if (!IsThere(tmp) || name == SUMMARY)
        {
            continue;
        }
        if (!IsAsListed(tmp, listed(after, name)))
        {
            throw refuse(name + ".tmp is not what the new summary.json says");
        }
        const std::string old = PathOf(name);
        const bool isOfResult = IsAsListed(old, listed(before, name)) ||
                                (IsFile(old) && before.count(name) && !listed(before, name));
        if (IsThere(old) && !isOfResult)
        {
            throw refuse(name + " is not of the old result");
        }
    }
    for (const std::string& name : journal.remove)
    {
        if (Has(journal.files, name) ||
            (IsThere(PathOf(name)) && !IsAsListed(PathOf(name), listed(before, name))))
        {
            throw refuse(name + ", which is to go, is not what the old summary.json says");
        }
    }
    Follow(journal);
}

void
RunFolder::Commit(const nlohmann::ordered_json& summary)
{
    const std::string path = Add(SUMMARY);
    nlohmann::ordered_json json = summary;
    json["files"] = m_names;
    json["manifest"]["outputs"] = DescribeOutputs();
    BufferedFile(path)
        .Append(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace))
        .Append('\n')
        .Close();
    m_owned.clear();
    for (const std::string& name : m_names)
    {
        CheckOwned(name); // a file may have appeared there meanwhile
    }
    Journal journal{m_names, {}};
    for (const auto& [name, digest] : m_earlier)
    {
        if (!Has(m_names, name) && IsAsListed(PathOf(name), digest) && !IsInput(PathOf(name)))
        {
            journal.remove.push_back(name);
        }
    }
    WriteJournal(journal);
    m_list->Keep(); // from here on the new result counts
    try
    {
        Follow(journal);
    }
    catch (const InputError&)
    {
        try
        {
            Follow(journal);
        }
        catch (const InputError& error)
        {
            throw InputError(std::string(error.what()) + "; the new result is complete, and has "
                                                         "its names once the folder is used again");
        }
    }
    for (const std::string& name : m_list->GetRemnants())
    {
        if (!IsInput(TmpPathOf(name)))
        {
            unlink(TmpPathOf(name).c_str());
        }
    }
    m_list->SetDone();
    m_list.reset();
}

} // namespace ns3::roce
