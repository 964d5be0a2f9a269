// SPDX-License-Identifier: GPL-2.0-only
// Which ports of two fat-trees mark with each choice of EcnMarker::Ports.
#include "roce-test-network.h"

#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-fat-tree-helper.h"

#include <set>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

struct PortSetTest : SystemTest
{
};

/// @return what a station is: edge, agg, core, border or host
std::string
KindOf(const Station* station)
{
    const auto* sw = dynamic_cast<const Switch*>(station);
    if (!sw)
    {
        return "host";
    }
    const std::string name = sw->GetName(); // such as dc0-edge3
    const std::size_t begin = name.find('-') + 1;
    return name.substr(begin, name.find_first_of("0123456789", begin) - begin);
}

/// @return the kinds of ports that mark, and of those that do not, such as core>border
std::pair<std::set<std::string>, std::set<std::string>>
MarkingPorts(const char* choice)
{
    Config::SetDefault("ns3::roce::EcnMarker::Ports", StringValue(choice));
    FatTreeHelper h;
    h.k = 4;
    h.wanDelay = MicroSeconds(20);
    Network net;
    h.Construct(net);
    net.Build();
    std::pair<std::set<std::string>, std::set<std::string>> kinds;
    for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
    {
        const Switch& sw = *net.GetSwitch(s);
        const auto* marker = sw.FindStage<EcnMarker>();
        for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
        {
            const std::string kind =
                KindOf(&sw) + ">" + KindOf(sw.GetPort(p)->GetPeer()->GetOwner());
            (marker->GetCurve(p).CanMark() ? kinds.first : kinds.second).insert(kind);
        }
    }
    Simulator::Destroy();
    return kinds;
}

} // namespace

TEST_F(PortSetTest, EcnMarkersMarkAtTheChosenPortsOnly)
{
    const std::set<std::string> host = {"edge>host"};
    const std::set<std::string> inner = {"edge>agg", "agg>edge", "agg>core", "core>agg"};
    const std::set<std::string> atBorder = {"core>border", "border>core"};
    const std::set<std::string> wan = {"border>border"};
    using Sets = std::vector<std::set<std::string>>;
    const std::pair<const char*, Sets> choices[] = {{"all", {host, inner, atBorder, wan}},
                                                    {"host", {host}},
                                                    {"fabric", {inner, atBorder}},
                                                    {"wan", {wan}},
                                                    {"noWan", {host, inner, atBorder}},
                                                    {"noBorder", {host, inner}}};
    for (const auto& [choice, sets] : choices)
    {
        std::set<std::string> expected;
        for (const auto& set : sets)
        {
            expected.insert(set.begin(), set.end());
        }
        const auto& [marking, others] = MarkingPorts(choice);
        EXPECT_EQ(marking, expected) << choice;
        EXPECT_EQ(marking.size() + others.size(), 8u) << choice; // no kind in both
    }
}
