// SPDX-License-Identifier: GPL-2.0-only
#include "roce-law-options.h"

#include "roce-transport-options.h"

#include "ns3/object-factory.h"
#include "ns3/roce-congestion-control.h"
#include "ns3/roce-flow-list.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-tcp-flows.h"
#include "ns3/roce-text-form.h"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

namespace ns3::roce
{

namespace
{

/// One entry of ccOf.
struct Rule
{
    std::string text; //!< for messages
    std::string what; //!< class, nic or tag
    uint64_t from;
    uint64_t to;
    std::string law; //!< ObjectFactory's text form
    bool isUsed;

    bool Fits(const FlowSpec& flow) const
    {
        const uint64_t value = what == "class" ? flow.trafficClass
                               : what == "nic" ? flow.src
                                               : flow.tag;
        return from <= value && value <= to;
    }
};

std::vector<Rule>
ParseRules(const std::string& text, uint32_t nNics)
{
    static const TextForm form("(class|nic|tag)([0-9]{1,9})(-([0-9]{1,9}))?:(.+)");
    const std::map<std::string, uint64_t> most{{"class", N_CLASSES - 1},
                                               {"nic", nNics - 1},
                                               {"tag", UINT8_MAX}};
    std::vector<Rule> rules;
    for (const std::string& item : TransportOptions::SplitOutsideBrackets(text))
    {
        const std::vector<std::string> match = form.Match(item);
        if (match.empty())
        {
            throw InputError("--ccOf has '" + item +
                             "', expected SELECTOR:LAW with classN, nicN or tagN, or a range of "
                             "them, for example class4:Swift or nic0-3:FixedRate[Rate=5Gbps]");
        }
        Rule rule{item, match[1], std::stoull(match[2]), 0, "", false};
        rule.to = match[4].empty() ? rule.from : std::stoull(match[4]);
        if (rule.to < rule.from || rule.to > most.at(rule.what))
        {
            throw InputError("--ccOf has '" + item + "', expected " + rule.what + " 0 to " +
                             std::to_string(most.at(rule.what)));
        }
        rule.law = FlowList::FullLaw("--ccOf: rate law", match[5]);
        rules.push_back(rule);
    }
    return rules;
}

/// Laws that flows have, by their text.
class Laws
{
  public:
    /// @param tcp [out] laws of TCP
    Laws(Network& network, std::vector<ObjectFactory>& tcp)
        : m_network(network),
          m_tcp(tcp)
    {
    }

    /// @return number of a law. @param flow that has it
    uint8_t Find(const std::string& text, const FlowSpec& flow)
    {
        const auto [found, isNew] = m_laws.try_emplace(text);
        Law& law = found->second;
        if (isNew)
        {
            ObjectFactory factory;
            std::istringstream(text) >> factory;
            const bool isTcp = FlowList::IsTcpLaw(factory.GetTypeId());
            const std::size_t number =
                isTcp ? TcpFlows::FIRST_LAW + m_tcp.size() : m_network.AddLaw(factory);
            if (number > UINT8_MAX || (number >= TcpFlows::FIRST_LAW) != isTcp)
            {
                throw InputError("one more rate law of flows, " + text +
                                 ", expected at most 127 of RDMA and 128 of TCP");
            }
            law.number = static_cast<uint8_t>(number);
            if (isTcp)
            {
                m_tcp.push_back(factory);
                law.isChecked = {true, true};
            }
        }
        // What suits a path within a datacenter may starve on one between two.
        bool& isChecked =
            law.isChecked[m_network.GetDatacenter(flow.src) != m_network.GetDatacenter(flow.dst)];
        if (!isChecked)
        {
            isChecked = true;
            Check(text, law.number, flow);
        }
        return law.number;
    }

    std::vector<std::string> warnings;

  private:
    struct Law
    {
        uint8_t number{0};
        std::array<bool, 2> isChecked{}; //!< within and between datacenters
    };

    /// @throw InputError for values that are good each by itself, but do not go together
    void Check(const std::string& text, uint8_t number, const FlowSpec& flow)
    {
        const PathInfo path = m_network.GetPath(flow.src, flow.dst, 0, flow.trafficClass, number);
        const Ptr<CongestionControl> law =
            m_network.GetNic(flow.src)->GetProfile(path.interDc, number)->GetLaw()->Fork();
        law->Start(path, 0);
        if (const std::string warning = law->GetWarning(); !warning.empty())
        {
            warnings.push_back(text + ": " + warning);
        }
    }

    Network& m_network;
    std::vector<ObjectFactory>& m_tcp;
    std::map<std::string, Law> m_laws; //!< by their text
};

} // namespace

void
LawOptions::AddOptions(OptionTable& table)
{
    table.AddValue("ccOf",
                   "Other rate laws than --cc for some flows, with commas between: classN, nicN "
                   "(sender) or tagN, or a range of them, and a law, for example "
                   "class4:Swift,nic0-3:FixedRate[Rate=5Gbps]; the first that fits counts. With a "
                   "law of ns-3's TCP, such as tag1:TcpCubic, they are TCP connections",
                   ccOf);
    table
        .AddOptional("tcpClass",
                     "Traffic class of TCP flows; or flow, each its own",
                     tcpClass,
                     "flow",
                     Range::Within(0, N_CLASSES - 1))
        .Replaces("ns3::roce::RoceNetDevice::Classes")
        .UnusedIf([this] { return tcpLaws.empty(); }, "without TCP flows");
}

std::vector<std::string>
LawOptions::Apply(Network& network,
                  const std::vector<std::string>& listed,
                  std::vector<FlowSpec>& flows)
{
    std::vector<Rule> rules = ParseRules(ccOf, network.GetNNics());
    tcpLaws.clear();
    Laws laws(network, tcpLaws);
    for (FlowSpec& flow : flows)
    {
        const auto rule = std::find_if(rules.begin(), rules.end(), [&flow](const Rule& r) {
            return r.Fits(flow);
        });
        if (flow.law)
        {
            flow.law = laws.Find(listed.at(flow.law - 1), flow);
        }
        else if (rule != rules.end())
        {
            flow.law = laws.Find(rule->law, flow);
            rule->isUsed = true;
        }
        if (TcpFlows::IsTcp(flow))
        {
            flow.trafficClass = static_cast<uint8_t>(tcpClass.value_or(flow.trafficClass));
        }
    }
    for (const Rule& rule : rules)
    {
        if (!rule.isUsed)
        {
            laws.warnings.push_back("--ccOf has '" + rule.text + "', which no flow needs");
        }
    }
    return laws.warnings;
}

void
LawOptions::RefuseTcp(const std::string& option) const
{
    if (!tcpLaws.empty())
    {
        throw InputError(option + " with flows of TCP (--ccOf or column cc), expected none");
    }
}

} // namespace ns3::roce
