// SPDX-License-Identifier: GPL-2.0-only

// Every transport on the same three scenarios: two flows of which one comes later, an incast of 16,
// and flows from near and far that meet at one host. Writes each flow's rate and the queue at the
// bottleneck over time, and a table: Jain index, queue, utilisation, convergence time.
//
//     compare-transports [--only=Swift] [--out=results/compare]
//     scripts/plot_comparison.py results/compare

#include "ns3/core-module.h"
#include "ns3/data-rate.h"
#include "ns3/roce-command-line.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-run-writer.h"
#include "ns3/roce-scenario.h"
#include "ns3/roce-workload.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;

namespace
{

constexpr int64_t US = 1000000;
constexpr int64_t MS = 1000 * US;
constexpr uint64_t FOREVER_BYTES = 1000000000000;

/// A rate law and what the switches have to do for it.
struct Transport
{
    const char* label;
    const char* factory;
    bool stepMarking; //!< DCTCP: mark all above 30 KB per 10 Gbit/s
};

// TIMELY's and Swift's thresholds are absolute delays, below the 1 ms round trip of the third
// scenario; "from RTT" counts them from the path's base RTT.
const Transport TRANSPORTS[] = {
    {"DCQCN", "ns3::roce::Dcqcn", false},
    {"DCQCN (paper)", "ns3::roce::Dcqcn[Profile=paper]", false},
    {"DCTCP", "ns3::roce::Dctcp", true},
    {"TIMELY", "ns3::roce::Timely", false},
    {"TIMELY (from RTT)", "ns3::roce::Timely[ThresholdsFromBaseRtt=1]", false},
    {"TIMELY (patched)", "ns3::roce::Timely[Profile=patched]", false},
    {"Swift", "ns3::roce::Swift", false},
    {"Swift (from RTT)", "ns3::roce::Swift[AddBaseRtt=1|InitialCwnd=0|CwndMax=10000]", false},
    {"HPCC", "ns3::roce::Hpcc", false},
    {"PowerTCP", "ns3::roce::PowerTcp", false},
    {"theta-PowerTCP", "ns3::roce::PowerTcp[Theta=1]", false},
};

/// Senders, receivers, start and duration.
struct Scenario
{
    const char* name;
    std::function<void(Network&)> make;
    std::function<std::vector<FlowSpec>()> flows;
    int64_t endPs;
    int64_t samplePs;
    int64_t windowPs; //!< rates are averaged over it before fairness is judged
};

FlowSpec
LongFlow(uint32_t src, uint32_t dst, int64_t startPs)
{
    FlowSpec flow;
    flow.src = src;
    flow.dst = dst;
    flow.sizeBytes = FOREVER_BYTES;
    flow.startPs = startPs;
    return flow;
}

/// Senders and, as NIC 0, their receiver at one switch, 100 Gbit/s, 1 us.
void
MakeStar(Network& network, uint32_t senders)
{
    const uint32_t leaf = network.AddSwitch("leaf", 0);
    for (uint32_t i = 0; i <= senders; ++i)
    {
        const uint32_t host = network.AddHost("host" + std::to_string(i), 0);
        network.AddNic(host, leaf, 100000000000, US);
    }
}

std::vector<Scenario>
MakeScenarios()
{
    std::vector<Scenario> scenarios;
    scenarios.push_back(
        {"2-to-1",
         [](Network& n) { MakeStar(n, 2); },
         [] {
             return std::vector<FlowSpec>({LongFlow(1, 0, 0), LongFlow(2, 0, 5 * MS)});
         },
         25 * MS,
         50 * US,
         250 * US});
    scenarios.push_back({"16-to-1",
                         [](Network& n) { MakeStar(n, 16); },
                         [] {
                             std::vector<FlowSpec> flows;
                             for (uint32_t i = 1; i <= 16; ++i)
                             {
                                 flows.push_back(LongFlow(i, 0, 0));
                             }
                             return flows;
                         },
                         20 * MS,
                         50 * US,
                         250 * US});
    // Two datacenters, 1 ms of round trip between them: 2 flows from the receiver's datacenter and
    // 2 from the other one, all from racks of their own.
    scenarios.push_back(
        {"near and far",
         [](Network& n) { LeafSpineHelper().Construct(n); },
         [] {
             return std::vector<FlowSpec>(
                 {LongFlow(4, 0, 0), LongFlow(8, 0, 0), LongFlow(16, 0, 0), LongFlow(20, 0, 0)});
         },
         100 * MS,
         200 * US,
         5 * MS});
    return scenarios;
}

/// What one run gave.
struct Result
{
    double jain{0};         //!< of the flows' goodput, last quarter
    double utilisation{0};  //!< of the bottleneck, last half, headers included
    double queueMean{0};    //!< bytes, last half
    double queueMax{0};     //!< bytes, since the last flow's start
    double convergedMs{-1}; //!< after the last flow's start; -1: not before the last quarter
    uint64_t pauses{0};
};

double
Jain(const std::vector<double>& rates)
{
    double sum = 0;
    double squares = 0;
    for (double r : rates)
    {
        sum += r;
        squares += r * r;
    }
    return squares > 0 ? sum * sum / (static_cast<double>(rates.size()) * squares) : 0;
}

/// Reads the flows' progress at the receiver and the queue in front of it at equal intervals.
class Sampler
{
  public:
    Sampler(Network& network, const Scenario& scenario, const std::vector<FlowSpec>& flows)
        : m_network(network),
          m_scenario(scenario),
          m_flows(flows),
          m_port(network.GetNic(0)->GetPeer()),
          m_bytes(flows.size())
    {
        network.GetNic(0)->TraceConnectWithoutContext(
            "RxEnd",
            Callback<void, const Frame&, Time>([this](const Frame& frame, Time) {
                for (std::size_t i = 0; frame.kind == FrameKind::DATA && i < m_flows.size(); ++i)
                {
                    m_bytes[i] += m_flows[i].src == frame.src ? frame.payloadBytes : 0;
                }
            }));
        Simulator::Schedule(TimeStep(scenario.samplePs), &Sampler::Take, this);
    }

    /// Append the run's rows to both files.
    void Write(const char* label, CsvFile& rates, CsvFile& queues) const;
    Result Evaluate() const;

  private:
    void Take()
    {
        m_network.CatchUp();
        m_samples.push_back(m_bytes);
        for (uint32_t s = 0; s < m_network.GetNSwitches(); ++s)
        {
            if (m_network.GetSwitch(s)->GetNodeId() == m_port->GetNode()->GetId())
            {
                m_queue.push_back(
                    m_network.GetSwitch(s)->GetQueue(m_port->GetIndex()).GetTotalBytes());
            }
        }
        m_wire.push_back(m_port->GetTxWireBytes());
        Simulator::Schedule(TimeStep(m_scenario.samplePs), &Sampler::Take, this);
    }

    /// @return goodput of flow i between two samples, bit/s
    double Rate(std::size_t i, std::size_t from, std::size_t to) const
    {
        return static_cast<double>(m_samples[to][i] - m_samples[from][i]) * 8e12 /
               static_cast<double>(static_cast<int64_t>(to - from) * m_scenario.samplePs);
    }

    double JainOf(std::size_t from, std::size_t to) const
    {
        std::vector<double> rates;
        for (std::size_t i = 0; i < m_flows.size(); ++i)
        {
            rates.push_back(Rate(i, from, to));
        }
        return Jain(rates);
    }

    Network& m_network;
    const Scenario& m_scenario;
    const std::vector<FlowSpec>& m_flows;
    Port* m_port; //!< of the switch, towards the receiver
    std::vector<uint64_t> m_bytes;
    std::vector<std::vector<uint64_t>> m_samples;
    std::vector<uint64_t> m_queue;
    std::vector<uint64_t> m_wire;
};

void
Sampler::Write(const char* label, CsvFile& rates, CsvFile& queues) const
{
    for (std::size_t k = 1; k < m_samples.size(); ++k)
    {
        const int64_t atPs = static_cast<int64_t>(k + 1) * m_scenario.samplePs;
        for (std::size_t i = 0; i < m_flows.size(); ++i)
        {
            rates.Text(label).Text(m_scenario.name).Uint(i).Ns(atPs);
            rates.Uint(static_cast<uint64_t>(Rate(i, k - 1, k)));
            rates.EndRow();
        }
        queues.Text(label).Text(m_scenario.name).Ns(atPs).Uint(m_queue[k]);
        queues.EndRow();
    }
}

Result
Sampler::Evaluate() const
{
    Result result;
    const std::size_t n = m_samples.size();
    const auto span = static_cast<std::size_t>(m_scenario.windowPs / m_scenario.samplePs);
    int64_t lastStartPs = 0;
    for (const FlowSpec& flow : m_flows)
    {
        lastStartPs = std::max(lastStartPs, flow.startPs);
    }
    const auto first = static_cast<std::size_t>(lastStartPs / m_scenario.samplePs);
    result.jain = JainOf(n - 1 - n / 4, n - 1);
    const std::size_t half = n / 2;
    result.utilisation =
        static_cast<double>(m_wire[n - 1] - m_wire[half]) * 8e12 /
        static_cast<double>(static_cast<int64_t>(n - 1 - half) * m_scenario.samplePs) /
        static_cast<double>(m_port->GetRateBps());
    for (std::size_t k = first; k < n; ++k)
    {
        result.queueMax = std::max(result.queueMax, static_cast<double>(m_queue[k]));
        result.queueMean += k >= half ? static_cast<double>(m_queue[k]) : 0;
    }
    result.queueMean /= static_cast<double>(n - half);
    // Backwards to the last window that was not fair.
    std::size_t fair = n;
    for (std::size_t k = n - 1; k >= first + span && JainOf(k - span, k) >= 0.95; --k)
    {
        fair = k;
    }
    if (fair < n - n / 4)
    {
        result.convergedMs =
            static_cast<double>(static_cast<int64_t>(fair + 1) * m_scenario.samplePs -
                                lastStartPs) /
            static_cast<double>(MS);
    }
    return result;
}

Result
RunOne(const Transport& transport, const Scenario& scenario, CsvFile& rates, CsvFile& queues)
{
    Config::SetDefault("ns3::roce::Nic::CongestionControl", StringValue(transport.factory));
    Result result;
    {
        Network network;
        scenario.make(network);
        Network::Options options;
        if (transport.stepMarking)
        {
            options.ecnMarker.Set("Kmin", UintegerValue(30000));
            options.ecnMarker.Set("Kmax", UintegerValue(30000));
            options.ecnMarker.Set("Pmax", DoubleValue(1));
            options.ecnMarker.Set("ReferenceRate", DataRateValue(DataRate("10Gbps")));
        }
        network.Build(options);
        network.AssignStreams(1);
        std::vector<FlowSpec> flows = scenario.flows();
        SortAndNumber(flows);
        network.InstallFlows(flows);
        Sampler sampler(network, scenario, flows);
        Simulator::Stop(TimeStep(scenario.endPs));
        Simulator::Run();
        sampler.Write(transport.label, rates, queues);
        result = sampler.Evaluate();
        for (uint32_t s = 0; s < network.GetNSwitches(); ++s)
        {
            result.pauses += network.GetSwitch(s)->GetPauseSender().GetSent(PauseEvent::XOFF);
        }
    }
    Simulator::Destroy();
    return result;
}

/// A number with that many decimals, for tables.
std::string
Fixed(double value, int decimals)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

int
Compare(int argc, char** argv)
{
    std::string only;
    std::string out = "results/compare";
    CheckedCommandLine cmd(__FILE__, "Every transport on the same three scenarios.");
    cmd.AddValue("only", "Run the transports whose name contains this", only);
    cmd.AddValue("out", "Folder for the results", out);
    cmd.Parse(argc, argv);
    const std::vector<Scenario> scenarios = MakeScenarios();
    std::vector<Transport> transports;
    for (const Transport& transport : TRANSPORTS)
    {
        if (std::string(transport.label).find(only) != std::string::npos)
        {
            transports.push_back(transport);
        }
    }
    if (transports.empty())
    {
        throw InputError("--only=" + only +
                         " names no transport, expected part of one of: DCQCN, "
                         "DCTCP, TIMELY, Swift, HPCC, PowerTCP");
    }
    RunWriter writer(out);
    CsvFile& rates = writer.OpenCsv("comparison-rates.csv",
                                    {"transport", "scenario", "flow", "time_ns", "goodput_bps"});
    CsvFile& queues = writer.OpenCsv("comparison-queues.csv",
                                     {"transport", "scenario", "time_ns", "queue_bytes"});
    CsvFile& table = writer.OpenCsv("comparison.csv",
                                    {"scenario",
                                     "transport",
                                     "jain",
                                     "converged_ms",
                                     "utilisation",
                                     "queue_mean_bytes",
                                     "queue_max_bytes",
                                     "pfc_pauses"});
    for (const Scenario& scenario : scenarios)
    {
        std::printf("\n%-14s %-17s %6s %12s %12s %11s %11s %7s\n",
                    "scenario",
                    "transport",
                    "Jain",
                    "converged ms",
                    "utilisation",
                    "mean queue",
                    "max queue",
                    "pauses");
        for (const Transport& transport : transports)
        {
            const Result r = RunOne(transport, scenario, rates, queues);
            const std::string converged = r.convergedMs < 0 ? "" : Fixed(r.convergedMs, 2);
            std::printf("%-14s %-17s %6.3f %12s %11.1f%% %8.1f kB %8.1f kB %7llu\n",
                        scenario.name,
                        transport.label,
                        r.jain,
                        converged.empty() ? "-" : converged.c_str(),
                        100 * r.utilisation,
                        r.queueMean / 1e3,
                        r.queueMax / 1e3,
                        static_cast<unsigned long long>(r.pauses));
            std::fflush(stdout);
            table.Text(scenario.name).Text(transport.label).Text(Fixed(r.jain, 4)).Text(converged);
            table.Text(Fixed(r.utilisation, 4)).Text(Fixed(r.queueMean, 0));
            table.Text(Fixed(r.queueMax, 0)).Uint(r.pauses);
            table.EndRow();
        }
    }
    std::printf(
        "\nJain index: goodput of the last quarter. Converged: after the last flow's start, "
        "when the Jain index of\nthe averages over 1 ms (near and far: 5 ms) stays above "
        "0.95 for good. Utilisation and mean queue: last half.\n");
    nlohmann::ordered_json summary;
    for (const auto& [name, value] : cmd.GetValues())
    {
        summary["configuration"][name] = value;
    }
    writer.SetSummary(summary);
    writer.Finish();
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunProgram([&] { return Compare(argc, argv); });
}
