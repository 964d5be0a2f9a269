// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DEFAULT_SCOPE_H
#define ROCE_DEFAULT_SCOPE_H

#include "ns3/attribute.h"
#include "ns3/ptr.h"
#include "ns3/type-id.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief Remembers the default values of all attributes, and all global values, and puts them back
 * at its end: so one run's settings do not affect the next one in the same process.
 */
class DefaultScope
{
  public:
    DefaultScope();
    ~DefaultScope();
    DefaultScope(const DefaultScope&) = delete;
    DefaultScope& operator=(const DefaultScope&) = delete;

  private:
    /// An attribute of a type.
    struct Attribute
    {
        TypeId tid;
        std::size_t index;
        Ptr<const AttributeValue> value;
    };

    std::vector<Attribute> m_attributes;
    std::map<std::string, std::string> m_globals;
};

} // namespace ns3::roce

#endif /* ROCE_DEFAULT_SCOPE_H */
