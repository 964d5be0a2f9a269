/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-control-shim.h"

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(ControlShim);

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

} // namespace roce
} // namespace ns3
