// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_ATTRIBUTE_VALUES_H
#define ROCE_ATTRIBUTE_VALUES_H

#include "ns3/object.h"

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

} // namespace ns3::roce

#endif /* ROCE_ATTRIBUTE_VALUES_H */
