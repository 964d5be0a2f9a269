/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_WAITING_FLOW_H
#define ROCE_WAITING_FLOW_H

#include "ns3/roce-flow-application.h"
#include "ns3/roce-flow-spec.h"

#include <cstdint>

namespace ns3
{
namespace roce
{

/// A flow to come that waits for others.
struct WaitingFlow
{
    FlowSpec flow;
    uint32_t dstQp;                   //!< see FlowApplication::AddFlow()
    Ptr<FlowApplication> application; //!< of its source

    /// Start it. @param startPs exact time
    void Start(int64_t startPs)
    {
        flow.startPs = startPs;
        application->AddFlow(flow, dstQp);
    }
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_WAITING_FLOW_H */
