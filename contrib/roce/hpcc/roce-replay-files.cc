// SPDX-License-Identifier: GPL-2.0-only
#include "roce-replay.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-messages.h"
#include "ns3/roce-workload.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <vector>

// What a replay reads: a topology, and flows or ranks.

namespace ns3::roce
{

void
ReplayOptions::ReadFiles(const CheckedCommandLine& cmd)
{
    if (!m_configFile.empty())
    {
        m_config = HpccConfig::Read(m_configFile, m_ignoreUnknown);
    }
    m_config.Override(m_set);
    const auto choose = [&](std::string& file, const char* key) {
        if (file.empty() && m_config.Has(key))
        {
            file = m_config.FindFile(key);
        }
        if (file.empty())
        {
            throw InputError("--" + cmd.NameFor(&file) + " is missing, expected a file (or " + key +
                             " in --config)");
        }
    };
    choose(m_topologyFile, "TOPOLOGY_FILE");
    if (m_hasFlows && !HasRanks())
    {
        choose(m_flowFile, "FLOW_FILE");
    }
    m_topology = HpccTopology::Read(m_topologyFile);
    !m_hasFlows ? AddExamples() : HasRanks() ? ReadRanks(cmd) : ReadFlows();
    if (m_topology.unreadLine)
    {
        Messages::Say("note",
                      m_topologyFile + ": line " + std::to_string(m_topology.unreadLine) +
                          " has one more link, but the first line says " +
                          std::to_string(m_topology.links.size()) +
                          "; what follows them is not read");
    }
    ChooseCc(cmd);
}

/// @return whether ranks with programs send the flows
bool
ReplayOptions::HasRanks() const
{
    return !m_ranks.goalFile.empty() || !m_ranks.jobsFile.empty() || !m_chakra.trace.empty();
}

void
ReplayOptions::ReadRanks(const CheckedCommandLine& cmd)
{
    const bool isGoal = !m_ranks.goalFile.empty();
    const bool isTrace = !m_chakra.trace.empty();
    const int given = isGoal + isTrace + !m_ranks.jobsFile.empty();
    if (given > 1 || cmd.IsGivenFor(&m_flowFile))
    {
        throw InputError("several of --flows, --goal, --trace and --jobs are given, expected one");
    }
    const uint32_t nHosts = m_topology.GetNHosts();
    m_flows.flows = isGoal    ? m_ranks.Generate(nHosts)
                    : isTrace ? m_ranks.Generate(m_chakra.Read(), nHosts)
                              : Merge(m_ranks.GenerateJobs(nHosts, 1));
    m_flows.rows.resize(m_flows.flows.size());
    std::iota(m_flows.rows.begin(), m_flows.rows.end(), 0);
}

void
ReplayOptions::ReadFlows()
{
    m_flows = FlowList::Read(m_flowFile, m_topology.nicOfNode);
    for (const std::string& note : m_flows.notes)
    {
        Messages::Say("note", m_flowFile + ": " + note);
    }
    if (m_flows.outOfOrder)
    {
        Messages::Say("note",
                      m_flowFile + ": " + std::to_string(m_flows.outOfOrder) +
                          " flows start before one that is listed earlier; they start when they "
                          "say");
    }
}

/// A flow from each host, to check the network with.
void
ReplayOptions::AddExamples()
{
    std::vector<uint32_t> nics;
    std::copy_if(m_topology.nicOfNode.begin(),
                 m_topology.nicOfNode.end(),
                 std::back_inserter(nics),
                 [](uint32_t nic) { return nic != FlowList::NO_NIC; });
    for (std::size_t host = 0; nics.size() > 1 && host < nics.size(); ++host)
    {
        FlowSpec flow;
        flow.id = host;
        flow.src = nics[host];
        flow.dst = nics[(host + 1) % nics.size()];
        m_flows.flows.push_back(flow);
    }
}

} // namespace ns3::roce
