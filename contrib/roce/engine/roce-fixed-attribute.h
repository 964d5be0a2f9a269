// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FIXED_ATTRIBUTE_H
#define ROCE_FIXED_ATTRIBUTE_H

#include "ns3/attribute.h"
#include "ns3/ptr.h"

namespace ns3::roce
{

/**
 * @brief Make an attribute of a NIC, switch, port or link one that is fixed when its station is set
 * up: buffers, routes, paths and queue pairs are computed from it, so that a later value would be
 * effective for some of them only.
 * @param accessor of the attribute
 * @return the same, whose setter throws InputError once the station is set up (Network::Build())
 */
Ptr<const AttributeAccessor> UntilBuilt(Ptr<const AttributeAccessor> accessor);

} // namespace ns3::roce

#endif /* ROCE_FIXED_ATTRIBUTE_H */
