// SPDX-License-Identifier: GPL-2.0-only
#include "roce-flow-list.h"

#include "roce-flow-columns.h"
#include "roce-flow-size-distribution.h"
#include "roce-workload-internal.h"

#include "ns3/roce-congestion-control.h"
#include "ns3/roce-cycle.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-line-reader.h"
#include "ns3/roce-value-check.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-cubic.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>

namespace ns3::roce
{

using workload::CSV_COLUMNS;
using workload::HPCC_INCAST_DPORT;

namespace
{

const char* const START_US = "start_us"; // instead of start_ns
const std::size_t CSV_REQUIRED = 4;
const std::vector<std::string> GRAPH_COLUMNS = {"name", "after"}; // the last ones, if there
const char* const CSV_HEADER =
    "src,dst,bytes,start_ns[,class[,srcport[,tag[,phase[,qp[,cc]]]]]][,name,after]";

/// Turns the lines of one file into flows; knows where it is for the messages.
class Reader : private LineReader
{
  public:
    Reader(const std::string& path, uint32_t nHosts)
        : LineReader(path, "a flow list"),
          m_nHosts(nHosts)
    {
    }

    Reader(const std::string& path, const std::vector<uint32_t>& nicOfNode)
        : Reader(path, static_cast<uint32_t>(nicOfNode.size()))
    {
        m_nicOfNode = &nicOfNode;
    }

    FlowList Read()
    {
        std::string first;
        if (!Next(first))
        {
            throw InputError(GetPath(),
                             1,
                             "empty, expected a header " + std::string(CSV_HEADER) +
                                 " or a number of flows");
        }
        if (AllDigits(first))
        {
            m_list.format = FlowListFormat::HpccFlowTxt;
            ReadHpcc(ParseUnsigned(first, "number of flows", MAX_COUNT));
        }
        else if (first.find(',') != std::string::npos)
        {
            m_list.format = FlowListFormat::Csv;
            ReadCsv(SplitAtCommas(first));
        }
        else
        {
            Fail("first line is '" + first + "', expected a header " + CSV_HEADER +
                 " or a number of flows");
        }
        SortByStart(m_list.flows);
        for (const FlowSpec& flow : m_list.flows)
        {
            m_list.rows.push_back(flow.id);
        }
        SortAndNumber(m_list.flows);
        return std::move(m_list);
    }

  private:
    static constexpr uint64_t MAX_COUNT = 1000000000;
    static constexpr std::size_t SHOWN = 5; //!< flows of a circle, in messages

    void Add(FlowSpec flow)
    {
        if (flow.src == flow.dst)
        {
            Fail("src and dst are both " + std::to_string(flow.src) +
                 ", expected two different hosts");
        }
        if (flow.IsScheduled())
        {
            m_list.outOfOrder += flow.startPs < m_latestPs ? 1 : 0;
            m_latestPs = std::max(m_latestPs, flow.startPs);
        }
        flow.id = m_list.flows.size();
        m_list.flows.push_back(flow);
    }

    uint32_t ParseHost(const std::string& text, const char* what) const
    {
        const auto host = static_cast<uint32_t>(ParseUnsigned(text, what, m_nHosts - 1));
        if (!m_nicOfNode)
        {
            return host;
        }
        const uint32_t nic = (*m_nicOfNode)[host];
        if (nic == FlowList::NO_NIC)
        {
            Fail(std::string(what) + " " + text + " is a switch, expected a host");
        }
        return nic;
    }

    /// A line of a list with names.
    struct Place
    {
        unsigned line;
        std::string name;
        std::vector<std::string> after;
    };

    /// Note what a flow waits for. @param after names with blanks between
    void AddPlace(const std::string& name, const std::string& after)
    {
        if (SplitAtBlanks(name).size() > 1)
        {
            Fail("name '" + name + "' has blanks, expected one word or nothing");
        }
        const auto [known, isNew] = m_lineOfName.emplace(name, GetLine());
        if (!name.empty() && !isNew)
        {
            Fail("name '" + name + "' is that of line " + std::to_string(known->second) +
                 ", too, expected each once");
        }
        Place place{GetLine(), name, SplitAtBlanks(after)};
        std::sort(place.after.begin(), place.after.end());
        const auto twice = std::adjacent_find(place.after.begin(), place.after.end());
        if (twice != place.after.end())
        {
            Fail("after names '" + *twice + "' twice, expected each flow once");
        }
        if (!place.after.empty() && m_list.flows.back().phase)
        {
            Fail("a phase and flows to wait for, expected one of them");
        }
        m_places.push_back(std::move(place));
    }

    [[noreturn]] void FailAt(const Place& place, const std::string& message) const
    {
        throw InputError(GetPath(), place.line, message);
    }

    /// Turn names into keys: positions in the file, from 1.
    void ResolveNames()
    {
        std::map<std::string, uint32_t> keyOf;
        for (std::size_t i = 0; i < m_places.size(); ++i)
        {
            keyOf[m_places[i].name] = static_cast<uint32_t>(i + 1);
        }
        std::vector<std::vector<uint32_t>> graph;
        for (std::size_t i = 0; i < m_places.size(); ++i)
        {
            auto dependencies = std::make_shared<FlowDependencies>();
            dependencies->key = static_cast<uint32_t>(i + 1);
            dependencies->name = m_places[i].name;
            graph.emplace_back();
            for (const std::string& name : m_places[i].after)
            {
                const auto found = keyOf.find(name);
                if (found == keyOf.end())
                {
                    FailAt(m_places[i],
                           "waits for '" + name + "', expected the name of a flow of this list");
                }
                dependencies->after.push_back(found->second);
                graph.back().push_back(found->second - 1);
            }
            if (!dependencies->name.empty() || !dependencies->after.empty())
            {
                m_list.flows[i].dependencies = std::move(dependencies);
            }
        }
        const std::vector<uint32_t> cycle = FindCycle(graph);
        if (!cycle.empty())
        {
            std::string way = m_places[cycle[0]].name;
            for (std::size_t i = 1; i <= std::min<std::size_t>(cycle.size(), SHOWN); ++i)
            {
                way += " after " + m_places[cycle[i % cycle.size()]].name;
            }
            FailAt(m_places[cycle[0]],
                   "waits for itself (" + way + (cycle.size() > SHOWN ? " after ..." : "") +
                       "), expected flows that can start one after the other");
        }
    }

    /// @return FlowSpec::law. @param text of the column
    uint8_t FindLaw(const std::string& text)
    {
        if (text.empty())
        {
            return 0;
        }
        const auto [found, isNew] = m_numberOfLaw.emplace(text, m_list.laws.size() + 1);
        if (isNew)
        {
            if (m_list.laws.size() == UINT8_MAX)
            {
                Fail("one more rate law in column cc, expected at most 255");
            }
            try
            {
                m_list.laws.push_back(FlowList::FullLaw("cc", text));
            }
            catch (const InputError& error)
            {
                Fail(error.what());
            }
        }
        return static_cast<uint8_t>(found->second);
    }

    void ReadCsv(std::vector<std::string> header)
    {
        std::string form;
        const bool named =
            header.size() > GRAPH_COLUMNS.size() && std::equal(GRAPH_COLUMNS.begin(),
                                                               GRAPH_COLUMNS.end(),
                                                               header.end() - GRAPH_COLUMNS.size());
        header.resize(header.size() - (named ? GRAPH_COLUMNS.size() : 0));
        for (std::size_t i = 0; i < header.size(); ++i)
        {
            const bool known = i < CSV_COLUMNS.size();
            if (!known || (header[i] != CSV_COLUMNS[i] && !(i == 3 && header[i] == START_US)))
            {
                Fail("unknown column '" + header[i] + "', expected " +
                     (known ? "'" + CSV_COLUMNS[i] + "'" : "no more columns") + " in the header " +
                     CSV_HEADER);
            }
            form += (i == 0 ? "" : ",") + header[i];
        }
        if (header.size() < CSV_REQUIRED)
        {
            Fail("column '" + CSV_COLUMNS[header.size()] + "' missing, expected the header " +
                 CSV_HEADER);
        }
        const int startUnit = header[3] == START_US ? 6 : 3;
        form += named ? ",name,after" : "";
        const std::size_t columns = header.size() + (named ? GRAPH_COLUMNS.size() : 0);
        std::string text;
        while (Next(text))
        {
            const auto fields = SplitAtCommas(text);
            CheckFieldCount(fields.size(), columns, form);
            FlowSpec flow;
            flow.src = ParseHost(fields[0], "src");
            flow.dst = ParseHost(fields[1], "dst");
            flow.sizeBytes = ParseUnsigned(fields[2], "bytes", MAX_FLOW_BYTES);
            flow.startPs = ParsePs(fields[3], header[3].c_str(), startUnit, false);
            const auto read = [&](std::size_t i, auto& value, uint64_t most) {
                if (header.size() > i)
                {
                    value = static_cast<std::decay_t<decltype(value)>>(
                        ParseUnsigned(fields[i], CSV_COLUMNS[i].c_str(), most));
                }
            };
            read(4, flow.trafficClass, 7);
            read(5, flow.srcPort, 65535);
            read(6, flow.tag, 255);
            read(7, flow.phase, MAX_COUNT);
            read(8, flow.connection, UINT32_MAX);
            flow.law = header.size() > 9 ? FindLaw(fields[9]) : 0;
            Add(flow);
            if (named)
            {
                AddPlace(fields[columns - 2], fields[columns - 1]);
            }
        }
        ResolveNames();
        if (m_list.flows.empty())
        {
            Fail("no flow after the header, expected at least one");
        }
    }

    void ReadHpcc(uint64_t count)
    {
        const unsigned countLine = GetLine();
        if (count == 0)
        {
            Fail("number of flows is 0, expected at least one");
        }
        FlowColumns columns;
        PacketListGuess guess;
        std::string text;
        while (m_list.flows.size() < count && Next(text))
        {
            const auto fields = SplitAtBlanks(text);
            columns = m_list.flows.empty() ? FlowColumns::Find(GetPath(), fields) : columns;
            CheckFieldCount(fields.size(), columns.count, columns.form);
            guess.Look(fields);
            if (guess.IsPackets() && PacketListGuess::IsNoFlow(fields))
            {
                Fail(PacketListGuess::MESSAGE);
            }
            AddHpcc(fields, columns);
        }
        if (m_list.flows.size() < count)
        {
            throw InputError(GetPath(),
                             countLine,
                             "number of flows is " + std::to_string(count) + ", expected " +
                                 std::to_string(m_list.flows.size()) + " as the list has");
        }
        if (guess.IsPackets())
        {
            throw InputError(GetPath(), countLine, PacketListGuess::MESSAGE);
        }
        if (!columns.note.empty())
        {
            m_list.notes.push_back(columns.note);
        }
        CheckWhatFollows(count, columns);
    }

    void AddHpcc(const std::vector<std::string>& fields, const FlowColumns& columns)
    {
        FlowSpec flow;
        flow.src = ParseHost(fields[columns.src], "src");
        flow.dst = ParseHost(fields[columns.dst], "dst");
        flow.trafficClass =
            static_cast<uint8_t>(ParseUnsigned(fields[columns.pg], "pg (class)", 7));
        if (columns.dport != FlowColumns::NONE)
        {
            flow.tag =
                ParseUnsigned(fields[columns.dport], "dport", 65535) == HPCC_INCAST_DPORT ? 1 : 0;
        }
        flow.sizeBytes = ParseUnsigned(fields[columns.size], "size", MAX_FLOW_BYTES);
        flow.startPs = ParsePs(fields[columns.start], "start_seconds", 12, true);
        Add(flow);
    }

    /// Text may follow, which is not read. If it is one more flow, the count may be wrong.
    void CheckWhatFollows(uint64_t count, const FlowColumns& columns)
    {
        try
        {
            std::string text;
            const auto fields = Next(text) ? SplitAtBlanks(text) : std::vector<std::string>{};
            if (fields.size() == columns.count && AllDigits(fields[columns.src]) &&
                AllDigits(fields[columns.dst]) && AllDigits(fields[columns.size]))
            {
                m_list.notes.push_back("line " + std::to_string(GetLine()) +
                                       " has one more flow, but the first line says " +
                                       std::to_string(count) + "; what follows them is not read");
            }
        }
        catch (const InputError&)
        {
            // No text: it is not read either.
        }
    }

    uint32_t m_nHosts;
    const std::vector<uint32_t>* m_nicOfNode{nullptr}; //!< or null: hosts are NICs
    int64_t m_latestPs{0};
    FlowList m_list;
    std::vector<Place> m_places; //!< by position in the file; empty: a list without names
    std::map<std::string, unsigned> m_lineOfName;
    std::map<std::string, std::size_t> m_numberOfLaw; //!< by the text of column cc
};

} // namespace

std::string
FlowList::FullLaw(const std::string& what, const std::string& text)
{
    const bool isFull = text.compare(0, 5, "ns3::") == 0;
    const std::string name = (isFull ? "" : "ns3::") + text.substr(0, text.find('['));
    TypeId tid;
    if (TypeId::LookupByNameFailSafe(name, &tid) && IsTcpLaw(tid))
    {
        return ValueCheck::Factory(what, (isFull ? "" : "ns3::") + text, tid.GetParent());
    }
    if (name.compare(0, 8, "ns3::Tcp") == 0)
    {
        throw InputError(what + " is '" + text + "', expected one of: " +
                         ValueCheck::KnownTypes(TcpCongestionOps::GetTypeId()) + ", " +
                         TcpCubic::GetTypeId().GetName());
    }
    return ValueCheck::Factory(what,
                               text == "none" ? "LineRate" : text,
                               CongestionControl::GetTypeId());
}

bool
FlowList::IsTcpLaw(const TypeId& law)
{
    // By its TypeId, ns-3's TcpCubic is no TcpCongestionOps.
    return law.IsChildOf(TcpCongestionOps::GetTypeId()) || law == TcpCubic::GetTypeId();
}

FlowList
FlowList::Read(const std::string& path, uint32_t nHosts)
{
    if (nHosts < 2)
    {
        throw InputError("flow list " + path + " for " + std::to_string(nHosts) +
                         " hosts, expected at least 2");
    }
    return Reader(path, nHosts).Read();
}

FlowList
FlowList::Read(const std::string& path, const std::vector<uint32_t>& nicOfNode)
{
    return Reader(path, nicOfNode).Read();
}

} // namespace ns3::roce
