// SPDX-License-Identifier: GPL-2.0-only
#include "roce-result-parts.h"

#include "roce-port-names.h"

#include "ns3/global-value.h"
#include "ns3/node.h"
#include "ns3/roce-input-file.h"
#include "ns3/roce-network.h"
#include "ns3/roce-rank-job.h"
#include "ns3/roce-sha256.h"
#include "ns3/roce-value-check.h"
#include "ns3/roce-version.h"
#include "ns3/string.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace ns3::roce
{

namespace
{

/// @return the GNU build id among the notes of a program or library; empty if there is none
std::string
FindBuildId(const dl_phdr_info& object)
{
    for (int i = 0; i < object.dlpi_phnum; ++i)
    {
        const ElfW(Phdr)& segment = object.dlpi_phdr[i];
        if (segment.p_type != PT_NOTE)
        {
            continue;
        }
        const char* at = reinterpret_cast<const char*>(object.dlpi_addr + segment.p_vaddr);
        const char* const end = at + segment.p_memsz;
        const auto padded = [](std::size_t bytes) { return (bytes + 3) & ~std::size_t{3}; };
        while (at + sizeof(ElfW(Nhdr)) <= end)
        {
            ElfW(Nhdr) note;
            std::memcpy(&note, at, sizeof(note));
            const char* const name = at + sizeof(note);
            const char* const id = name + padded(note.n_namesz);
            if (id + note.n_descsz > end)
            {
                break;
            }
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
                std::memcmp(name, "GNU", 4) == 0)
            {
                return Sha256().Add(id, note.n_descsz).Finish();
            }
            at = id + padded(note.n_descsz);
        }
    }
    return "";
}

/// What is loaded: the program, and ns-3's libraries.
void
VisitBuild(const PartDigest::Visitor& visit)
{
    visit("ns-3-roce", MODULE_VERSION);
    visit("commit", GetCommit());
    std::map<std::string, std::string> ids;
    const auto add = [](dl_phdr_info* object, std::size_t, void* data) {
        const std::string path = object->dlpi_name;
        const std::string name = path.substr(path.find_last_of('/') + 1);
        if (path.empty() || name.compare(0, 6, "libns3") == 0)
        {
            (*static_cast<std::map<std::string, std::string>*>(
                data))[path.empty() ? "program" : name] = FindBuildId(*object);
        }
        return 0;
    };
    dl_iterate_phdr(add, &ids);
    for (const auto& [name, id] : ids)
    {
        visit(name, id);
    }
}

void
VisitGlobals(const PartDigest::Visitor& visit)
{
    std::map<std::string, std::string> values;
    for (auto global = GlobalValue::Begin(); global != GlobalValue::End(); ++global)
    {
        StringValue value;
        (*global)->GetValue(value);
        values[(*global)->GetName()] = value.Get();
    }
    for (const auto& [name, value] : values)
    {
        visit(name, value);
    }
}

void
VisitAttributes(const nlohmann::ordered_json& values, const PartDigest::Visitor& visit)
{
    for (const auto& [name, value] : ValueCheck::GetChangedAttributes())
    {
        visit(name, value);
    }
    for (const auto& [role, objects] : values.items())
    {
        for (const auto& object : objects)
        {
            visit(role, object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
        }
    }
}

void
VisitTopology(const Network& network, const PartDigest::Visitor& visit)
{
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        visit(network.GetNicName(n), "datacenter " + std::to_string(network.GetDatacenter(n)));
    }
    const PortNames names(network);
    for (uint32_t l = 0; l < network.GetNLinks(); ++l)
    {
        const Link& link = network.GetLink(l);
        std::string ends[2];
        std::string value = std::to_string(link.GetDelayPs()) + " ps";
        for (const unsigned end : {0, 1})
        {
            const Port& port = *link.PeekPort(end);
            ends[end] =
                names.GetPort(port.GetNode()->GetId(), static_cast<uint16_t>(port.GetIfIndex()));
            value += ", " + std::to_string(port.GetRateBps()) + " bit/s";
        }
        visit(ends[0] + "/" + ends[1], value);
    }
}

void
VisitFlows(const std::vector<FlowSpec>& flows, const PartDigest::Visitor& visit)
{
    for (const FlowSpec& flow : flows)
    {
        std::string value = std::to_string(flow.src) + " to " + std::to_string(flow.dst) + ", " +
                            std::to_string(flow.sizeBytes) + " B at " +
                            std::to_string(flow.startPs) + " ps";
        for (const uint32_t field : {uint32_t{flow.trafficClass},
                                     uint32_t{flow.srcPort},
                                     uint32_t{flow.tag},
                                     uint32_t{flow.replyPort},
                                     flow.phase,
                                     flow.rank,
                                     flow.op})
        {
            value += " " + std::to_string(field);
        }
        if (flow.connection)
        {
            value += " connection " + std::to_string(flow.connection);
        }
        if (flow.dependencies)
        {
            value += " key " + std::to_string(flow.dependencies->key) + " after";
            for (const uint32_t key : flow.dependencies->after)
            {
                value += " " + std::to_string(key);
            }
        }
        visit("flow " + std::to_string(flow.id), value);
    }
}

/// What the ranks of jobs do: its files are not all options.
void
VisitPrograms(const std::vector<FlowSpec>& flows, const PartDigest::Visitor& visit)
{
    std::vector<const RankJob*> seen;
    for (const FlowSpec& flow : flows)
    {
        if (flow.job && std::find(seen.begin(), seen.end(), flow.job.get()) == seen.end())
        {
            seen.push_back(flow.job.get());
            visit("program " + std::to_string(seen.size()), flow.job->program.GetDigest());
        }
    }
}

/// Options that matter, with what is in the files that they name.
std::map<std::string, std::string>
ReplaceFiles(std::map<std::string, std::string> options, const std::set<std::string>& watching)
{
    for (const std::string& name : watching)
    {
        options.erase(name);
    }
    for (const InputFile::Opened& input : InputFile::GetOpened())
    {
        for (auto& [name, value] : options)
        {
            if (value == input.path && input.digest)
            {
                value = "a file, SHA-256 " + input.digest->sha256;
            }
        }
    }
    return options;
}

} // namespace

ResultParts::ResultParts(const std::map<std::string, std::string>& options,
                         const std::set<std::string>& watching,
                         const Network& network,
                         const std::vector<FlowSpec>& flows,
                         const std::shared_ptr<const nlohmann::ordered_json>& values)
{
    const auto mattering = ReplaceFiles(options, watching);
    m_parts.emplace_back("build", VisitBuild);
    m_parts.emplace_back("globals", VisitGlobals);
    m_parts.emplace_back("attributes", [values](const PartDigest::Visitor& visit) {
        VisitAttributes(*values, visit);
    });
    m_parts.emplace_back("topology", [&network](const PartDigest::Visitor& visit) {
        VisitTopology(network, visit);
    });
    m_parts.emplace_back("flows", [&flows](const PartDigest::Visitor& visit) {
        VisitFlows(flows, visit);
        VisitPrograms(flows, visit);
    });
    // The last: for another file, a difference in its effects says more than one of its hash.
    m_parts.emplace_back("options", [mattering](const PartDigest::Visitor& visit) {
        for (const auto& [name, value] : mattering)
        {
            visit("--" + name, value);
        }
    });
}

nlohmann::ordered_json
ResultParts::MakeJson() const
{
    Sha256 hash;
    nlohmann::ordered_json parts;
    for (const PartDigest& part : m_parts)
    {
        hash.AddText(part.name).AddText(part.sha256);
        parts[part.name] = part.sha256;
    }
    return {{"digest", hash.Finish()}, {"parts", parts}};
}

} // namespace ns3::roce
