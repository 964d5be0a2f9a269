// SPDX-License-Identifier: GPL-2.0-only

// A switch stage of your own: marks ECN by how busy a port was, not by its queue. It is a class
// with a TypeId; the network puts it into its switches by its name. Two flows of DCQCN share a
// link; its rate and queue are printed.
//
//     own-stage [--marker=ns3::roce::EcnMarker] [--ns3::roce::UtilisationMarker::Target=0.8]

#include "ns3/core-module.h"
#include "ns3/roce-network.h"
#include "ns3/roce-port.h"
#include "ns3/roce-scenario.h"
#include "ns3/roce-switch-stage.h"

#include <cstdio>

namespace ns3::roce
{

/// Marks what leaves a port as long as the port was busier than a target in the interval before.
class UtilisationMarker : public SwitchStage
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::roce::UtilisationMarker")
                                .SetParent<SwitchStage>()
                                .SetGroupName("Roce")
                                .AddConstructor<UtilisationMarker>()
                                .AddAttribute("Target",
                                              "Utilisation above which everything is marked",
                                              DoubleValue(0.95),
                                              MakeDoubleAccessor(&UtilisationMarker::m_target),
                                              MakeDoubleChecker<double>(0, 1));
        return tid;
    }

    uint32_t GetHooks() const override
    {
        return DEQUEUE;
    }

    bool MarksEcn() const override
    {
        return true; // so that DCQCN is content
    }

    void Install(Switch& sw) override
    {
        m_ports.resize(sw.GetNPorts());
    }

    Verdict OnDequeue(Frame& frame, Port& out, const EgressScheduler&, int64_t nowPs) override
    {
        PortState& port = m_ports[out.GetIndex()];
        if (const int64_t tookPs = nowPs - port.sincePs; tookPs >= INTERVAL_PS)
        {
            const double bits = 8.0 * (out.GetTxWireBytes() - port.bytes);
            const bool isBusy = bits * 1e12 > m_target * out.GetRateBps() * tookPs;
            port = {nowPs, out.GetTxWireBytes(), isBusy};
        }
        if (port.isBusy && frame.ecn != ECN_NOT_ECT)
        {
            frame.ecn = ECN_CE;
        }
        return Verdict::PASS;
    }

  private:
    static constexpr int64_t INTERVAL_PS = 20000000;

    /// A port's interval.
    struct PortState
    {
        int64_t sincePs{0};
        uint64_t bytes{0};  //!< sent before it
        bool isBusy{false}; //!< in the interval before it
    };

    double m_target{0};             //!< attribute Target
    std::vector<PortState> m_ports; //!< by index
};

NS_OBJECT_ENSURE_REGISTERED(UtilisationMarker);

} // namespace ns3::roce

using namespace ns3;
using namespace ns3::roce;

constexpr uint16_t TO_RECEIVER = 2; // port of the switch: the third NIC

static int
Simulate(int argc, char** argv)
{
    std::string marker = "ns3::roce::UtilisationMarker";
    CheckedCommandLine cmd(__FILE__, "Two flows, and a switch stage of your own.");
    cmd.AddValue("marker", "The stage that marks", marker);
    cmd.Parse(argc, argv);
    marker = ValueCheck::Factory("--marker", marker, SwitchStage::GetTypeId());
    Network network;
    const uint32_t leaf = network.AddSwitch("leaf", 0);
    for (const char* name : {"alice", "bob", "carol"})
    {
        network.AddNic(network.AddHost(name, 0), leaf, DataRate("100Gbps"), MicroSeconds(1));
    }
    Network::Options options;
    options.ecn = false; // no EcnMarker but ours
    options.stages.emplace_back(marker);
    network.Build(options);
    network.AssignStreams(0);
    std::vector<FlowSpec> flows(2);
    for (uint32_t i = 0; i < 2; ++i)
    {
        flows[i].id = flows[i].src = i;
        flows[i].dst = 2;
        flows[i].sizeBytes = 100000000;
    }
    network.InstallFlows(flows);
    uint64_t sent = 0;
    for (int i = 1; i <= 10; ++i)
    {
        Simulator::Schedule(MilliSeconds(i), [&, i] {
            const auto sw = network.GetSwitch(leaf);
            const uint64_t bytes = sw->GetPort(TO_RECEIVER)->GetTxWireBytes();
            std::printf("%2d ms  %6.2f Gbit/s  queue %7.1f kB\n",
                        i,
                        static_cast<double>(bytes - sent) * 8 / 1e6,
                        static_cast<double>(sw->GetQueue(TO_RECEIVER).GetBytes(3)) / 1e3);
            sent = bytes;
        });
    }
    Simulator::Stop(MilliSeconds(10) + NanoSeconds(1));
    Simulator::Run();
    return 0;
}

int
main(int argc, char* argv[])
{
    return RunProgram([&] { return Simulate(argc, argv); });
}
