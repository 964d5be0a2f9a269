// SPDX-License-Identifier: GPL-2.0-only
#include "roce-api-check.h"

#include "roce-input-error.h"

#include "ns3/type-id.h"

#include <string>

namespace ns3::roce
{

void
ThrowIndex(const char* what, uint64_t index, uint64_t count)
{
    throw InputError(std::string(what) + " " + std::to_string(index) + " does not exist, " +
                     (count ? "expected 0 to " + std::to_string(count - 1) : "there is none"));
}

void
ThrowNull(const ObjectBase& maker, const char* function)
{
    throw InputError(maker.GetInstanceTypeId().GetName() + "::" + function +
                     " returns null, expected an object");
}

} // namespace ns3::roce
