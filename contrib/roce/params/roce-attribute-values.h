// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_ATTRIBUTE_VALUES_H
#define ROCE_ATTRIBUTE_VALUES_H

#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::roce
{

/// @brief An attribute of an object, as people read it.
struct AttributeInForce
{
    std::string name;
    std::string value; //!< with its unit, as an option takes it
    std::string kind;  //!< the unit or type and the range, for example "time, Period >= 1us"
    /// Where the value comes from: "attribute" (it was set: option, default value or program),
    /// "profile", "default" (of a type that has no profiles), or "derived" (from other attributes).
    std::string from;
    std::string help;
};

/// @param object any. @return its attributes with their effective values, those of its own class
/// first. Without those that say what an object is made of (factories, pointers)
std::vector<AttributeInForce> GetAttributesInForce(const Object& object);

/**
 * @brief Finds out fast that objects have the same values: a network has hundreds of
 * thousands of objects, and a few kinds of them.
 */
class AttributeKeys
{
  public:
    AttributeKeys();
    ~AttributeKeys();

    /**
     * @brief Read an object's attributes.
     * @param object any
     * @param key [out] bytes are appended. Objects with the same bytes have the same type, and the
     * same answers of GetAttributesInForce(); those with others mostly have others. Valid as long
     * as these objects live and none is changed
     */
    void Append(const Object& object, std::string& key);

  private:
    struct Column;

    const std::vector<Column>& ColumnsOf(TypeId tid);

    std::map<uint16_t, std::vector<Column>> m_columns; //!< by uid of the type
};

} // namespace ns3::roce

#endif /* ROCE_ATTRIBUTE_VALUES_H */
