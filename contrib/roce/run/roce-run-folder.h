// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RUN_FOLDER_H
#define ROCE_RUN_FOLDER_H

#include "roce-run-list.h"

#include "ns3/roce-sha256.h"

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief The folder of a run's result: one run at a time, all of the result or nothing, and no file
 * of others touched.
 *
 * - **One run at a time.** The folder is locked until Commit(), see RunList. On file systems
 *   without locks it is not.
 * - **All or nothing.** Files have names ending in `.tmp` until Commit(). When all are complete, it
 *   writes a journal, `.commit`; from then on the new result counts. The files get their names,
 *   those of the earlier result that the new one has not are removed, summary.json is renamed last.
 *   If the process dies before the end, the next one that makes a RunFolder there continues with
 *   the journal. This guards against a process that dies, not against power failure (no fsync).
 * - **Nothing of others.** A file under its final name is replaced only if the summary.json there
 *   lists it, with its size and SHA-256 if it has a manifest; it is removed only with both; neither
 *   if the process has read it (InputFile). A journal is followed only as far as the summary.json
 *   of the new result and that of the old have the sizes and SHA-256 of what it moves and removes.
 *   Of files ending in `.tmp`, see RunList.
 * - **Remains are known.** `.unfinished` lists the files of a run, and stays if the run dies. The
 *   next complete run removes the remains.
 */
class RunFolder
{
  public:
    /// The file that names all others, and whose presence says that the result is complete.
    static const char* const SUMMARY;

    /// @param path created with its parents if missing. @throw InputError when it cannot be made,
    /// another run is writing there, or what is there is not that of a run
    explicit RunFolder(const std::string& path);
    /// Without Commit() and KeepUnfinished(), removes what was written.
    ~RunFolder();
    RunFolder(const RunFolder&) = delete;
    RunFolder& operator=(const RunFolder&) = delete;

    /**
     * @brief Refuse a name now that could not be written later. Changes nothing.
     * @param name file name without folder
     * @throw InputError when a file of this name is there that is not of the earlier run, or is an
     *        input of this one; std::logic_error on a name with a slash
     */
    void Check(const std::string& name) const;

    /**
     * @brief Add a file to the result.
     * @param name file name without folder
     * @return the path to write it to, an empty file; it must be closed when Commit() is called
     * @throw InputError as Check(); std::logic_error on a name used twice, or after Commit()
     */
    std::string Add(const std::string& name);

    /// @brief From now on a run that dies leaves its `.tmp` files: the simulation begins.
    void KeepUnfinished();

    /**
     * @brief Replace the earlier result by the files added.
     * @param summary what summary.json shall hold; "files" and the "outputs" of "manifest" are set
     *        here
     * @throw InputError when a file cannot be written, renamed or removed: then the earlier result
     *        is as it was, or the message says that the new one is complete; std::logic_error if
     *        called twice
     */
    void Commit(const nlohmann::ordered_json& summary);

    /// @return where a file is written until Commit() @param folder of a run, of another process
    /// perhaps
    static std::string TmpPathOf(const std::string& folder, const std::string& name);

    /// @return the folder as given
    const std::string& GetPath() const
    {
        return m_path;
    }

  private:
    /// Files of a result by name, with what its manifest says of each, if it has a manifest.
    using Result = std::map<std::string, std::optional<FileDigest>>;

    /// What `.commit` holds.
    struct Journal
    {
        std::vector<std::string> files;  //!< of the new result, summary.json last
        std::vector<std::string> remove; //!< of the old one
    };

    std::string PathOf(const std::string& name) const;
    std::string TmpPathOf(const std::string& name) const;
    Result ReadResult(const std::string& path) const;
    bool IsOwned(const std::string& name) const;
    void CheckOwned(const std::string& name) const;
    bool IsAsListed(const std::string& path, const std::optional<FileDigest>& listed) const;
    nlohmann::ordered_json DescribeOutputs() const;
    void WriteJournal(const Journal& journal);
    void Follow(const Journal& journal) const;
    void GoOnWithJournal() const;

    std::string m_path;
    std::unique_ptr<RunList> m_list; //!< null after Commit()
    Result m_earlier;                //!< the result that is there
    /// What IsOwned() has found: files may be large.
    mutable std::map<std::string, bool> m_owned;
    std::vector<std::string> m_names; //!< files of this run, in order of creation
    bool m_created{false};            //!< the folder was made here
};

} // namespace ns3::roce

#endif /* ROCE_RUN_FOLDER_H */
