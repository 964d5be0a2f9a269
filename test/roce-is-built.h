// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TEST_IS_BUILT_H
#define ROCE_TEST_IS_BUILT_H

#include "ns3/type-id.h"

#include <string>

namespace ns3::roce
{

/// @return whether a type is in this build, which may lack systems. @param name without
/// ns3::roce::, attributes in brackets may follow
inline bool
IsBuilt(const std::string& name)
{
    TypeId tid;
    return TypeId::LookupByNameFailSafe("ns3::roce::" + name.substr(0, name.find('[')), &tid);
}

} // namespace ns3::roce

#endif /* ROCE_TEST_IS_BUILT_H */
