// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RUN_LIST_H
#define ROCE_RUN_LIST_H

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief The file `.unfinished` of a run's folder: the lock of the run that writes there, and the
 * list of the files that it has made.
 *
 * Each file is made under its name with `.tmp`, and only if nothing of that name is there (O_EXCL);
 * links are not followed. The list has the name before, and the file's inode and time of birth
 * after that. So the file of a run that died can be distinguished from the file of somebody else
 * with the same name, or whose name was added to the list: it is a regular file with that inode and
 * birth, or it is empty.
 */
class RunList
{
  public:
    static const char* const NAME;

    /**
     * @brief Lock the folder. The lock ends with the process, however that ends.
     * @param folder is there
     * @throw InputError when another run has the lock, or the list is not one
     */
    explicit RunList(const std::string& folder);
    /// Removes what was made here and the list, unless Keep() says otherwise.
    ~RunList();
    RunList(const RunList&) = delete;
    RunList& operator=(const RunList&) = delete;

    /**
     * @brief Make an empty file. A remnant of that name goes.
     * @param name without `.tmp`
     * @return its path, with `.tmp`
     * @throw InputError when something else has that name, or it cannot be made
     */
    std::string Create(const std::string& name);

    /**
     * @param name of Create()
     * @throw InputError when the file is gone, or a link or folder in its place
     */
    void CheckStillThere(const std::string& name) const;

    /// @return whether `name.tmp` has been left by a run that died. @param name without `.tmp`
    bool IsRemnant(const std::string& name) const;

    /// @return names of remnants
    std::vector<std::string> GetRemnants() const;

    /// @brief From now on the files stay if the process dies or this object goes.
    void Keep()
    {
        m_keep = true;
    }

    /// @brief The files have their final names: the list goes with this object, if no remnant is
    /// left.
    void SetDone()
    {
        m_done = true;
    }

  private:
    bool TakeLock();
    void Read();
    void Write(const std::string& line);
    static std::string IdentityOf(const std::string& path);

    std::string m_folder;
    std::string m_path; //!< of the list
    int m_file{-1};
    int64_t m_bytes{0}; //!< of the list before this run
    /// What runs that died have made: identities, empty before the file was made.
    std::map<std::string, std::set<std::string>> m_earlier;
    std::map<std::string, std::string> m_made; //!< identity by name
    bool m_keep{false};
    bool m_done{false};
};

} // namespace ns3::roce

#endif /* ROCE_RUN_LIST_H */
