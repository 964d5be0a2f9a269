// SPDX-License-Identifier: GPL-2.0-only

// A transport of your own: additive increase, multiplicative decrease of the rate on echoed ECN
// marks. It is a class with a TypeId; the NIC makes it by its name, nothing else has to know it.
// Two flows share a link, the second one starts later; their rates are printed.
//
//     own-transport [--ns3::roce::Aimd::Step=2Gbps] [--ns3::roce::Aimd::Factor=0.7]

#include "ns3/core-module.h"
#include "ns3/data-rate.h"
#include "ns3/roce-congestion-control.h"
#include "ns3/roce-network.h"
#include "ns3/roce-scenario.h"

#include <algorithm>
#include <cstdio>

namespace ns3::roce
{

/// Once per round trip: multiply the rate if an ACK echoed a mark since, else add a step.
class Aimd : public CongestionControl
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::roce::Aimd")
                                .SetParent<CongestionControl>()
                                .SetGroupName("Roce")
                                .AddConstructor<Aimd>()
                                .AddAttribute("Step",
                                              "Increase per round trip",
                                              DataRateValue(DataRate("500Mbps")),
                                              MakeDataRateAccessor(&Aimd::m_step),
                                              MakeDataRateChecker())
                                .AddAttribute("Factor",
                                              "What a mark leaves of the rate",
                                              DoubleValue(0.8),
                                              MakeDoubleAccessor(&Aimd::m_factor),
                                              MakeDoubleChecker<double>(0, 1));
        return tid;
    }

    Ptr<CongestionControl> Fork() const override
    {
        return CopyObject<Aimd>(this);
    }

    void OnAck(const AckInfo& ack) override
    {
        m_marked |= ack.ecnEcho;
        if (ack.ackPsn < m_roundEndPsn)
        {
            return;
        }
        const auto rate = static_cast<double>(m_rateBps);
        const double next =
            m_marked ? rate * m_factor : rate + static_cast<double>(m_step.GetBitRate());
        m_rateBps =
            static_cast<uint64_t>(std::clamp(next, 1e8, static_cast<double>(m_path.lineRateBps)));
        m_roundEndPsn = ack.sndNxtPsn;
        m_marked = false;
    }

  private:
    void DoStart(int64_t) override
    {
        m_roundEndPsn = 0;
        m_marked = false;
    }

    DataRate m_step;           //!< attribute Step
    double m_factor{0};        //!< attribute Factor
    uint64_t m_roundEndPsn{0}; //!< the round trip ends with this PSN's ACK
    bool m_marked{false};      //!< a mark was echoed in this round trip
};

NS_OBJECT_ENSURE_REGISTERED(Aimd);

} // namespace ns3::roce

using namespace ns3;
using namespace ns3::roce;

namespace
{

/// Print both flows' rates and how fair they are, every 200 us.
void
PrintRates(const Network& network, int count)
{
    double rates[2] = {0, 0};
    for (uint32_t i = 0; i < 2; ++i)
    {
        const Ptr<Nic> nic = network.GetNic(i);
        // Its one queue pair has the highest number so far; there is none before the flow starts.
        const QueuePair* qp = nic->GetOpenQps() ? nic->GetQp(nic->GetNQps() - 1) : nullptr;
        rates[i] = qp ? static_cast<double>(qp->GetCc().GetRateBps()) / 1e9 : 0;
    }
    // Jain, Chiu and Hawe, DEC TR-301, 1984: 1 when equal, 1/n when one has everything.
    const double sum = rates[0] + rates[1];
    const double squares = rates[0] * rates[0] + rates[1] * rates[1];
    std::printf("%7.1f us  %6.2f + %6.2f Gbit/s  fairness %.3f\n",
                Simulator::Now().GetSeconds() * 1e6,
                rates[0],
                rates[1],
                squares > 0 ? sum * sum / (2 * squares) : 1.0);
    if (count > 1)
    {
        Simulator::Schedule(MicroSeconds(200), &PrintRates, std::cref(network), count - 1);
    }
}

int
Simulate(int argc, char** argv)
{
    CheckedCommandLine cmd(__FILE__, "Two flows of a transport of your own.");
    cmd.Parse(argc, argv);
    Config::SetDefault("ns3::roce::Nic::CongestionControl", StringValue("ns3::roce::Aimd"));
    Network network;
    const uint32_t leaf = network.AddSwitch("leaf", 0);
    for (uint32_t i = 0; i < 3; ++i)
    {
        network.AddNic(network.AddHost("host" + std::to_string(i), 0),
                       leaf,
                       DataRate("100Gbps"),
                       MicroSeconds(1));
    }
    network.Build();
    network.AssignStreams(0);
    std::vector<FlowSpec> flows(2);
    for (uint32_t i = 0; i < 2; ++i)
    {
        flows[i].id = i;
        flows[i].src = i;
        flows[i].dst = 2;
        flows[i].sizeBytes = 100000000;
        flows[i].startPs = i * 400000000LL;
    }
    network.InstallFlows(flows);
    Simulator::Schedule(MicroSeconds(200), &PrintRates, std::cref(network), 20);
    Simulator::Stop(MicroSeconds(4100));
    Simulator::Run();
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunProgram([&] { return Simulate(argc, argv); });
}
