// SPDX-License-Identifier: GPL-2.0-only
// Routes of all switches are the shortest paths, rack by rack, on random networks with twins,
// parallel links, and links that fail in one direction or both.
#include "roce-test-network.h"

#include "ns3/roce-fat-tree-helper.h"
#include "ns3/roce-input-error.h"

#include <map>
#include <queue>
#include <random>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Whether what a port sends arrives.
bool
Sends(const Port& port)
{
    return !port.GetLink()->GetDirection(port.GetEnd()).down;
}

/// Links from each switch to one of them, by ports, one search for each rack.
std::map<const Station*, uint32_t>
Distances(const Station* root)
{
    std::map<const Station*, uint32_t> distances{{root, 0}};
    std::queue<const Station*> next;
    for (next.push(root); !next.empty(); next.pop())
    {
        const auto* sw = dynamic_cast<const Switch*>(next.front());
        for (uint16_t p = 0; p < sw->GetNPorts(); ++p)
        {
            const Port* peer = sw->PeekPort(p)->GetPeer();
            if (dynamic_cast<const Switch*>(peer->GetOwner()) && Sends(*peer) &&
                distances.try_emplace(peer->GetOwner(), distances[sw] + 1).second)
            {
                next.push(peer->GetOwner());
            }
        }
    }
    return distances;
}

void
ExpectShortestPaths(const Network& net, const std::string& what)
{
    for (uint32_t nic = 0; nic < net.GetNNics(); ++nic)
    {
        const Station* root = net.GetNic(nic)->GetPeer()->GetOwner();
        const auto distances = Distances(root);
        for (uint32_t s = 0; s < net.GetNSwitches(); ++s)
        {
            const Ptr<Switch> sw = net.GetSwitch(s);
            std::vector<uint16_t> ports;
            for (uint16_t p = 0; p < sw->GetNPorts(); ++p)
            {
                const auto own = distances.find(PeekPointer(sw));
                const auto next = distances.find(sw->PeekPort(p)->GetPeer()->GetOwner());
                if (own != distances.end() && next != distances.end() &&
                    next->second + 1 == own->second && Sends(*sw->PeekPort(p)))
                {
                    ports.push_back(p);
                }
            }
            if (PeekPointer(sw) != root)
            {
                EXPECT_EQ(sw->GetRouting().GetGroup(net.GetRack(nic)), ports)
                    << what << ", from " << sw->GetName() << " to NIC " << nic;
            }
        }
    }
}

} // namespace

class RandomRoutes : public SystemTest, public ::testing::WithParamInterface<unsigned>
{
};

TEST_P(RandomRoutes, AreShortestPathsBeforeAndAfterFailures)
{
    std::mt19937 rng(GetParam());
    const auto draw = [&rng](uint32_t n) { return static_cast<uint32_t>(rng() % n); };
    Network net;
    const uint32_t n = 3 + draw(8);
    for (uint32_t s = 0; s < n; ++s)
    {
        net.AddSwitch("s" + std::to_string(s), 0);
        // A tree, so that there is a path from each to each; few parents, so that there are twins.
        if (s > 0)
        {
            net.Connect(s, draw(std::min(s, 3U)), 100 * G, US);
        }
    }
    for (uint32_t more = draw(2 * n); more > 0; --more)
    {
        const uint32_t a = draw(n);
        net.Connect(a, (a + 1 + draw(n - 1)) % n, 100 * G, US);
    }
    const uint32_t links = net.GetNLinks();
    for (uint32_t s = 0; s < n; ++s)
    {
        for (uint32_t nics = s < 2 ? 1 : draw(3); nics > 0; --nics)
        {
            net.AddNic(net.AddHost("h", 0), s, 100 * G, US);
        }
    }
    net.Build();
    ExpectShortestPaths(net, "intact");
    net.SetReroute(0);
    for (int change = 1; change <= 8; ++change)
    {
        const uint32_t link = draw(links);
        const auto directions = static_cast<Link::Directions>(1 + draw(3));
        net.ScheduleLinkChange(change * 10 * US, link, draw(4) == 0, directions);
        Simulator::Schedule(TimeStep(change * 10 * US + US), [&net, change] {
            ExpectShortestPaths(net, "after " + std::to_string(change) + " changes");
        });
    }
    Simulator::Run();
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRoutes, ::testing::Range(1u, 61u));

TEST_F(SystemTest, RoutesOfAFatTreeWithTwoDatacenters)
{
    Network net;
    FatTreeHelper h;
    h.k = 4;
    h.Construct(net);
    net.Build();
    ExpectShortestPaths(net, "4-ary");
}

TEST_F(SystemTest, RackWithoutAPathIsNamed)
{
    Network net;
    for (const char* name : {"a", "b", "c", "d"})
    {
        net.AddSwitch(name, 0);
    }
    net.Connect(0u, 1u, 100 * G, US);
    net.Connect(2u, 3u, 100 * G, US);
    net.AddNic(net.AddHost("h0", 0), 0, 100 * G, US);
    net.AddNic(net.AddHost("h2", 0), 2, 100 * G, US);
    try
    {
        net.Build();
        FAIL();
    }
    catch (const InputError& error)
    {
        EXPECT_STREQ(error.what(), "network: no path from c to a");
    }
}
