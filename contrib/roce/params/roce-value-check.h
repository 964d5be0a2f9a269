// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_VALUE_CHECK_H
#define ROCE_VALUE_CHECK_H

#include "ns3/attribute.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace ns3::roce
{

/// Kinds of values that options and attributes take.
enum class ValueKind
{
    BOOLEAN,
    UNSIGNED,
    INTEGER,
    DOUBLE,
    TIME,
    DATA_RATE,
    BYTES,      //!< QueueSize in bytes
    MANY_BYTES, //!< ByteSize
    FACTORY,    //!< TypeId name, attributes in brackets if wanted
    TEXT,       //!< any
};

/**
 * @brief Checks the text of option and attribute values before ns-3 sees it, since ns-3 reads bad
 * values in part (`2.5` as 2) or aborts.
 *
 * Every check throws an InputError of one line that says what was found and what was expected.
 */
class ValueCheck
{
  public:
    /**
     * @param what names the option or attribute in the message
     * @param kind what is expected
     * @param text the value
     * @param largest largest value of kind UNSIGNED
     * @throw InputError for anything that is not entirely of that kind
     */
    static void Value(const std::string& what,
                      ValueKind kind,
                      const std::string& text,
                      uint64_t largest = std::numeric_limits<uint64_t>::max());

    /**
     * @param largest largest value of kind UNSIGNED
     * @return its form in words, for messages
     */
    static std::string Expected(ValueKind kind,
                                uint64_t largest = std::numeric_limits<uint64_t>::max());

    /**
     * @param what names the option in messages
     * @param text TypeId name, `ns3::roce::` may be left out, `[name=value|...]` may follow
     * @param base TypeId the type must derive from
     * @return the full text, as attributes of factory type take it
     * @throw InputError if the type or an attribute is unknown or a value is bad; for an unknown
     *        type the message lists the known ones
     */
    static std::string Factory(const std::string& what,
                               const std::string& text,
                               const TypeId& base);

    /**
     * @brief A type that derives from a base is no choice where one of that base is named.
     * @param base full name
     * @param type full name; so are those that derive from it
     * @return true, for the initialisation of a static variable
     */
    static bool Exclude(const std::string& base, const std::string& type);

    /**
     * @param base TypeId the types derive from
     * @param group of TypeIds; empty: any
     * @return names of all that are registered and can be made, those of a program's own included,
     * with commas between; `ns3::roce::` is left out
     */
    static std::string KnownTypes(const TypeId& base, const std::string& group = "");

    /// @return names of all types
    static std::vector<std::string> TypeNames();

    /**
     * @param name that nothing has
     * @param known names
     * @return ", perhaps " and the known one that is spelt most like it; empty if none is
     */
    static std::string Perhaps(const std::string& name, const std::vector<std::string>& known);

    /**
     * @param what names the attribute in messages
     * @param text as for Factory(), but with the full name of the type: no abbreviation is known
     * where it is used
     * @param base TypeId the type must derive from
     * @throw InputError as Factory() does, and for an abbreviation
     */
    static void FullFactory(const std::string& what, const std::string& text, const TypeId& base);

    /**
     * @param path full name of an attribute, for example ns3::roce::Nic::PathMtu
     * @throw InputError if the type or the attribute is unknown or the value is bad
     */
    static void Attribute(const std::string& path, const std::string& value);

    /**
     * @param path full name of an attribute that is a whole number of 0 or more
     * @return its default, as options have set it
     */
    static uint64_t DefaultNumber(const std::string& path);

    /**
     * @param what names the attribute in messages
     * @param checker of the attribute or global value
     * @throw InputError for a bad value
     */
    static void AttributeValue(const std::string& what,
                               const Ptr<const AttributeChecker>& checker,
                               const std::string& value);

    /**
     * @param name of a global value of ns-3
     * @throw InputError for a bad value, one that ns-3 itself would abort at later
     */
    static void Global(const std::string& name,
                       const Ptr<const AttributeChecker>& checker,
                       const std::string& value);

    /// @return attributes of this module whose defaults were changed, with their values
    static std::map<std::string, std::string> GetChangedAttributes();

    /**
     * @return attributes that the environment sets (NS_ATTRIBUTE_DEFAULT), full names and values:
     * ns-3 gives them to each object, whatever default the program sets
     * @throw InputError if one of this module does not exist or has a bad value
     */
    static std::map<std::string, std::string> GetEnvironmentAttributes();
};

} // namespace ns3::roce

#endif /* ROCE_VALUE_CHECK_H */
