// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_HPCC_CONFIG_H
#define ROCE_HPCC_CONFIG_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @brief A configuration file of the HPCC simulator (`config.txt`): lines `KEY value ...`.
 *
 * A key given twice with different values, or a value that is not of the key's kind is an error;
 * so are unknown keys, all of them at once, unless they are to be ignored. Keys of that simulator
 * and of some made from it (HpccKey) that this module does not follow are listed by GetUnused()
 * with the reason. After a value, `{` begins an explanation.
 */
class HpccConfig
{
  public:
    static constexpr double MAX_BYTES = 9007199254740992; //!< of a size: exact in a double

    /**
     * @param ignoreUnknown leave out unknown keys, which GetNotes() then lists
     * @return its keys
     * @throw InputError naming file and line; for unknown keys all of them
     */
    static HpccConfig Read(const std::string& path, bool ignoreUnknown = false);

    /**
     * @brief Replace keys.
     * @param text `KEY=value` with commas, for example `HAS_WIN=0,CC_MODE=1`
     * @throw InputError for unknown keys and bad values
     */
    void Override(const std::string& text);

    /// @return whether a key is there. @param key name
    bool Has(const std::string& key) const
    {
        return m_entries.count(key) > 0;
    }

    /// @return a switch of 0 or 1. @param key name @param otherwise if it is not there
    bool Flag(const std::string& key, bool otherwise) const;

    /// @return a number of 0 or more. @param key name; must be there
    double Number(const std::string& key) const;

    /// @return a rate, bit/s. @param key name; must be there
    uint64_t GetRateBps(const std::string& key) const;

    /// @return unparsed text. @param key name; must be there
    const std::string& Text(const std::string& key) const;

    /// @return KMIN_MAP and the like: value by port rate, bit/s. @param key name; must be there
    std::map<uint64_t, double> Map(const std::string& key) const;

    /**
     * @brief Find a file that a key names: in the configuration's folder, then in the working
     * directory.
     *
     * `${NAME}` in it is replaced by the value of key NAME.
     * @param key name; must be there
     * @return its path
     * @throw InputError with the places tried
     */
    std::string FindFile(const std::string& key) const;

    /// @return LINK_DOWN: time in us and two nodes. @param key name; must be there
    std::vector<uint64_t> Numbers(const std::string& key) const;

    /**
     * @brief Refuse a key's value.
     * @param key name; must be there
     * @param message what was found and what was expected
     * @throw InputError always, with file and line
     */
    [[noreturn]] void Fail(const std::string& key, const std::string& message) const;

    /// @return where a key is given: file and line, or --set. @param key name; must be there
    std::string Where(const std::string& key) const;

    /// @return keys of the file that have no effect here, in order of names, each with the reason
    std::vector<std::pair<std::string, std::string>> GetUnused() const;

    /// @return notes on the file: what was ignored
    const std::vector<std::string>& GetNotes() const
    {
        return m_notes;
    }

    /// @return the file, or nothing
    const std::string& GetPath() const
    {
        return m_path;
    }

  private:
    /// What is given for a key.
    struct Entry
    {
        std::vector<std::string> fields;
        unsigned line{0}; //!< in the file; 0: from Override()
    };

    void Set(const std::string& key, Entry entry);
    void TellUnknown(const std::vector<std::pair<std::string, unsigned>>& unknown,
                     bool ignoreUnknown);

    std::string m_path;
    std::vector<std::string> m_notes;
    std::map<std::string, Entry> m_entries;
};

} // namespace ns3::roce

#endif /* ROCE_HPCC_CONFIG_H */
