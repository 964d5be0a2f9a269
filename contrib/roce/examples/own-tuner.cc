// SPDX-License-Identifier: GPL-2.0-only

// A tuner of your own: it looks at round trip times once in an interval and moves DCQCN's additive
// step and the marking thresholds of all switches. It is a class with a TypeId; Network makes it by
// its name (in a scenario program: --tuner). An incast of seven flows; what it does is printed.
//
//     own-tuner [--ns3::roce::RttTuner::Target=40us] [--ns3::roce::Tuner::MonitorInterval=200us]

#include "ns3/core-module.h"
#include "ns3/roce-network.h"
#include "ns3/roce-scenario.h"
#include "ns3/roce-tuner.h"

#include <algorithm>
#include <cstdio>

namespace ns3::roce
{

/// Longer RTTs than the target: smaller steps and thresholds; shorter ones: larger.
class RttTuner : public Tuner
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::roce::RttTuner")
                                .SetParent<Tuner>()
                                .SetGroupName("Roce")
                                .AddConstructor<RttTuner>()
                                .AddAttribute("Target",
                                              "Mean RTT to aim at",
                                              TimeValue(MicroSeconds(30)),
                                              MakeTimeAccessor(&RttTuner::m_target),
                                              MakeTimeChecker());
        return tid;
    }

    std::vector<std::string> GetColumns() const override
    {
        return {"rtt_us", "ai_mbps", "kmax_kb"};
    }

  protected:
    TuningAgents::Options GetAgents(const TunedNetwork&) const override
    {
        TuningAgents::Options options;
        options.rtts = options.nics = true;
        return options;
    }

    void DoInstall() override
    {
        CheckSettings(ToSettings()); // refuses what cannot be tuned, before anything is simulated
    }

    void OnInterval(const TuningReports& reports) override
    {
        double sumUs = 0;
        unsigned pairs = 0;
        for (const NicReport& nic : reports.nics)
        {
            for (const RttReport& rtt : nic.rtts)
            {
                sumUs += static_cast<double>(rtt.rttPs) / 1e6;
                ++pairs;
            }
        }
        const double rttUs = pairs ? sumUs / pairs : m_target.ToDouble(Time::US);
        const double factor = rttUs > m_target.ToDouble(Time::US) ? 0.8 : 1.1;
        m_aiMbps = std::clamp(m_aiMbps * factor, 1.0, 500.0);
        m_kmaxKb = std::clamp(m_kmaxKb * factor, 20.0, 400.0);
        Dispatch({ToSettings(), {}});
        Record("tuning", {rttUs, m_aiMbps, m_kmaxKb});
    }

  private:
    std::vector<Setting> ToSettings() const
    {
        const auto bytes = static_cast<uint64_t>(1000 * m_kmaxKb);
        return {{"Dcqcn", "AiRate", std::to_string(m_aiMbps) + "Mbps"},
                {"EcnMarker", "Kmin", std::to_string(bytes / 4)},
                {"EcnMarker", "Kmax", std::to_string(bytes)}};
    }

    Time m_target;
    double m_aiMbps{40}, m_kmaxKb{400};
};

NS_OBJECT_ENSURE_REGISTERED(RttTuner);

} // namespace ns3::roce

using namespace ns3;
using namespace ns3::roce;

namespace
{

void
Print(const std::string&, const std::vector<double>& v, Time at)
{
    const double us = at.GetSeconds() * 1e6;
    std::printf("%6.0f us  RTT %6.2f us  step %6.2f Mbit/s  Kmax %6.2f kB\n", us, v[0], v[1], v[2]);
}

int
Simulate(int argc, char** argv)
{
    CheckedCommandLine cmd(__FILE__, "An incast with a tuner of your own.");
    cmd.Parse(argc, argv);
    Network network;
    const uint32_t leaf = network.AddSwitch("leaf", 0);
    for (uint32_t i = 0; i < 8; ++i)
    {
        network.AddNic(network.AddHost("host" + std::to_string(i), 0),
                       leaf,
                       DataRate("100Gbps"),
                       MicroSeconds(1));
    }
    Network::Options options;
    options.tuner = ObjectFactory("ns3::roce::RttTuner");
    network.Build(options);
    network.AssignStreams(0);
    std::vector<FlowSpec> flows(7);
    for (uint32_t i = 0; i < 7; ++i)
    {
        flows[i].id = i;
        flows[i].src = i;
        flows[i].dst = 7;
        flows[i].sizeBytes = 30000000;
    }
    network.InstallFlows(flows);
    network.GetTuner()->TraceConnectWithoutContext("Interval", MakeCallback(&Print));
    Simulator::Stop(MicroSeconds(15100));
    Simulator::Run();
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunProgram([&] { return Simulate(argc, argv); });
}
