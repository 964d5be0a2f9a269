/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_RUN_FOLDER_H
#define ROCE_RUN_FOLDER_H

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief The folder of a run's result: one run at a time, the result whole or not there, nothing
 * of anybody else's touched.
 *
 * - **One run at a time.** The folder is locked until Commit() (flock on `.unfinished`). The lock
 *   ends with the process, however that ends. File systems without locks are used without.
 * - **Whole or not there.** Files have names ending in `.tmp` until Commit() renames all of them,
 *   summary.json last. Until then the folder holds the earlier result, if any, as it was; while
 *   Commit() works, no summary.json is there. This guards against a process that dies, not against
 *   power failure (no fsync).
 * - **Nothing of others.** A file under its final name is replaced or removed only if the
 *   summary.json of the earlier run lists it, and never if the process has read it (InputFile).
 *   Files of one of the names used here with `.tmp` behind it are remains and replaced.
 * - **Remains are told.** `.unfinished` lists the files of a run, and stays if the run dies. The
 *   next one that is whole takes the remains away.
 */
class RunFolder
{
  public:
    /// The file that names all others, and whose presence says that the result is complete.
    static const char* const SUMMARY;

    /**
     * @param path created with its parents if missing
     * @throw InputError when it cannot be made, another run is writing there, or its summary.json
     *        is not that of a run
     */
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
     * @return the path to write it to; it must be closed when Commit() is called
     * @throw InputError as Check(); std::logic_error on a name used twice, or after Commit()
     */
    std::string Add(const std::string& name);

    /// @brief From now on a run that dies leaves its `.tmp` files: the simulation begins.
    void KeepUnfinished()
    {
        m_keepUnfinished = true;
    }

    /**
     * @brief Replace the earlier result by the files added.
     * @param writeSummary writes summary.json to a path, given the names of all files; anything it
     *        throws leaves the earlier result as it was
     * @throw InputError when a file cannot be renamed or removed; std::logic_error if called twice
     */
    void Commit(const std::function<void(const std::string& path,
                                         const std::vector<std::string>& names)>& writeSummary);

    /// @return the folder as given
    const std::string& GetPath() const
    {
        return m_path;
    }

  private:
    std::string PathOf(const std::string& name) const;
    std::string TmpPathOf(const std::string& name) const;
    void Lock();
    void Unlock();
    void ReadOwned(const std::string& manifest);
    void ReadRemains();

    std::string m_path;
    std::set<std::string> m_owned;    //!< files of the earlier run
    std::vector<std::string> m_names; //!< files of this run, in order of creation
    std::set<std::string> m_remains;  //!< what runs that died have left, without ".tmp"
    int m_list{-1};                   //!< descriptor of .unfinished
    bool m_created{false};            //!< the folder was made here
    bool m_keepUnfinished{false};
    bool m_committed{false};
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_RUN_FOLDER_H */
