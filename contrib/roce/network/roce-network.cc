// SPDX-License-Identifier: GPL-2.0-only
#include "roce-network.h"

#include "roce-network-division.h"
#include "roce-network-flows.h"
#include "roce-network-paths.h"
#include "roce-network-pfc.h"
#include "roce-network-routes.h"
#include "roce-network-stages.h"

#include "ns3/node.h"
#include "ns3/roce-huge-pages.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-path-policy.h"
#include "ns3/roce-scoped-value.h"
#include "ns3/roce-tuner.h"
#include "ns3/roce-value-check.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <thread>

namespace ns3::roce
{

namespace
{

/// Extra bytes a frame may carry for telemetry, allowed for in the headroom: header and 16 hops.
constexpr uint32_t TELEMETRY_ALLOWANCE_BYTES = 2 + 16 * 8;

} // namespace

Network::Network()
    : NetworkMap([this](auto... which) { return GetPath(which...); }),
      m_routes(std::make_unique<NetworkRoutes>(m_parts)),
      m_paths(std::make_unique<NetworkPaths>(m_parts, *m_routes)),
      m_flows(std::make_unique<NetworkFlows>(m_parts)),
      m_clock(std::make_unique<StationClock>()),
      m_division(std::make_unique<NetworkDivision>(m_parts))
{
    if (Time::GetResolution() != Time::PS)
    {
        throw InputError("the simulation's time resolution is not 1 ps; expected "
                         "Time::SetResolution(Time::PS) as the first statement of main()");
    }
    // Before any node of this network is made: ns-3 destroys these after it.
    m_destroyed = Simulator::ScheduleDestroy(&Network::OnSimulatorDestroy, this);
}

void
Network::Build()
{
    Build(Options());
}

void
Network::Build(const Options& options)
{
    using Phase = NetworkState::Phase;
    m_state.ExpectOpen("Build()");
    try
    {
        m_state.Set(Phase::BUILDING);
        BuildAll(options);
        m_state.Set(Phase::BUILT);
    }
    catch (...)
    {
        m_state.Set(Phase::FAILED);
        throw;
    }
}

void
Network::BuildAll(const Options& options)
{
    if (m_parts.nics.size() < 2)
    {
        throw InputError("network: " + std::to_string(m_parts.nics.size()) +
                         " NICs, expected at least 2");
    }
    m_defaults = CreateObject<DefaultWatch>();
    // Racks are the switches with NICs, in switch order.
    for (const auto& nic : m_parts.nics)
    {
        m_parts.switches[nic.sw].rack = 0;
    }
    for (uint32_t s = 0; s < m_parts.switches.size(); ++s)
    {
        if (m_parts.switches[s].rack == 0)
        {
            m_parts.switches[s].rack = static_cast<int32_t>(m_parts.rackSwitch.size());
            m_parts.rackSwitch.push_back(s);
        }
    }
    CheckFactories();
    MakeCopies();
    const auto attachments = std::make_shared<Attachments>();
    for (const auto& nic : m_parts.nics)
    {
        nic.nic->CheckAttributes();
        attachments->rackOfNic.push_back(m_parts.switches[nic.sw].rack);
        attachments->portOfNic.push_back(nic.swPort);
        attachments->datacenterOfNic.push_back(nic.datacenter);
        m_maxFrameBytes = std::max(m_maxFrameBytes,
                                   nic.nic->GetDataHeaderBytes() + nic.nic->GetFirstHeaderBytes() +
                                       nic.nic->GetMtuBytes() + TELEMETRY_ALLOWANCE_BYTES);
    }
    // RoceNetDevices come later. The default Mtu is below that of RDMA; a larger one needs
    // headroom.
    if (const std::string mtu = "ns3::roce::RoceNetDevice::Mtu";
        ValueCheck::GetChangedAttributes().count(mtu))
    {
        m_maxFrameBytes = std::max(m_maxFrameBytes,
                                   static_cast<uint32_t>(ValueCheck::DefaultNumber(mtu)) +
                                       ETHERNET_HEADER_BYTES + FCS_BYTES);
    }
    for (uint32_t s = 0; s < m_parts.switches.size(); ++s)
    {
        NetworkParts::SwitchEntry& entry = m_parts.switches[s];
        entry.sw->Configure(entry.name,
                            attachments,
                            entry.rack,
                            options.ecmpSeed * 1000003 + s,
                            m_maxFrameBytes);
    }
    const NetworkPfc pfc(m_parts, m_maxFrameBytes);
    pfc.CheckPauses();
    m_routes->FindIslands();
    m_routes->InstallPolicies(options);
    m_routes->Compute();
    for (const auto& nic : m_parts.nics)
    {
        nic.nic->Activate();
    }
    m_stages = std::make_unique<NetworkStages>(m_parts, *m_defaults);
    m_stages->Install(options);
    m_paths->SetIntBytesPerHop(m_stages->GetIntBytesPerHop());
    if (const std::string late = pfc.DescribeLateMarks(); !late.empty())
    {
        m_warnings.push_back(late);
    }
    for (const std::string& line : m_stages->GetWarnings())
    {
        m_warnings.push_back(line);
    }
    if (m_stages->NeedsLongestRtts())
    {
        // Frames are as long as NIC 0's.
        m_paths->SetLongestRtts(
            m_routes->FindLongestRtts(m_paths->GetWireSizes(0, GetNNics() - 1, true)));
    }
    if (options.tuner)
    {
        InstallTuner(*options.tuner);
    }
    WatchDefaults();
    StartClock();
    HugePages::AskForHeap();
}

/// Decide which stations other processes run.
void
Network::MakeCopies()
{
    m_division->MakeCopies();
    if (m_division->HasCopies())
    {
        m_changes.push_back(Simulator::ScheduleNow([this] {
            if (!GetRanks())
            {
                throw InputError("the network was built for several processes and runs in one, "
                                 "expected Network::SetRanks() after ExpectRanks()");
            }
        }));
    }
}

void
Network::CheckFactories() const
{
    const std::pair<std::string, TypeId> texts[] = {
        {"InterCongestionControl", CongestionControl::GetTypeId()},
        {"InterLossRecovery", LossRecovery::GetTypeId()},
        {"InterPathSelector", PathSelector::GetTypeId()}};
    for (const auto& [attribute, base] : texts)
    {
        std::string checked; // usually that of all NICs
        const void* alike = nullptr;
        for (const auto& nic : m_parts.nics)
        {
            if (alike && nic.nic->GetAlike() == alike)
            {
                continue;
            }
            alike = nic.nic->GetAlike();
            StringValue text;
            nic.nic->GetAttribute(attribute, text);
            if (!text.Get().empty() && text.Get() != checked)
            {
                checked = text.Get();
                ValueCheck::FullFactory("ns3::roce::Nic::" + attribute, checked, base);
            }
        }
    }
}

/// From now on, what has been made has the defaults that there are. NetworkStages has noted
/// what queue pairs are made of.
void
Network::WatchDefaults()
{
    for (const auto& entry : m_parts.nics)
    {
        m_defaults->Note(*entry.nic);
    }
    for (const auto& entry : m_parts.switches)
    {
        m_defaults->Note(*entry.sw);
        for (uint16_t p = 0; p < entry.sw->GetNPorts(); ++p)
        {
            m_defaults->Note(*entry.sw->GetPort(p));
            m_defaults->Note(entry.sw->GetQueue(p));
        }
        for (const Ptr<SwitchStage>& stage : entry.sw->GetStages())
        {
            m_defaults->Note(*stage);
        }
        if (entry.sw->GetPathPolicy())
        {
            m_defaults->Note(*entry.sw->GetPathPolicy());
        }
    }
    m_defaults->Note(Link::GetTypeId());
    if (m_tuner)
    {
        m_defaults->Note(*m_tuner);
    }
    m_parts.nodes.Get(0)->AggregateObject(m_defaults);
}

int64_t
Network::AssignStreams(int64_t stream)
{
    m_state.ExpectNotRunning("AssignStreams()");
    // A fixed number for each switch, so that one more stage does not shift the next switch.
    constexpr int64_t PER_SWITCH = 16;
    int64_t next = stream;
    for (const auto& entry : m_parts.switches)
    {
        int64_t used = 0;
        for (const Ptr<SwitchStage>& stage : entry.sw->GetStages())
        {
            used += stage->AssignStreams(next + used);
        }
        if (const Ptr<PathPolicy> policy = entry.sw->GetPathPolicy())
        {
            used += policy->AssignStreams(next + used);
        }
        if (used < 0 || used > PER_SWITCH)
        {
            throw InputError("switch " + entry.name + ": its stages and path policy use " +
                             std::to_string(used) + " random streams, expected at most " +
                             std::to_string(PER_SWITCH));
        }
        next += PER_SWITCH;
    }
    for (const auto& nic : m_parts.nics)
    {
        next += nic.nic->AssignStreams(next);
    }
    // After all others, and a fixed number for each port: a loss model shifts no other stream.
    for (const Ptr<Port>& port : GetPorts())
    {
        if (const Ptr<LossModel> model = port->GetLossModel())
        {
            if (const int64_t used = model->AssignStreams(next); used > LossModel::MAX_STREAMS)
            {
                throw InputError(model->GetInstanceTypeId().GetName() + " uses " +
                                 std::to_string(used) + " random streams, expected at most " +
                                 std::to_string(LossModel::MAX_STREAMS));
            }
        }
        next += LossModel::MAX_STREAMS;
    }
    if (m_tuner)
    {
        next += m_tuner->AssignStreams(next);
    }
    return next - stream;
}

void
Network::CatchUp() const
{
    m_state.ExpectThere("CatchUp()");
    const ScopedValue<bool> runs(m_runsStations, true, m_runsStations);
    const int64_t now = NowPs();
    for (const auto& nic : m_parts.nics)
    {
        nic.nic->CatchUp(now);
    }
    for (const auto& entry : m_parts.switches)
    {
        entry.sw->CatchUp(now);
    }
}

std::vector<Network::PathHop>
Network::TracePath(uint32_t src, uint32_t dst, uint16_t entropy) const
{
    m_state.ExpectBuilt("GetPath()");
    bool arrives;
    return m_paths->Trace(src, dst, entropy, false, arrives);
}

PathInfo
Network::GetPath(uint32_t src, uint32_t dst, uint16_t entropy, uint8_t trafficClass, uint8_t law)
    const
{
    m_state.ExpectBuilt("GetPath()");
    return m_paths->GetPath(src, dst, entropy, trafficClass, law);
}

std::vector<std::vector<HopSpec>>
Network::GetBestPaths(uint32_t src, uint32_t dst) const
{
    return m_paths->GetBestPaths(src, dst);
}

IdealFct::Result
Network::GetIdeal(const FlowSpec& flow, bool telemetry) const
{
    m_state.ExpectBuilt("GetIdeal()");
    return m_paths->GetIdeal(flow, telemetry);
}

void
Network::ChooseNics(std::vector<FlowSpec>& flows, NicRule rule)
{
    m_state.ExpectBuilt("ChooseNics()");
    NicChoice choice(m_parts, *m_paths, rule);
    for (FlowSpec& flow : flows)
    {
        choice.Apply(flow);
    }
}

void
Network::SetFlowOrder(std::unique_ptr<FlowOrder> order)
{
    m_state.ExpectBuilt("SetFlowOrder()");
    m_flows->SetOrder(std::move(order));
}

void
Network::InstallFlows(const std::vector<FlowSpec>& flows)
{
    m_state.ExpectBuilt("InstallFlows()");
    if (GetRanks())
    {
        throw InputError("flows are installed in several processes, expected InstallFlows() before "
                         "SetRanks()");
    }
    if (m_defaults)
    {
        m_defaults->Check();
    }
    m_stages->CheckLaws(flows);
    m_flows->Install(flows);
}

uint8_t
Network::AddLaw(const ObjectFactory& law)
{
    m_state.ExpectBuilt("AddLaw()");
    const std::size_t number = m_parts.nics[0].nic->GetNLaws();
    if (number > UINT8_MAX)
    {
        throw InputError("Network::AddLaw() once more, expected at most " +
                         std::to_string(UINT8_MAX) + " laws");
    }
    for (const auto& entry : m_parts.nics)
    {
        entry.nic->AddLaw(law);
    }
    return static_cast<uint8_t>(number);
}

int64_t
Network::GetStartPs(const FlowSpec& flow) const
{
    return m_flows->GetStartPs(flow);
}

bool
Network::HasWaitingFlows() const
{
    return m_flows->HasWaiting();
}

int64_t
Network::GetLastWaitedStartPs() const
{
    const int64_t ownPs = m_flows->GetLastWaitedStartPs();
    return GetRanks() ? GetRanks()->Largest(ownPs) : ownPs;
}

std::string
Network::DescribeWaiting() const
{
    return m_flows->DescribeWaiting();
}

void
Network::Retune(bool interDc, const Ptr<CongestionControl>& law) const
{
    m_state.ExpectBuilt("Retune()");
    if (!law)
    {
        throw InputError("Network::Retune() without a rate law, expected a prototype");
    }
    const ScopedValue<bool> runs(m_runsStations, true, m_runsStations);
    if (m_parts.nics.size() < 2)
    {
        return; // nobody to send to
    }
    const auto [from, to] = m_parts.FindPair();
    // A trial throws for what cannot change, before anything has changed.
    const CongestionControl& own = *m_parts.nics[from].nic->GetProfile(interDc)->GetLaw();
    const Ptr<CongestionControl> trial = CheckMade(own.Fork(), own, "Fork()");
    PathInfo path = GetPath(from, to, 0);
    path.interDc = interDc;
    trial->Start(path, NowPs());
    trial->Retune(*law, NowPs());
    for (const NetworkParts::NicEntry& entry : m_parts.nics)
    {
        entry.nic->Retune(interDc, law);
    }
    for (const NetworkParts::NicEntry& entry : m_parts.nics)
    {
        entry.nic->RetuneReceivers();
    }
}

unsigned
Network::SetThreads(unsigned threads)
{
    m_state.ExpectBuilt("SetThreads()");
    ExpectIdle("Network::SetThreads()");
    CatchUp();
    if (m_division->HasCopies())
    {
        throw InputError("Network::SetThreads() after ExpectRanks(), expected SetRanks()");
    }
    m_division->Unite();
    if (threads == 0)
    {
        threads = std::max(1U, std::thread::hardware_concurrency());
    }
    if (threads == 1)
    {
        return 1;
    }
    m_division->Divide(*m_flows, ParallelRun::PartitionsOf(threads), threads, false, nullptr);
    return GetParallelRun()->GetNThreads();
}

void
Network::MeasureBalance(unsigned threads)
{
    m_state.ExpectBuilt("MeasureBalance()");
    ExpectIdle("Network::MeasureBalance()");
    if (threads < 2)
    {
        throw InputError("Network::MeasureBalance() of " + std::to_string(threads) +
                         " threads, expected 2 or more");
    }
    CatchUp();
    m_division->Divide(*m_flows, ParallelRun::PartitionsOf(threads), threads, true, nullptr);
}

void
Network::ExpectRanks(const RankExchange& ranks, unsigned threads)
{
    m_state.ExpectOpen("ExpectRanks()");
    m_division->Expect(ranks, threads);
}

void
Network::SetRanks(RankExchange& ranks, unsigned threads)
{
    m_state.ExpectBuilt("SetRanks()");
    ExpectIdle("Network::SetRanks()");
    if (threads == 0)
    {
        throw InputError("Network::SetRanks() with 0 threads, expected 1 or more");
    }
    CatchUp();
    m_division->Divide(*m_flows,
                       ranks.GetN() * ParallelRun::PartitionsOf(threads),
                       threads,
                       false,
                       &ranks);
}

RankExchange*
Network::GetRanks() const
{
    return m_division->GetRanks();
}

const ParallelRun*
Network::GetParallelRun() const
{
    return m_division->Get();
}

bool
Network::IsSimulatorDone() const
{
    RankExchange* const ranks = GetRanks();
    return ranks ? ranks->Largest(Simulator::IsFinished()) : Simulator::IsFinished();
}

} // namespace ns3::roce
