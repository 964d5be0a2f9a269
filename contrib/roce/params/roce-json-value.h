// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_JSON_VALUE_H
#define ROCE_JSON_VALUE_H

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief A value of a JSON file that a user has written: what does not fit is said with the file
 * and the JSON pointer (RFC 6901) of the value.
 */
class JsonValue
{
  public:
    /**
     * @param path of the file
     * @param what it is expected to hold, for messages ("a file of jobs")
     * @return all of it
     * @throw InputError if it cannot be read, with the line if it is no JSON
     */
    static JsonValue Read(const std::string& path, const std::string& what);

    /// @return whether there is a value; see Find()
    explicit operator bool() const
    {
        return m_value != nullptr;
    }

    /// @return a member of this object; no value if there is none. @throw InputError for no object
    JsonValue Find(const std::string& key) const;

    /// @return a member of this object. @throw InputError if there is none
    JsonValue At(const std::string& key) const;

    /// @throw InputError for no object, or one with other members than these
    void AllowOnly(const std::vector<std::string>& keys) const;

    /// @return elements of this list. @throw InputError for anything else, or none
    std::vector<JsonValue> AsList() const;

    /// @return this text, not empty. @throw InputError for anything else
    std::string AsText() const;

    /// @return this whole number. @throw InputError for anything but one of these
    uint64_t AsCount(uint64_t least, uint64_t most) const;

    /// @return this number. @throw InputError for anything but one above 0, 10^30 at most
    double AsPositive() const;

    /// @return this flag. @throw InputError for anything but true and false
    bool AsFlag() const;

    /// @return this time, picoseconds, 0 or more, from a text such as "10us". @throw InputError for
    /// anything else
    int64_t AsDurationPs() const;

    /// @return whether it is an object, and not a text or number
    bool IsObject() const;

    /// @return "FILE: POINTER", for messages
    std::string Where() const;

    /// @return the file's name
    const std::string& GetFile() const
    {
        return *m_file;
    }

    /// @throw InputError "FILE: POINTER is VALUE, expected ..." always
    [[noreturn]] void Refuse(const std::string& expected) const;

  private:
    JsonValue() = default;

    JsonValue Child(const nlohmann::json& value, const std::string& name) const;

    std::shared_ptr<const nlohmann::json> m_root;
    std::shared_ptr<const std::string> m_file;
    const nlohmann::json* m_value{nullptr}; //!< in m_root
    std::string m_pointer;
};

} // namespace ns3::roce

#endif /* ROCE_JSON_VALUE_H */
