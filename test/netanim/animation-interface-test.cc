// SPDX-License-Identifier: GPL-2.0-only
// ns-3's own AnimationInterface shows a run, and what NetAnimFile writes is the same.
#include "../system/roce-test-network.h"

#include "ns3/animation-interface.h"
#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-netanim-file.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// A packet element: nodes, and times in seconds.
struct Element
{
    std::array<double, 6> fields; //!< fId, tId, fbTx, lbTx, fbRx, lbRx

    bool operator<(const Element& other) const
    {
        return fields < other.fields;
    }
};

std::vector<Element>
Packets(const std::filesystem::path& path)
{
    std::vector<Element> packets;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);)
    {
        if (line.rfind("<p ", 0) != 0)
        {
            continue;
        }
        Element element;
        std::size_t i = 0;
        for (const char* name : {"fId", "tId", "fbTx", "lbTx", "fbRx", "lbRx"})
        {
            const std::string key = std::string(" ") + name + "=\"";
            element.fields[i++] = std::strtod(line.c_str() + line.find(key) + key.size(), nullptr);
        }
        packets.push_back(element);
    }
    return packets;
}

} // namespace

TEST(AnimationInterface, ShowsTheFramesOfARun)
{
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("roce-netanim-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(true));
    Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(true));
    {
        LeafSpineHelper topology;
        Network network;
        topology.Construct(network);
        network.Build();
        network.InstallFlows(
            Numbered({Flow(0, 9, 300000), Flow(1, 9, 300000, 2 * US), Flow(9, 30, 300000)}));
        for (const NetAnimFile::Place& place : NetAnimFile::GetLayout(network))
        {
            AnimationInterface::SetConstantPosition(NodeList::GetNode(place.node),
                                                    place.x,
                                                    place.y);
        }
        AnimationInterface theirs((folder / "theirs.xml").string());
        theirs.SetStartTime(TimeStep(5 * US));
        theirs.SetStopTime(TimeStep(40 * US));
        NetAnimFile ours(network,
                         NetAnimFile::Window::Parse("window", "5us-40us"),
                         (folder / "ours.xml").string());
        ours.Start();
        Simulator::Stop(TimeStep(5 * MS));
        Simulator::Run();
        network.CatchUp();
        ours.Finish();
        EXPECT_EQ(ours.GetLeftOut(), 0u);
    }
    std::vector<Element> theirs = Packets(folder / "theirs.xml");
    std::vector<Element> ours = Packets(folder / "ours.xml");
    // Stations with the same time act in any order; theirs are rounded to ten digits.
    std::sort(theirs.begin(), theirs.end());
    std::sort(ours.begin(), ours.end());
    ASSERT_GT(theirs.size(), 500u);
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i)
    {
        for (std::size_t field = 0; field < 6; ++field)
        {
            EXPECT_NEAR(ours[i].fields[field], theirs[i].fields[field], 2e-14) << i << " " << field;
        }
    }
    Simulator::Destroy();
    Config::Reset();
    std::filesystem::remove_all(folder);
}
