// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WRCC_NETWORK_H
#define ROCE_WRCC_NETWORK_H

#include "roce-test-network.h"

#include "ns3/roce-wrcc-fair-rate.h"
#include "ns3/roce-wrcc-header.h"
#include "ns3/roce-wrcc.h"

#include <map>
#include <string>
#include <vector>

namespace ns3::roce::test
{

/// Networks whose NICs use Wrcc.
struct WrccTest : SystemTest
{
    void SetUp() override
    {
        SystemTest::SetUp();
        SetRateLaw("Wrcc");
        Config::SetDefault("ns3::roce::Nic::PathMtu", UintegerValue(1024));
    }

    /// The default of an attribute of the stage, or of the law.
    static void Set(const std::string& attribute, const std::string& value)
    {
        Config::SetDefault("ns3::roce::" + attribute, StringValue(value));
    }

    static void SetEager(bool eager)
    {
        Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
        Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
    }

    static Network::Options Options()
    {
        Network::Options options;
        options.ecn = false;
        options.stages.emplace_back("ns3::roce::WrccFairRate");
        return options;
    }

    static void Build(Network& net)
    {
        net.Build(Options());
        net.AssignStreams(1);
    }

    /**
     * A ToR and an external switch in each of two datacenters, 400 Gbit/s between them, hosts of
     * 100 Gbit/s. NICs are numbered from the first datacenter on; switches: ToR, ToR, external,
     * external.
     */
    static void MakeTwoDatacenters(Network& net, uint32_t near, uint32_t far, int64_t wanPs)
    {
        const uint32_t tors[] = {net.AddSwitch("a", 0), net.AddSwitch("b", 1)};
        const uint32_t dcis[] = {net.AddSwitch("A", 0), net.AddSwitch("B", 1)};
        const auto [portA, portB] = net.Connect(dcis[0], dcis[1], 400 * G, wanPs);
        SharedBuffer::PortConfig deep;
        deep.ownPoolBytes = 250'000'000;
        net.GetSwitch(dcis[0])->SetPortBuffer(portA, deep);
        net.GetSwitch(dcis[1])->SetPortBuffer(portB, deep);
        for (unsigned d : {0, 1})
        {
            net.Connect(tors[d], dcis[d], 400 * G, US);
        }
        for (uint32_t i = 0; i < near + far; ++i)
        {
            const unsigned d = i >= near;
            net.AddNic(net.AddHost("h" + std::to_string(i), d), tors[d], 100 * G, US);
        }
    }

    static WrccFairRate& StageOf(const Network& net, uint32_t sw = 0)
    {
        return *net.GetSwitch(sw)->FindStage<WrccFairRate>();
    }

    static uint64_t Counted(const Network& net, const std::string& name)
    {
        return net.GetCounters().at(name);
    }
};

/// Payload that each NIC has sent which has arrived at another one.
class Arrivals
{
  public:
    Arrivals(Network& net, uint32_t at)
    {
        net.GetNic(at)->TraceConnectWithoutContext(
            "RxEnd",
            Callback<void, const Frame&, Time>([this](const Frame& f, Time) {
                if (f.kind == FrameKind::DATA)
                {
                    m_bytes[f.src] += f.payloadBytes;
                }
            }));
    }

    /// Forget what has arrived so far.
    void Clear()
    {
        m_bytes.clear();
    }

    /// @return Gbit/s of a sender
    double Gbps(uint32_t src, int64_t overPs) const
    {
        const auto found = m_bytes.find(src);
        return found == m_bytes.end()
                   ? 0
                   : static_cast<double>(found->second) * 8e3 / static_cast<double>(overPs);
    }

    /// @return Jain's index of those who have sent something
    double Jain() const
    {
        double sum = 0;
        double squares = 0;
        for (const auto& [src, bytes] : m_bytes)
        {
            sum += static_cast<double>(bytes);
            squares += static_cast<double>(bytes) * static_cast<double>(bytes);
        }
        return sum * sum / (static_cast<double>(m_bytes.size()) * squares);
    }

    /// @return Gbit/s of all
    double TotalGbps(int64_t overPs) const
    {
        double sum = 0;
        for (const auto& [src, bytes] : m_bytes)
        {
            sum += static_cast<double>(bytes) * 8e3 / static_cast<double>(overPs);
        }
        return sum;
    }

  private:
    std::map<uint32_t, uint64_t> m_bytes;
};

} // namespace ns3::roce::test

#endif /* ROCE_WRCC_NETWORK_H */
