// SPDX-License-Identifier: GPL-2.0-only

// TCP and RDMA on the same links: what the stack sees does not depend on how late stations act, and
// classes share as the NIC and the switches say.

#include "roce-ip-network.h"

#include "ns3/boolean.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/roce-flow-spec.h"

#include <map>
#include <string>

namespace ns3::roce::test
{

namespace
{

/// What a run leaves behind.
struct Outcome
{
    std::vector<int64_t> rxPs; //!< of every segment
    std::vector<int64_t> fctsPs;
    std::map<std::string, uint64_t> counters;
    uint64_t fingerprint;
};

/// Three hosts at each end; two send TCP to one of the other end, and two RDMA to it and back.
/// @param trafficClass of TCP
Outcome
RunMixed(bool eager, uint8_t trafficClass)
{
    Config::Reset();
    Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
    Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("1MB"));
    // In the class of RDMA, TCP is to be paused, not to lose what it cannot have marked.
    Config::SetDefault("ns3::roce::EcnMarker::DropNotEct", BooleanValue(false));
    Config::SetDefault("ns3::roce::RoceNetDevice::Classes",
                       StringValue(std::to_string(trafficClass)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 20));
    IpNetwork net(3, 25 * G, 1000 * NS, 3);
    net.network.AssignStreams(1);
    net.network.EnableFingerprint();
    Outcome outcome;
    PacketSinkHelper helper("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 80));
    ApplicationContainer sinks = helper.Install(net.Node(3));
    sinks.Get(0)->TraceConnectWithoutContext(
        "Rx",
        Callback<void, Ptr<const Packet>, const Address&>(
            [&](Ptr<const Packet>, const Address&) { outcome.rxPs.push_back(NowPs()); }));
    for (const uint32_t from : {0, 1})
    {
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(net.Address(3), 80));
        bulk.SetAttribute("MaxBytes", UintegerValue(2'000'000));
        bulk.Install(net.Node(from)).Start(NanoSeconds(1000 + 333 * from));
    }
    std::vector<FlowSpec> flows;
    for (const auto& [src, dst] : {std::pair{2U, 3U}, {1U, 3U}, {3U, 0U}, {4U, 3U}})
    {
        FlowSpec flow;
        flow.id = flows.size();
        flow.src = src;
        flow.dst = dst;
        flow.sizeBytes = 1'000'000;
        flow.startPs = 100 * US + 777 * static_cast<int64_t>(flow.id);
        flows.push_back(flow);
    }
    net.network.InstallFlows(flows);
    const Completions completions(net.network);
    net.Run(MilliSeconds(20));
    for (const FlowSpec& flow : flows)
    {
        outcome.fctsPs.push_back(completions.FctPs(flow.id));
        EXPECT_GT(outcome.fctsPs.back(), 0) << "flow " << flow.id << " is not done";
    }
    outcome.counters = net.network.GetCounters();
    outcome.fingerprint = net.network.GetFingerprint();
    return outcome;
}

} // namespace

TEST(IpMixed, WhatTheStackSeesDoesNotDependOnHowLateStationsAct)
{
    for (const uint8_t trafficClass : {0, 3})
    {
        const Outcome late = RunMixed(false, trafficClass);
        const Outcome eager = RunMixed(true, trafficClass);
        ASSERT_GE(late.rxPs.size(), 2000u) << "class " << +trafficClass << ": TCP has not sent";
        const auto [one, other] =
            std::mismatch(late.rxPs.begin(), late.rxPs.end(), eager.rxPs.begin(), eager.rxPs.end());
        EXPECT_TRUE(one == late.rxPs.end() && other == eager.rxPs.end())
            << "class " << +trafficClass << ": segment " << one - late.rxPs.begin() << " of "
            << late.rxPs.size() << " comes at another time";
        EXPECT_EQ(late.fctsPs, eager.fctsPs) << "class " << +trafficClass;
        EXPECT_EQ(late.counters, eager.counters) << "class " << +trafficClass;
        EXPECT_EQ(late.fingerprint, eager.fingerprint) << "class " << +trafficClass;
        if (trafficClass == 3)
        {
            EXPECT_GT(late.counters.at("pfcXoffSent"), 0u) << "nothing is paused: a weak test";
            EXPECT_EQ(late.counters.at("losslessDrops"), 0u);
        }
    }
}

} // namespace ns3::roce::test
