// SPDX-License-Identifier: GPL-2.0-only
#include "roce-run-writer.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-input-file.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace ns3::roce
{

using Json = nlohmann::ordered_json;

namespace
{

/// @param ps picoseconds, not negative. @return nanoseconds, rounded half up
uint64_t
RoundToNs(int64_t ps)
{
    return static_cast<uint64_t>(ps / 1000 + (ps % 1000 >= 500 ? 1 : 0));
}

/// Makes an object of many members in their order. Json itself looks through all of them for each
/// new one: a minute for 65,536 hosts.
class ObjectMaker
{
  public:
    /// @brief Set a member. @param name of it, new or not
    void Set(const std::string& name, const std::string& value)
    {
        const auto [known, isNew] = m_known.try_emplace(name, m_members.size());
        if (isNew)
        {
            m_members.emplace_back(name, value);
        }
        else
        {
            (m_members.begin() + static_cast<std::ptrdiff_t>(known->second))->second = value;
        }
    }

    /// @return the object
    Json Take()
    {
        return std::move(m_members);
    }

  private:
    std::unordered_map<std::string, std::size_t> m_known; //!< index by name
    Json::object_t m_members;
};

/// @param group statistics. @return their JSON
Json
GroupJson(const FctGroup& group)
{
    Json json;
    json["flows"] = group.flows;
    json["finished"] = group.finished;
    json["unfinished"] = group.unfinished;
    json["packets"] = group.packets;
    json["retransmittedPackets"] = group.retransmittedPackets;
    json["deliveredBytes"] = group.deliveredBytes;
    json["slowdown"] = DistributionJson(group.slowdown, 1);
    json["fctNs"] = DistributionJson(group.fctPs, 1000);
    return json;
}

} // namespace

Json
DistributionJson(const Distribution& d, double divisor)
{
    Json json;
    const std::pair<const char*, double> fields[] = {{"mean", d.mean},
                                                     {"p50", d.p50},
                                                     {"p95", d.p95},
                                                     {"p99", d.p99},
                                                     {"p999", d.p999},
                                                     {"max", d.max}};
    for (const auto& field : fields)
    {
        json[field.first] = d.count == 0 ? Json(nullptr) : Json(field.second / divisor);
    }
    return json;
}

Json
SummaryJson(const RunSummary& summary, const FctStats& stats)
{
    const std::pair<const char*, FlowScope> scopes[] = {{"all", FlowScope::ALL},
                                                        {"intra", FlowScope::INTRA},
                                                        {"inter", FlowScope::INTER}};
    Json json;
    json["format"] = 1;
    json["configuration"] = summary.configuration;
    if (summary.valuesInForce)
    {
        json["valuesInForce"] = *summary.valuesInForce;
    }
    json["versions"] = summary.versions;
    json["seed"] = summary.seed;

    const FctGroup all = stats.Group(FlowScope::ALL);
    json["flows"]["total"] = all.flows + stats.Excluded();
    json["flows"]["excludedWarmup"] = stats.Excluded();
    json["flows"]["counted"] = all.flows;
    json["flows"]["finished"] = all.finished;
    json["flows"]["unfinished"] = all.unfinished;

    Json& statistics = json["statistics"];
    statistics["percentile"] = "nearest rank: the ceil(p*n)-th smallest of n";
    statistics["warmupNs"] = static_cast<double>(stats.GetOptions().warmupPs) / 1000;
    for (const auto& scope : scopes)
    {
        Json& entry = statistics[scope.first];
        entry = GroupJson(stats.Group(scope.second));
        entry["bins"] = Json::array();
        for (const FctBin& bin : stats.Bins(scope.second))
        {
            Json row;
            row["label"] = bin.label;
            row["lowBytes"] = bin.lowBytes;
            row["highBytes"] = bin.highBytes == UINT64_MAX ? Json(nullptr) : Json(bin.highBytes);
            row.update(GroupJson(bin.group));
            entry["bins"].push_back(row);
        }
    }
    json["counters"] = summary.counters;
    ObjectMaker nodeNames;
    for (const auto& node : summary.nodeNames)
    {
        nodeNames.Set(std::to_string(node.first), node.second);
    }
    json["nodeNames"] = nodeNames.Take();
    ObjectMaker neighbours;
    for (const auto& [port, neighbour] : summary.neighbours)
    {
        neighbours.Set(port, neighbour);
    }
    json["neighbours"] = neighbours.Take();
    json["timing"]["wallSeconds"] = summary.wallSeconds;
    json["timing"]["cpuSeconds"] = summary.cpuSeconds;
    return json;
}

RunWriter::RunWriter(const std::string& folder)
    : m_folder(folder)
{
}

RunWriter::~RunWriter() = default;

CsvFile&
RunWriter::OpenCsv(const std::string& name, const std::vector<std::string>& header)
{
    m_tables.push_back(std::make_unique<CsvFile>(m_folder.Add(name), header));
    return *m_tables.back();
}

std::string
RunWriter::AddFile(const std::string& name)
{
    return m_folder.Add(name);
}

void
RunWriter::WriteFlows(const std::vector<FlowRecord>& records)
{
    std::vector<const FlowRecord*> order;
    for (const FlowRecord& record : records)
    {
        order.push_back(&record);
    }
    std::stable_sort(order.begin(), order.end(), [](const FlowRecord* a, const FlowRecord* b) {
        return a->spec.id < b->spec.id;
    });
    CsvFile& csv = OpenCsv(FLOWS,
                           {"id",
                            "src",
                            "dst",
                            "class",
                            "tag",
                            "scope",
                            "bytes",
                            "start_ns",
                            "fct_ns",
                            "receiver_fct_ns",
                            "ideal_fct_ns",
                            "slowdown",
                            "packets",
                            "retransmitted",
                            "status"});
    for (const FlowRecord* record : order)
    {
        const FlowSpec& spec = record->spec;
        csv.Uint(spec.id).Uint(spec.src).Uint(spec.dst).Uint(spec.trafficClass).Uint(spec.tag);
        csv.Text(record->interDc ? "inter" : "intra").Uint(spec.sizeBytes);
        spec.startPs < 0 ? csv.Text("") : csv.Ns(spec.startPs);
        if (record->IsFinished())
        {
            csv.Ns(record->fctPs).Ns(record->receiverFctPs).Ns(record->idealPs);
            csv.Text(CsvFile::FormatSlowdown(record->fctPs, record->idealPs));
        }
        else
        {
            csv.Text("").Text("").Ns(record->idealPs).Text("");
        }
        csv.Uint(record->packets).Uint(record->retransmittedPackets);
        csv.Text(record->IsFinished() ? "finished" : "unfinished").EndRow();
    }
}

uint32_t
RunWriter::HpccAddress(uint32_t nodeId)
{
    if (nodeId > 0xffff)
    {
        throw InputError("fct.txt: node " + std::to_string(nodeId) +
                         " has no address in that format, expected at most 65535");
    }
    return 0x0b000001u + (nodeId / 256) * 0x00010000u + (nodeId % 256) * 0x00000100u;
}

uint32_t
RunWriter::HpccForm::AddressOf(uint32_t nic) const
{
    if (nodeIds.empty())
    {
        return HpccAddress(nic);
    }
    if (nic >= nodeIds.size())
    {
        throw InputError("fct.txt: NIC " + std::to_string(nic) + " has no node number, " +
                         std::to_string(nodeIds.size()) + " were given");
    }
    return HpccAddress(nodeIds[nic]);
}

void
RunWriter::WriteHpccFct(const std::vector<FlowRecord>& records, const HpccForm& form)
{
    std::vector<const FlowRecord*> order;
    for (const FlowRecord& record : records)
    {
        order.push_back(&record);
    }
    // Ports are given out in order of the starts, as that simulator does.
    std::stable_sort(order.begin(), order.end(), [](const FlowRecord* a, const FlowRecord* b) {
        return std::make_pair(static_cast<uint64_t>(a->spec.startPs), a->spec.id) <
               std::make_pair(static_cast<uint64_t>(b->spec.startPs), b->spec.id);
    });
    std::map<std::pair<uint32_t, uint32_t>, uint16_t> portsUsed;
    std::vector<std::pair<int64_t, std::string>> lines;
    for (const FlowRecord* record : order)
    {
        const FlowSpec& spec = record->spec;
        uint16_t& used = portsUsed[{spec.src, spec.dst}];
        const uint16_t derivedPort = static_cast<uint16_t>(10000 + used++);
        if (!record->IsFinished())
        {
            continue;
        }
        char addresses[32];
        std::snprintf(addresses,
                      sizeof(addresses),
                      "%08x %08x",
                      form.AddressOf(spec.src),
                      form.AddressOf(spec.dst));
        std::string line(addresses);
        for (uint64_t field :
             {uint64_t{spec.srcPort != 0 && !form.derivePorts ? spec.srcPort : derivedPort},
              uint64_t{spec.tag == 1 ? 200u : 100u},
              spec.sizeBytes,
              RoundToNs(spec.startPs),
              RoundToNs(record->fctPs),
              RoundToNs(record->idealPs)})
        {
            line += ' ' + std::to_string(field);
        }
        lines.emplace_back(spec.startPs + record->fctPs, line + "\n");
    }
    std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    std::string text;
    for (const auto& line : lines)
    {
        text += line.second;
    }
    WriteFile(HPCC_FCT, text);
}

void
RunWriter::WriteFile(const std::string& name, const std::string& text)
{
    BufferedFile(m_folder.Add(name)).Append(text).Close();
}

void
RunWriter::SetSummary(const Json& summary)
{
    m_summary = std::make_unique<Json>(summary);
}

void
RunWriter::Finish()
{
    if (!m_summary)
    {
        throw std::logic_error(m_folder.GetPath() +
                               ": Finish() called twice or without SetSummary()");
    }
    for (auto& table : m_tables)
    {
        table->Close();
    }
    const std::unique_ptr<Json> summary = std::move(m_summary);
    Json& inputs = (*summary)["manifest"]["inputs"];
    inputs = Json::array();
    for (const InputFile::Opened& input : InputFile::GetOpened())
    {
        inputs.push_back({{"path", input.path},
                          {"bytes", input.digest ? Json(input.digest->bytes) : Json(nullptr)},
                          {"sha256", input.digest ? Json(input.digest->sha256) : Json(nullptr)}});
    }
    m_folder.Commit(*summary);
}

} // namespace ns3::roce
