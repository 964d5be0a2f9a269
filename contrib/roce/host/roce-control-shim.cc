// SPDX-License-Identifier: GPL-2.0-only
#include "roce-control-shim.h"

#include "ns3/roce-value-check.h"

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(ControlShim);

// To queue pairs a shim is a rate law, but it needs one behind it.
[[maybe_unused]] static const bool g_excluded =
    ValueCheck::Exclude("ns3::roce::CongestionControl", "ns3::roce::ControlShim");

TypeId
ControlShim::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::ControlShim").SetParent<CongestionControl>().SetGroupName("Roce");
    return tid;
}

ControlShim::ControlShim(const ControlShim& other)
    : CongestionControl(other),
      m_law(other.m_law ? other.m_law->Fork() : nullptr)
{
}

} // namespace ns3::roce
