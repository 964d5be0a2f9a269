// SPDX-License-Identifier: GPL-2.0-only
#include "roce-hpcc-topology-file.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/roce-flow-list.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-value-check.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace ns3::roce
{

namespace
{

constexpr uint64_t MAX_NODES = 1000000;
constexpr std::size_t LINK_FIELDS = 5;
const char* const LINK_FORM = "a b rate delay error_rate";
const char* const COUNTS_FORM =
    "nodes switches links, nodes switches tors links [rate rate], nodes switches DCI links (LCMP), "
    "or nodes gpus_per_server nvswitches switches links gpu_type [gpus_per_node] (SimAI)";

bool
AreDigits(const std::vector<std::string>& fields)
{
    return std::all_of(fields.begin(), fields.end(), LineReader::AllDigits);
}

} // namespace

HpccTopologyFile::HpccTopologyFile(const std::string& path)
    : LineReader(path, "a topology of the HPCC simulator")
{
    m_topology.path = path;
}

HpccTopology
HpccTopologyFile::Read()
{
    ReadCounts();
    ReadSwitches();
    ReadLinks();
    CheckNvSwitches();
    NumberNics();
    return std::move(m_topology);
}

/// The next line, which must be there.
std::string
HpccTopologyFile::Need(const std::string& what)
{
    std::string text;
    if (m_isAhead)
    {
        m_isAhead = false;
        return m_ahead;
    }
    if (!Next(text))
    {
        throw InputError(GetPath(), GetLine() + 1, "the file ends, expected " + what);
    }
    return text;
}

/// Look at the next line. @return whether there is one
bool
HpccTopologyFile::Peek(std::string& text)
{
    m_isAhead = m_isAhead || Next(m_ahead);
    text = m_isAhead ? m_ahead : "";
    return m_isAhead;
}

void
HpccTopologyFile::ReadCounts()
{
    const auto fields = SplitAtBlanks(Need("the numbers of nodes, switches and links"));
    // Only SimAI's first line has a word.
    const bool isSimAi =
        (fields.size() == 6 || fields.size() == 7) && !LineReader::AllDigits(fields[5]);
    if (!isSimAi && fields.size() != 3 && fields.size() != 4 && fields.size() != 6)
    {
        Fail("found " + std::to_string(fields.size()) + " fields, expected " + COUNTS_FORM);
    }
    const uint64_t nodes = ParseUnsigned(fields[0], "number of nodes", MAX_NODES);
    if (isSimAi)
    {
        m_topology.layout = HpccTopology::Layout::SIM_AI;
        ParseUnsigned(fields[1], "number of GPUs of a server", UINT32_MAX);
        m_others = ParseUnsigned(fields[2], "number of NVSwitches", nodes);
        m_switches = ParseUnsigned(fields[3], "number of switches", nodes);
        m_links = ParseUnsigned(fields[4], "number of links", UINT32_MAX);
    }
    else
    {
        m_switches = ParseUnsigned(fields[1], "number of switches", nodes);
        if (fields.size() > 3)
        {
            m_topology.layout = HpccTopology::Layout::INET_TUB; // or LCMP, see ReadSwitches()
            m_others = ParseUnsigned(fields[2], "number of ToRs or DCI switches", nodes);
        }
        m_links = ParseUnsigned(fields[fields.size() == 3 ? 2 : 3], "number of links", UINT32_MAX);
    }
    const uint64_t all = m_switches + (isSimAi ? m_others : 0);
    if (all == 0 || all > nodes || nodes - all < 2)
    {
        Fail(std::to_string(nodes) + " nodes with " + std::to_string(all) +
             " switches, expected at least one switch and two hosts: hosts are joined by switches, "
             "and forward nothing");
    }
    m_topology.isSwitch.assign(nodes, false);
    m_topology.isDci.assign(nodes, false);
    m_topology.isNvSwitch.assign(nodes, false);
}

uint32_t
HpccTopologyFile::ParseNode(const std::string& text, const char* what) const
{
    return static_cast<uint32_t>(ParseUnsigned(text, what, m_topology.isSwitch.size() - 1));
}

void
HpccTopologyFile::MarkSwitch(uint32_t node, const std::string& text)
{
    if (m_topology.isSwitch[node])
    {
        Fail("switch " + text + " is there twice, expected each once");
    }
    m_topology.isSwitch[node] = true;
}

/// Read whole lines until there are enough ids. @return them, perhaps more
std::vector<uint32_t>
HpccTopologyFile::ReadIds(uint64_t count)
{
    std::vector<uint32_t> ids;
    while (ids.size() < count)
    {
        for (const std::string& text :
             SplitAtBlanks(Need("the ids of " + std::to_string(count) + " switches")))
        {
            ids.push_back(ParseNode(text, "switch"));
            MarkSwitch(ids.back(), text);
        }
    }
    return ids;
}

void
HpccTopologyFile::ReadSwitches()
{
    using Layout = HpccTopology::Layout;
    const uint64_t count = m_switches + (m_topology.layout == Layout::SIM_AI ? m_others : 0);
    std::vector<uint32_t> ids = ReadIds(count);
    std::string text;
    if (m_topology.layout == Layout::INET_TUB && m_others > 0)
    {
        // LCMP lists the DCI switches after the others, mostly in their own line. No link has
        // digits only.
        if (ids.size() == count && Peek(text) && AreDigits(SplitAtBlanks(text)))
        {
            const std::vector<uint32_t> more = ReadIds(m_others);
            ids.insert(ids.end(), more.begin(), more.end());
        }
        if (ids.size() == count + m_others)
        {
            m_topology.layout = Layout::LCMP;
            for (auto id = ids.begin() + static_cast<std::ptrdiff_t>(count); id != ids.end(); ++id)
            {
                m_topology.isDci[*id] = true;
            }
            return;
        }
    }
    for (uint64_t i = 0; i < ids.size() && i < count - m_switches; ++i)
    {
        m_topology.isNvSwitch[ids[i]] = true;
    }
    if (ids.size() > count)
    {
        Fail("more than " + std::to_string(count) +
             " switch ids, expected as many as the first line says");
    }
}

double
HpccTopologyFile::ParseProbability(const std::string& text) const
{
    std::istringstream in(text);
    double value = -1;
    if (!(in >> value) || !in.eof() || !(value >= 0 && value <= 1))
    {
        Fail("error_rate '" + text + "' is not a probability, expected 0 to 1");
    }
    return value;
}

void
HpccTopologyFile::ReadLink(const std::vector<std::string>& fields)
{
    if (fields.size() == LINK_FIELDS - 1)
    {
        Fail(std::string("found 4 fields, expected 5: ") + LINK_FORM +
             " (links without error_rate are bobzhuyb/ns3-rdma's: append 0)");
    }
    CheckFieldCount(fields.size(), LINK_FIELDS, LINK_FORM);
    const std::string where = GetPath() + ":" + std::to_string(GetLine()) + ": ";
    HpccTopology::LinkLine link{};
    link.line = GetLine();
    link.a = ParseNode(fields[0], "node");
    link.b = ParseNode(fields[1], "node");
    // Some simulators write bit/s alone.
    const bool isPlain = fields[2].find_first_not_of("0123456789") == std::string::npos;
    ValueCheck::Value(where + "rate", ValueKind::DATA_RATE, fields[2] + (isPlain ? "bps" : ""));
    ValueCheck::Value(where + "delay", ValueKind::TIME, fields[3]);
    link.rateBps = DataRate(fields[2]).GetBitRate();
    link.delayPs = Time(fields[3]).GetPicoSeconds();
    link.lossRate = ParseProbability(fields[4]);
    if (link.a == link.b)
    {
        Fail("a and b are both " + fields[0] + ", expected two different nodes");
    }
    if (link.rateBps == 0 || link.delayPs < 0)
    {
        Fail("rate " + fields[2] + " and delay " + fields[3] +
             ", expected a rate above 0 and a delay of 0 or more");
    }
    if (!m_topology.isSwitch[link.a] && !m_topology.isSwitch[link.b])
    {
        Fail("nodes " + fields[0] + " and " + fields[1] +
             " are both hosts, expected at least one switch");
    }
    m_topology.links.push_back(link);
}

void
HpccTopologyFile::ReadLinks()
{
    std::string text;
    while (m_topology.links.size() < m_links && Peek(text))
    {
        m_isAhead = false;
        ReadLink(SplitAtBlanks(text));
    }
    if (m_topology.links.size() < m_links)
    {
        throw InputError(GetPath(),
                         GetLine() + 1,
                         "the file ends after " + std::to_string(m_topology.links.size()) +
                             " links, expected " + std::to_string(m_links) +
                             " as the first line says");
    }
    CheckWhatFollows();
}

/// Text may follow. If it is another link, the count may be wrong.
void
HpccTopologyFile::CheckWhatFollows()
{
    try
    {
        std::string text;
        const auto fields = Peek(text) ? SplitAtBlanks(text) : std::vector<std::string>{};
        if (fields.size() == LINK_FIELDS && LineReader::AllDigits(fields[0]) &&
            LineReader::AllDigits(fields[1]))
        {
            m_topology.unreadLine = GetLine();
        }
    }
    catch (const InputError&)
    {
        // No text: it is not read either.
    }
}

/// What is joined to the fabric is a switch like others.
void
HpccTopologyFile::CheckNvSwitches()
{
    HpccTopology& t = m_topology;
    const auto isOther = [&t](uint32_t node) { return t.isSwitch[node] && !t.isNvSwitch[node]; };
    for (bool changed = true; changed;)
    {
        changed = false;
        for (const HpccTopology::LinkLine& link : t.links)
        {
            for (const auto& [node, next] : {std::pair(link.a, link.b), std::pair(link.b, link.a)})
            {
                if (t.isNvSwitch[node] && isOther(next))
                {
                    t.isNvSwitch[node] = false;
                    changed = true;
                }
            }
        }
    }
}

void
HpccTopologyFile::NumberNics()
{
    HpccTopology& t = m_topology;
    t.nicOfNode.assign(t.isSwitch.size(), FlowList::NO_NIC);
    for (const HpccTopology::LinkLine& link : t.links)
    {
        for (const uint32_t node : {link.a, link.b})
        {
            if (t.isSwitch[node])
            {
                continue;
            }
            if (t.nicOfNode[node] == FlowList::NO_NIC)
            {
                t.nicOfNode[node] = static_cast<uint32_t>(t.nodeOfNic.size());
            }
            t.nodeOfNic.push_back(node);
        }
    }
    NumberSwitches();
    if (t.nodeOfNic.size() < 2)
    {
        throw InputError(GetPath() + ": " + std::to_string(t.nodeOfNic.size()) +
                         " hosts, expected at least two");
    }
}

void
HpccTopologyFile::NumberSwitches()
{
    HpccTopology& t = m_topology;
    t.switchOfNode.assign(t.isSwitch.size(), 0);
    uint32_t next = 0;
    for (uint32_t node = 0; node < t.isSwitch.size(); ++node)
    {
        if (t.isSwitch[node])
        {
            t.switchOfNode[node] = next++;
        }
        else if (t.nicOfNode[node] == FlowList::NO_NIC)
        {
            throw InputError(GetPath() + ": host " + std::to_string(node) +
                             " has no link, expected one for each host");
        }
    }
}

} // namespace ns3::roce
