// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MLCC_NETWORK_H
#define ROCE_MLCC_NETWORK_H

#include "roce-run-flows.h"

#include "ns3/roce-mlcc-header.h"
#include "ns3/roce-mlcc-near-source.h"
#include "ns3/roce-mlcc-receiver-side.h"
#include "ns3/roce-mlcc.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3::roce::test
{

inline void
SetEdge(const std::string& attribute, const std::string& value)
{
    Config::SetDefault("ns3::roce::Mlcc" + attribute, StringValue(value));
}

/// What a scripted receiver puts into each ACK.
struct Script
{
    uint16_t epoch{1};
    double creditBps{25e9};
    double dqmBps{25e9};
};

/// Mlcc with receivers that say what a test tells them, by the number of the receiving NIC. A
/// program names it ns3::roce::test::ScriptedMlcc.
class ScriptedMlcc : public Mlcc
{
  public:
    static TypeId GetTypeId()
    {
        static const TypeId tid = TypeId("ns3::roce::test::ScriptedMlcc")
                                      .SetParent<Mlcc>()
                                      .AddConstructor<ScriptedMlcc>();
        return tid;
    }

    Ptr<ReceiverFeedback> MakeFeedback() const override
    {
        return CreateObject<Feedback>();
    }

    static inline std::function<Script(uint32_t nic, int64_t nowPs)> script;

  private:
    struct Feedback : public ReceiverFeedback
    {
        Ptr<ReceiverFeedback> Fork() const override
        {
            return CreateObject<Feedback>();
        }

        void FillAck(Frame& ack, const Frame&, int64_t nowPs) override
        {
            if (MlccHeader* header = ack.FindExtension<MlccHeader>())
            {
                const Script says = script ? script(ack.src, nowPs) : Script();
                header->epoch = says.epoch;
                header->SetRates(says.creditBps, says.dqmBps);
            }
        }
    };
};

/// Hosts 0 .. 3 at a leaf and an external switch ("near"); a WAN link of 100 Gbit/s; an external
/// switch ("far"), a spine, a leaf with hosts 4 .. 7. All of 25 Gbit/s.
struct MlccNetwork
{
    static constexpr uint32_t N_NEAR = 4;
    static constexpr uint32_t N_HOSTS = 8;

    enum Place : uint32_t
    {
        NEAR_LEAF,
        NEAR,
        FAR,
        FAR_SPINE,
        FAR_LEAF,
    };

    /// @param wanDelayPs one way @param poolBytes of WAN ports, without headroom @param otherLaw
    /// rate law of host 3 between datacenters
    explicit MlccNetwork(int64_t wanDelayPs = 100 * US,
                         uint64_t poolBytes = 64 << 20,
                         const std::string& otherLaw = "")
    {
        const char* const names[] = {"nearLeaf", "near", "far", "farSpine", "farLeaf"};
        for (const Place place : {NEAR_LEAF, NEAR, FAR, FAR_SPINE, FAR_LEAF})
        {
            net.AddSwitch(names[place], place >= FAR);
        }
        for (uint32_t h = 0; h < N_HOSTS; ++h)
        {
            const bool isNear = h < N_NEAR;
            ObjectFactory nic("ns3::roce::Nic");
            if (h == 3 && !otherLaw.empty())
            {
                nic.Set("InterCongestionControl", StringValue("ns3::roce::" + otherLaw));
            }
            net.AddNic(net.AddHost("h" + std::to_string(h), !isNear),
                       isNear ? NEAR_LEAF : FAR_LEAF,
                       25 * G,
                       US,
                       nic);
        }
        nearIn = net.Connect(NEAR_LEAF, NEAR, 100 * G, 5 * US).second;
        std::tie(nearWan, farWan) = net.Connect(NEAR, FAR, 100 * G, wanDelayPs);
        farOut = net.Connect(FAR, FAR_SPINE, 100 * G, 5 * US).first;
        net.Connect(FAR_SPINE, FAR_LEAF, 100 * G, 5 * US);
        SharedBuffer::PortConfig deep;
        deep.staticXoffBytes = SharedBuffer::WHOLE_POOL;
        deep.ownPoolBytes = poolBytes + HeadroomBytes(100 * G, wanDelayPs, 5000, 5000);
        net.GetSwitch(NEAR)->SetPortBuffer(nearWan, deep);
        net.GetSwitch(FAR)->SetPortBuffer(farWan, deep);
    }

    void Build()
    {
        Network::Options options;
        options.stages.emplace_back("ns3::roce::MlccNearSource", SwitchRole::DCI);
        options.stages.emplace_back("ns3::roce::MlccReceiverSide", SwitchRole::DCI);
        net.Build(options);
        net.AssignStreams(1);
        near = net.GetSwitch(NEAR)->FindStage<MlccNearSource>();
        far = net.GetSwitch(FAR)->FindStage<MlccReceiverSide>();
    }

    /// A transmission.
    struct Sent
    {
        FrameKind kind;
        uint32_t src;
        uint32_t srcQp;
        uint32_t dst;
        uint64_t psn;
        uint8_t ecn;
        uint8_t flags;
        uint8_t trafficClass;
        uint32_t bytes;
        uint32_t telemetryBytes;
        bool hasTelemetry;
        std::vector<IntHop> hops;
        bool hasHeader;
        MlccHeader header;
        int64_t atPs;

        bool IsData() const
        {
            return kind == FrameKind::DATA;
        }
    };

    /// Notes what a port sends, but pause frames.
    static void Watch(Port& port, std::vector<Sent>& sent)
    {
        port.TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([&sent](const Frame& f, Time at) {
                if (f.kind == FrameKind::PFC)
                {
                    return;
                }
                const MlccHeader* header = f.FindExtension<MlccHeader>();
                std::vector<IntHop> hops;
                if (f.telemetry)
                {
                    hops.assign(f.telemetry.begin(), f.telemetry.end());
                }
                sent.push_back({f.kind,
                                f.src,
                                f.srcQp,
                                f.dst,
                                f.psn,
                                f.ecn,
                                f.flags,
                                f.trafficClass,
                                f.frameBytes,
                                f.telemetryBytes,
                                bool{f.telemetry},
                                hops,
                                header != nullptr,
                                header ? *header : MlccHeader{},
                                at.GetTimeStep()});
            }));
    }

    /// @return port of a switch
    Port& At(Place place, uint16_t port) const
    {
        return *net.GetSwitch(place)->GetPort(port);
    }

    /// @return completion times, ps @param flows all of them must finish
    std::vector<int64_t> Run(const std::vector<FlowSpec>& flows)
    {
        return RunFlows(net, flows);
    }

    template <typename Stage>
    static std::map<std::string, uint64_t> Count(const Stage& stage)
    {
        std::map<std::string, uint64_t> counters;
        stage.Count(counters);
        return counters;
    }

    Network net;
    uint16_t nearIn, nearWan, farWan, farOut;
    MlccNearSource* near{nullptr};
    MlccReceiverSide* far{nullptr};
};

struct MlccSystemTest : public SystemTest
{
    void SetUp() override
    {
        SystemTest::SetUp();
        SetLaw("Mlcc");
        Config::SetDefault("ns3::roce::Nic::RtoMin", TimeValue(MilliSeconds(50)));
        Config::SetDefault("ns3::roce::Nic::PathMtu", UintegerValue(1000));
        ScriptedMlcc::script = nullptr;
    }

    void TearDown() override
    {
        ScriptedMlcc::script = nullptr;
        SystemTest::TearDown();
    }

    /// @param inter rate law between datacenters, behind ns3::roce::
    static void SetLaw(const std::string& inter)
    {
        ScriptedMlcc::GetTypeId(); // so that it can be named
        SetRateLaw("Hpcc");
        Config::SetDefault("ns3::roce::Nic::InterCongestionControl",
                           StringValue(WithMadeProfile("ns3::roce::" + inter)));
    }
};

} // namespace ns3::roce::test

#endif /* ROCE_MLCC_NETWORK_H */
