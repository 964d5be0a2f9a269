/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-congestion-control.h"

namespace ns3
{
namespace roce
{

NS_OBJECT_ENSURE_REGISTERED(CongestionControl);

TypeId
CongestionControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::roce::CongestionControl").SetParent<Object>().SetGroupName("Roce");
    return tid;
}

} // namespace roce
} // namespace ns3
