// SPDX-License-Identifier: GPL-2.0-only
#include "roce-network.h"

#include "ns3/data-rate.h"
#include "ns3/node.h"
#include "ns3/roce-hash.h"
#include "ns3/roce-huge-pages.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-scoped-value.h"
#include "ns3/roce-tuner.h"
#include "ns3/roce-value-check.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>

namespace ns3::roce
{

namespace
{

/// Extra bytes a frame may carry for telemetry, allowed for in the headroom: header and 16 hops.
constexpr uint32_t TELEMETRY_ALLOWANCE_BYTES = 2 + 16 * 8;

Ptr<Port>
OtherEnd(uint64_t rateBps)
{
    Ptr<Port> port = CreateObject<Port>();
    port->SetAttribute("DataRate", DataRateValue(DataRate(rateBps)));
    return port;
}

} // namespace

Network::Network()
    : m_attachments(std::make_shared<Attachments>()),
      m_clock(std::make_unique<StationClock>())
{
    if (Time::GetResolution() != Time::PS)
    {
        throw InputError("the simulation's time resolution is not 1 ps; expected "
                         "Time::SetResolution(Time::PS) as the first statement of main()");
    }
    // Before any node of this network is made: ns-3 destroys these after it.
    m_destroyed = Simulator::ScheduleDestroy(&Network::OnSimulatorDestroy, this);
}

uint32_t
Network::Join(Ptr<Port> a, Ptr<Port> b, int64_t delayPs)
{
    Ptr<Link> link = CreateObject<Link>();
    link->SetAttribute("Delay", TimeValue(PicoSeconds(delayPs)));
    link->Attach(a, b);
    LinkEntry entry{};
    entry.link = link;
    m_links.push_back(entry);
    return GetNLinks() - 1;
}

uint32_t
Network::AddSwitch(const std::string& name, uint32_t datacenter, const ObjectFactory& factory)
{
    m_state.ExpectOpen("AddSwitch()");
    Ptr<Node> node = CreateObject<Node>();
    Ptr<Switch> sw = factory.Create<Switch>();
    sw->SetDatacenter(datacenter);
    node->AggregateObject(sw);
    m_nodes.Add(node);
    SwitchEntry entry;
    entry.sw = sw;
    entry.name = name;
    entry.datacenter = datacenter;
    m_switches.push_back(std::move(entry));
    return GetNSwitches() - 1;
}

uint32_t
Network::AddHost(const std::string& name, uint32_t datacenter)
{
    m_state.ExpectOpen("AddHost()");
    Ptr<Node> node = CreateObject<Node>();
    m_nodes.Add(node);
    m_hosts.push_back({node, name, datacenter});
    return static_cast<uint32_t>(m_hosts.size() - 1);
}

void
Network::CheckLink(const char* what, uint64_t rateBps, int64_t delayPs) const
{
    if (rateBps == 0 || delayPs < 0)
    {
        throw InputError(std::string(what) + ": expected a rate above 0 and a delay of 0 or more");
    }
    if (delayPs > LONGEST_DELAY_PS)
    {
        throw InputError(std::string(what) + ": delay is " +
                         std::to_string(delayPs / 1'000'000'000'000) + " s, expected at most " +
                         std::to_string(LONGEST_DELAY_PS / 1'000'000'000'000) + " s");
    }
}

uint16_t
Network::AddSwitchPort(uint32_t sw, Ptr<Port> port, uint64_t rateBps)
{
    if (m_switches[sw].sw->GetNPorts() == Station::MAX_PORTS)
    {
        throw InputError("network: switch " + m_switches[sw].name + " has more than " +
                         std::to_string(Station::MAX_PORTS) + " ports");
    }
    port->SetAttribute("DataRate", DataRateValue(DataRate(rateBps)));
    m_switches[sw].sw->GetObject<Node>()->AddDevice(port);
    return m_switches[sw].sw->AddPort(port);
}

uint32_t
Network::AddNic(uint32_t host,
                uint32_t sw,
                uint64_t rateBps,
                int64_t delayPs,
                const ObjectFactory& factory)
{
    m_state.ExpectOpen("AddNic()");
    CheckLink("NIC", rateBps, delayPs);
    CheckIndex("NIC: host", host, m_hosts.size());
    CheckIndex("NIC: switch", sw, m_switches.size());
    const uint32_t index = GetNNics();
    Ptr<Nic> nic = factory.Create<Nic>();
    nic->SetAttribute("DataRate", DataRateValue(DataRate(rateBps)));
    m_hosts[host].node->AddDevice(nic);
    nic->SetIdentity(index, [this](uint32_t src, uint32_t dst, uint16_t entropy, uint8_t cls) {
        return GetPath(src, dst, entropy, cls);
    });
    Ptr<Port> port = OtherEnd(rateBps);
    const uint16_t swPort = AddSwitchPort(sw, port, rateBps);
    LinkEntry& link = m_links[Join(nic, port, delayPs)];
    link.host = true;
    link.ends = {index, sw};
    m_nics.push_back({nic, m_hosts[host].name, m_hosts[host].datacenter, sw, swPort});
    return index;
}

uint32_t
Network::AddNic(uint32_t host,
                uint32_t sw,
                const DataRate& rate,
                const Time& delay,
                const ObjectFactory& factory)
{
    return AddNic(host, sw, rate.GetBitRate(), delay.GetPicoSeconds(), factory);
}

std::pair<uint16_t, uint16_t>
Network::Connect(uint32_t a, uint32_t b, const DataRate& rate, const Time& delay)
{
    return Connect(a, b, rate.GetBitRate(), delay.GetPicoSeconds());
}

uint64_t
Network::GetLongLinkBufferBytes(const DataRate& rate,
                                const Time& delay,
                                const ByteSize& buffer,
                                const char* name)
{
    const uint64_t rateBps = rate.GetBitRate();
    const int64_t delayPs = delay.GetPicoSeconds();
    const double bdp = static_cast<double>(rateBps) * static_cast<double>(delayPs) / 8e12;
    const uint64_t bytes =
        buffer.GetValue() ? buffer.GetValue() : static_cast<uint64_t>(4 * bdp) + (4ULL << 20);
    // The switch computes the exact headroom; this refuses early what is too small.
    const uint64_t headroom = HeadroomBytes(rateBps, delayPs, MIN_FRAME_BYTES);
    if (headroom >= bytes)
    {
        throw InputError(std::string(name) + " is " + std::to_string(bytes) +
                         " B, expected more than the headroom of the long link, " +
                         std::to_string(headroom) + " B");
    }
    return bytes;
}

std::pair<uint16_t, uint16_t>
Network::ConnectLong(uint32_t a,
                     uint32_t b,
                     const DataRate& rate,
                     const Time& delay,
                     const ByteSize& buffer,
                     double xonFraction)
{
    m_state.ExpectOpen("ConnectLong()");
    CheckLink("long link", rate.GetBitRate(), delay.GetPicoSeconds());
    SharedBuffer::PortConfig config;
    config.ownPoolBytes = GetLongLinkBufferBytes(rate, delay, buffer, "long link: buffer");
    if (!(xonFraction >= 0 && xonFraction <= 1))
    {
        throw InputError("long link: Xon over Xoff is " + std::to_string(xonFraction) +
                         ", expected 0 to 1");
    }
    config.staticXoffBytes = SharedBuffer::WHOLE_POOL;
    config.xonFraction = xonFraction;
    const std::pair<uint16_t, uint16_t> ports = Connect(a, b, rate, delay);
    m_switches[a].sw->SetPortBuffer(ports.first, config);
    m_switches[b].sw->SetPortBuffer(ports.second, config);
    return ports;
}

std::pair<uint16_t, uint16_t>
Network::Connect(uint32_t a, uint32_t b, uint64_t rateBps, int64_t delayPs)
{
    m_state.ExpectOpen("Connect()");
    CheckLink("link", rateBps, delayPs);
    if (a >= m_switches.size() || b >= m_switches.size() || a == b)
    {
        throw InputError("link: expected two different switches");
    }
    Ptr<Port> portA = OtherEnd(rateBps);
    Ptr<Port> portB = OtherEnd(rateBps);
    const uint16_t indexA = AddSwitchPort(a, portA, rateBps);
    const uint16_t indexB = AddSwitchPort(b, portB, rateBps);
    const uint32_t link = Join(portA, portB, delayPs);
    m_links[link].ends = {a, b};
    m_switches[a].neighbours.push_back({b, indexA, link, 0});
    m_switches[b].neighbours.push_back({a, indexB, link, 1});
    return {indexA, indexB};
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
    if (m_nics.size() < 2)
    {
        throw InputError("network: " + std::to_string(m_nics.size()) +
                         " NICs, expected at least 2");
    }
    m_defaults = CreateObject<DefaultWatch>();
    // Racks are the switches with NICs, in switch order.
    for (const NicEntry& nic : m_nics)
    {
        m_switches[nic.sw].rack = 0;
    }
    for (uint32_t s = 0; s < m_switches.size(); ++s)
    {
        if (m_switches[s].rack == 0)
        {
            m_switches[s].rack = static_cast<int32_t>(m_rackSwitch.size());
            m_rackSwitch.push_back(s);
        }
    }
    CheckFactories();
    for (const NicEntry& nic : m_nics)
    {
        nic.nic->CheckAttributes();
        m_attachments->rackOfNic.push_back(m_switches[nic.sw].rack);
        m_attachments->portOfNic.push_back(nic.swPort);
        m_attachments->datacenterOfNic.push_back(nic.datacenter);
        m_maxFrameBytes = std::max(m_maxFrameBytes,
                                   nic.nic->GetDataHeaderBytes() + nic.nic->GetFirstHeaderBytes() +
                                       nic.nic->GetMtuBytes() + TELEMETRY_ALLOWANCE_BYTES);
    }
    for (uint32_t s = 0; s < m_switches.size(); ++s)
    {
        SwitchEntry& entry = m_switches[s];
        entry.sw->Configure(entry.name,
                            m_attachments,
                            entry.rack,
                            options.ecmpSeed * 1000003 + s,
                            m_maxFrameBytes);
    }
    CheckPauses();
    ComputeRoutes(true);
    for (const NicEntry& nic : m_nics)
    {
        nic.nic->Activate();
    }
    InstallStages(options);
    CheckEcnBelowPfc();
    if (m_needsLongestRtts)
    {
        FindLongestRtts();
    }
    if (options.tuner)
    {
        InstallTuner(*options.tuner);
    }
    WatchDefaults();
    StartClock();
    HugePages::AskForHeap();
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
        for (const NicEntry& nic : m_nics)
        {
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

/// From now on, existing objects have the present defaults. CheckDeployment() has noted what queue
/// pairs are made of.
void
Network::WatchDefaults()
{
    for (const NicEntry& entry : m_nics)
    {
        m_defaults->Note(*entry.nic);
    }
    for (const SwitchEntry& entry : m_switches)
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
    }
    m_defaults->Note(Link::GetTypeId());
    if (m_tuner)
    {
        m_defaults->Note(*m_tuner);
    }
    m_nodes.Get(0)->AggregateObject(m_defaults);
}

int64_t
Network::AssignStreams(int64_t stream)
{
    m_state.ExpectNotRunning("AssignStreams()");
    // A fixed number for each switch, so that one more stage does not shift the next switch.
    constexpr int64_t PER_SWITCH = 16;
    int64_t next = stream;
    for (const SwitchEntry& entry : m_switches)
    {
        int64_t used = 0;
        for (const Ptr<SwitchStage>& stage : entry.sw->GetStages())
        {
            used += stage->AssignStreams(next + used);
        }
        if (used < 0 || used > PER_SWITCH)
        {
            throw InputError("switch " + entry.name + ": its stages use " + std::to_string(used) +
                             " random streams, expected at most " + std::to_string(PER_SWITCH));
        }
        next += PER_SWITCH;
    }
    for (const NicEntry& nic : m_nics)
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

std::string
Network::GetNodeName(uint32_t nodeId) const
{
    for (const SwitchEntry& entry : m_switches)
    {
        if (entry.sw->GetNodeId() == nodeId)
        {
            return entry.name;
        }
    }
    for (const HostEntry& host : m_hosts)
    {
        if (host.node->GetId() == nodeId)
        {
            return host.name;
        }
    }
    return "node" + std::to_string(nodeId);
}

std::vector<Ptr<Port>>
Network::GetPorts() const
{
    m_state.ExpectThere("GetPorts()");
    std::vector<Ptr<Port>> ports;
    for (const NicEntry& nic : m_nics)
    {
        ports.push_back(nic.nic);
    }
    for (const SwitchEntry& entry : m_switches)
    {
        for (uint16_t p = 0; p < entry.sw->GetNPorts(); ++p)
        {
            ports.push_back(entry.sw->GetPort(p));
        }
    }
    return ports;
}

uint64_t
Network::CountPacketHops() const
{
    m_state.ExpectThere("CountPacketHops()");
    uint64_t hops = 0;
    for (const NicEntry& nic : m_nics)
    {
        hops += nic.nic->GetPacketHops();
    }
    for (const SwitchEntry& entry : m_switches)
    {
        for (uint16_t p = 0; p < entry.sw->GetNPorts(); ++p)
        {
            hops += entry.sw->GetPort(p)->GetPacketHops();
        }
    }
    return hops;
}

void
Network::EnableFingerprint()
{
    for (const Ptr<Port>& port : GetPorts())
    {
        port->EnableFingerprint();
    }
}

uint64_t
Network::GetFingerprint() const
{
    std::vector<uint64_t> fingerprints;
    for (const Ptr<Port>& port : GetPorts())
    {
        fingerprints.push_back(port->GetOwner()->IsHere() ? port->GetFingerprint() : 0);
    }
    if (RankExchange* ranks = GetRanks())
    {
        fingerprints = ranks->Sum(fingerprints);
    }
    uint64_t hash = 0;
    for (const uint64_t fingerprint : fingerprints)
    {
        hash = Mix64(hash ^ fingerprint);
    }
    return hash;
}

void
Network::CatchUp() const
{
    m_state.ExpectThere("CatchUp()");
    const ScopedValue<bool> runs(m_runsStations, true, m_runsStations);
    const int64_t now = NowPs();
    for (const NicEntry& nic : m_nics)
    {
        nic.nic->CatchUp(now);
    }
    for (const SwitchEntry& entry : m_switches)
    {
        entry.sw->CatchUp(now);
    }
}

std::string
Network::Audit(bool drained) const
{
    m_state.ExpectBuilt("Audit()");
    CatchUp();
    for (const SwitchEntry& entry : m_switches)
    {
        std::string wrong = entry.sw->Audit();
        if (wrong.empty() && drained && entry.sw->GetBuffer().GetTotalBytes())
        {
            wrong = "switch " + entry.name + ": " +
                    std::to_string(entry.sw->GetBuffer().GetTotalBytes()) + " B left in the buffer";
        }
        if (wrong.empty() && drained && entry.sw->GetBuffer().GetPausedCount())
        {
            wrong = "switch " + entry.name + ": an XOFF is outstanding";
        }
        if (!wrong.empty())
        {
            return wrong;
        }
    }
    if (std::string wrong = AuditLinks(); !wrong.empty())
    {
        return wrong;
    }
    for (const Ptr<Port>& port : GetPorts())
    {
        if (drained && port->IsLinkInFlight())
        {
            return "a frame is on a link of node " + GetNodeName(port->GetNode()->GetId());
        }
    }
    return "";
}

} // namespace ns3::roce
