// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Calls functions of the module's API in the order of its arguments, however wrong that is. Each
 * argument is one call, NAME or NAME:NUMBER:NUMBER..., see CALLS below. In front of a call may
 * stand at:NANOSECONDS: (it is an event of its own) or sink: (a sink at the first message that is
 * done next). Ends well, or with one line that says what was wrong.
 *
 *     roce-api-calls switch host host nic:0:0 nic:1:0 build flow:0:1:100000 sink:fail:0 run:50000
 */

#include "../system/api-misuse-extensions.h"

#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-network.h"
#include "ns3/roce-scenario.h"
#include "ns3/string.h"

#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Numbers of a call; those that are not given are 0.
class Numbers
{
  public:
    explicit Numbers(std::vector<int64_t> numbers)
        : m_numbers(std::move(numbers))
    {
    }

    /// @return the i-th as any type of number. @tparam T the type
    template <typename T = uint32_t>
    T Get(std::size_t i) const
    {
        return static_cast<T>(i < m_numbers.size() ? m_numbers[i] : 0);
    }

  private:
    std::vector<int64_t> m_numbers;
};

std::unique_ptr<Network> g_network;
std::vector<std::string> g_atCompletion; //!< calls
uint64_t g_completed{0};
uint64_t g_flows{0};

const DataRate RATE("100Gbps");
constexpr int64_t NS = 1000; //!< picoseconds

void Call(const std::string& text);

/// Calls that a sink makes, each once.
void
OnCompletion(const MessageRecord&)
{
    ++g_completed;
    if (!g_atCompletion.empty())
    {
        const std::string text = g_atCompletion.front();
        g_atCompletion.erase(g_atCompletion.begin());
        Call(text);
    }
}

Network&
Net()
{
    if (!g_network)
    {
        throw InputError("there is no network, expected the call 'network'");
    }
    return *g_network;
}

void
AddFlow(const Numbers& n)
{
    FlowSpec flow;
    flow.id = g_flows++;
    flow.src = n.Get(0);
    flow.dst = n.Get(1);
    flow.sizeBytes = n.Get<uint64_t>(2);
    flow.startPs = n.Get<int64_t>(3) * NS;
    flow.trafficClass = static_cast<uint8_t>(n.Get(4) ? n.Get(4) : 3);
    Net().InstallFlows({flow});
}

/// @param n a type, and whether it concerns flows between datacenters
void
Retune(const Numbers& n)
{
    static const char* const types[] = {"ns3::roce::Dcqcn",
                                        "ns3::roce::Hpcc",
                                        "ns3::roce::test::MisuseLaw"};
    const Ptr<CongestionControl> law =
        n.Get(0) < std::size(types) ? ObjectFactory(types[n.Get(0)]).Create<CongestionControl>()
                                    : nullptr;
    Net().Retune(n.Get(1), law);
}

/// @param n which attribute, of which NIC, switch or link
void
SetAttribute(const Numbers& n)
{
    const uint32_t i = n.Get(1);
    switch (n.Get(0))
    {
    case 0:
        Net().GetNic(i)->SetAttribute("PathMtu", StringValue("1000"));
        break;
    case 1:
        Net().GetNic(i)->SetAttribute("DataRate", StringValue("10Gbps"));
        break;
    case 2:
        Net().GetNic(i)->SetAttribute("CongestionControl", StringValue("ns3::roce::Hpcc"));
        break;
    case 3:
        Net().GetSwitch(i)->SetAttribute("BufferSize", StringValue("1MiB"));
        break;
    case 4:
        Net().GetSwitch(i)->SetAttribute("PauseQuanta", StringValue("30000"));
        break;
    case 5:
        Net().GetLink(i).SetAttribute("Delay", StringValue("3us"));
        break;
    default:
        if (auto* marker = Net().GetSwitch(i)->FindStage<EcnMarker>())
        {
            marker->SetAttribute("Pmax", DoubleValue(0.5));
        }
    }
}

/// @param n what the rate law or the stage of Build() does from now on, and a number for it
void
Behave(const Numbers& n)
{
    const auto number = n.Get<uint64_t>(1);
    Behaviour& b = g_behaviour;
    using Verdict = SwitchStage::Verdict;
    const auto onArrival = [](auto hook) {
        g_behaviour.onArrival = [hook](SwitchStage& stage, Switch& sw, Frame& frame, int64_t now) {
            return hook(stage, sw, frame, now);
        };
    };
    switch (n.Get(0))
    {
    case 0:
        b.onAck = [number](uint64_t& rate, uint64_t&) { rate = number; };
        break;
    case 1:
        b.onAck = [number](uint64_t&, uint64_t& window) { window = number; };
        break;
    case 2:
        b.onStart = [number](uint64_t& rate, uint64_t&) { rate = number; };
        break;
    case 3:
        b.lawForks = number;
        break;
    case 4:
        b.makesFeedback = number;
        break;
    case 5:
        b.nextChangePs = [number](int64_t now) { return now + static_cast<int64_t>(number); };
        break;
    case 6:
        b.hooks = n.Get(1);
        break;
    case 7:
        onArrival([number](SwitchStage&, Switch&, Frame&, int64_t) {
            return static_cast<Verdict>(number);
        });
        break;
    case 8:
        onArrival([number](SwitchStage&, Switch&, Frame& frame, int64_t) {
            frame.frameBytes = static_cast<uint32_t>(number);
            return Verdict::PASS;
        });
        break;
    case 9:
        onArrival([number](SwitchStage&, Switch&, Frame& frame, int64_t) {
            frame.dst = static_cast<uint32_t>(number);
            return Verdict::PASS;
        });
        break;
    case 10:
        onArrival([number](SwitchStage& stage, Switch& sw, Frame&, int64_t now) {
            sw.ArmStage(&stage, now + static_cast<int64_t>(number));
            return Verdict::PASS;
        });
        break;
    case 11:
        b.onEnqueue = [number](Frame& frame) {
            frame.trafficClass = static_cast<uint8_t>(number);
            return Verdict::PASS;
        };
        break;
    case 12:
        b.onDequeue = [number](Frame&) { return static_cast<Verdict>(number); };
        break;
    default:
        onArrival([number](SwitchStage&, Switch& sw, Frame&, int64_t now) {
            Frame* own = FramePool::Alloc();
            own->kind = FrameKind::CNP;
            own->frameBytes = 64;
            own->trafficClass = 6;
            own->dst = static_cast<uint32_t>(number);
            own->dstQp = 99;
            own->ttl = 1;
            sw.Emit(own, now);
            return Verdict::PASS;
        });
    }
}

/// @param n 1: with the stage above; 2: without anything
void
Build(const Numbers& n)
{
    Network::Options options;
    options.ecn = n.Get(0) != 2;
    options.telemetry = n.Get(0) != 2;
    options.moreStages = true;
    if (n.Get(0) == 1)
    {
        options.stages.emplace_back(std::string("ns3::roce::test::MisuseStage"));
    }
    Net().Build(options);
    for (uint32_t i = 0; i < Net().GetNNics(); ++i)
    {
        Net().GetNic(i)->TraceConnectWithoutContext(
            "MessageCompleted",
            Callback<void, const MessageRecord&>(&OnCompletion));
    }
}

void
Run(const Numbers& n)
{
    Simulator::Stop(NanoSeconds(n.Get<uint64_t>(0) % 1000000));
    Simulator::Run();
    const std::string wrong = g_network ? g_network->Audit(false) : "";
    if (!wrong.empty())
    {
        throw std::logic_error("the books do not balance: " + wrong);
    }
}

const std::map<std::string, std::function<void(const Numbers&)>> CALLS{
    {"network", [](const Numbers&) { g_network = std::make_unique<Network>(); }},
    {"drop", [](const Numbers&) { g_network.reset(); }},
    {"law",
     [](const Numbers&) {
         Config::SetDefault("ns3::roce::Nic::CongestionControl",
                            StringValue("ns3::roce::test::MisuseLaw"));
     }},
    {"behave", Behave},
    {"host", [](const Numbers& n) { Net().AddHost("h", n.Get(0)); }},
    {"switch", [](const Numbers& n) { Net().AddSwitch("s", n.Get(0)); }},
    {"nic", [](const Numbers& n) { Net().AddNic(n.Get(0), n.Get(1), RATE, MicroSeconds(1)); }},
    {"link", [](const Numbers& n) { Net().Connect(n.Get(0), n.Get(1), RATE, MicroSeconds(1)); }},
    {"long",
     [](const Numbers& n) { Net().ConnectLong(n.Get(0), n.Get(1), RATE, MicroSeconds(9)); }},
    {"build", Build},
    {"flow", AddFlow},
    {"run", Run},
    {"destroy", [](const Numbers&) { Simulator::Destroy(); }},
    {"stop", [](const Numbers&) { Simulator::Stop(); }},
    {"threads", [](const Numbers& n) { Net().SetThreads(n.Get(0) % 5); }},
    {"balance", [](const Numbers& n) { Net().MeasureBalance(n.Get(0) % 5); }},
    {"streams", [](const Numbers& n) { Net().AssignStreams(n.Get<int64_t>(0)); }},
    {"audit", [](const Numbers&) { Net().Audit(false); }},
    {"counters", [](const Numbers&) { Net().GetCounters(); }},
    {"fingerprint", [](const Numbers&) { Net().EnableFingerprint(); }},
    {"path", [](const Numbers& n) { Net().GetPath(n.Get(0), n.Get(1), n.Get<uint16_t>(2)); }},
    {"trace", [](const Numbers& n) { Net().TracePath(n.Get(0), n.Get(1), n.Get<uint16_t>(2)); }},
    {"ideal",
     [](const Numbers& n) {
         FlowSpec flow;
         flow.src = n.Get(0);
         flow.dst = n.Get(1);
         flow.sizeBytes = n.Get(2);
         Net().GetIdeal(flow);
     }},
    {"rack", [](const Numbers& n) { Net().GetRack(n.Get(0)); }},
    {"role", [](const Numbers& n) { Net().HasRole(n.Get(0), SwitchRole::DCI); }},
    {"names", [](const Numbers& n) { Net().GetLinkName(n.Get(0)) + Net().GetNicName(n.Get(1)); }},
    {"port", [](const Numbers& n) { Net().GetSwitch(n.Get(0))->GetPort(n.Get<uint16_t>(1)); }},
    {"queue",
     [](const Numbers& n) { Net().GetSwitch(n.Get(0))->GetQueue(n.Get<uint16_t>(1)).GetBytes(3); }},
    {"fail", [](const Numbers& n) { Net().FailLink(n.Get(0), n.Get(1) ? n.Get(1) : 3U); }},
    {"repair", [](const Numbers& n) { Net().RepairLink(n.Get(0), n.Get(1) ? n.Get(1) : 3U); }},
    {"change",
     [](const Numbers& n) {
         Net().ScheduleLinkChange(n.Get<int64_t>(0) * NS, n.Get(1), n.Get(2));
     }},
    {"reroute", [](const Numbers& n) { Net().SetReroute(n.Get<int64_t>(0) * NS); }},
    {"retune", Retune},
    {"attribute", SetAttribute},
    {"open",
     [](const Numbers& n) {
         const Ptr<Nic> nic = Net().GetNic(n.Get(0));
         nic->Post(nic->OpenQp(n.Get(1), n.Get(2), n.Get<uint8_t>(3), 1, true), 5000, 99);
     }},
};

/// @param text NAME:NUMBER..., perhaps behind at:NANOSECONDS: or sink:
void
Call(const std::string& text)
{
    const std::size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    const std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
    if (name == "sink")
    {
        g_atCompletion.push_back(rest);
        return;
    }
    if (name == "at")
    {
        const std::size_t next = rest.find(':');
        const std::string call = next == std::string::npos ? "" : rest.substr(next + 1);
        Simulator::Schedule(NanoSeconds(std::strtoull(rest.c_str(), nullptr, 10) % 1000000),
                            [call] { Call(call); });
        return;
    }
    const auto call = CALLS.find(name);
    if (call == CALLS.end())
    {
        throw InputError("call '" + name + "', expected one that api-calls.cc lists");
    }
    std::vector<int64_t> numbers;
    for (std::size_t at = 0; !rest.empty() && at != std::string::npos;)
    {
        numbers.push_back(std::strtoll(rest.c_str() + at, nullptr, 10));
        at = rest.find(':', at);
        at += at != std::string::npos;
    }
    call->second(Numbers(numbers));
}

NS_OBJECT_ENSURE_REGISTERED(MisuseLaw);
NS_OBJECT_ENSURE_REGISTERED(MisuseStage);

} // namespace

int
main(int argc, char* argv[])
{
    return RunProgram([=] {
        // Objects of the network must go before those of the simulator, however this ends.
        struct Last
        {
            ~Last()
            {
                g_network.reset();
            }
        } last;

        g_network = std::make_unique<Network>();
        for (int i = 1; i < argc; ++i)
        {
            Call(argv[i]);
        }
        std::cout << g_completed << " messages\n";
        return 0;
    });
}
