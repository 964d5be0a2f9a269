// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/config.h"
#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;

/**
 * @defgroup roce-tests Tests of the roce module
 * @ingroup tests
 *
 * What can be checked inside an ns-3 tree in a second. The module's full test suite is the one of
 * its own repository.
 */

/**
 * @ingroup roce-tests
 * @brief Flows through two datacenters: all finish, nothing is lost, a lone one takes exactly the
 * ideal time.
 */
class RoceEndToEndTestCase : public TestCase
{
  public:
    /**
     * @param cc rate law, TypeId name
     * @param senders number of senders to one receiver across the WAN; 1 checks the exact time
     */
    RoceEndToEndTestCase(const std::string& cc, uint32_t senders)
        : TestCase(cc + ", " + std::to_string(senders) + " senders"),
          m_cc(cc),
          m_senders(senders)
    {
    }

  private:
    void DoRun() override
    {
        if (Time::GetResolution() != Time::PS)
        {
            Time::SetResolution(Time::PS); // once: ns-3 forgets how to convert after the first run
        }
        Config::SetDefault("ns3::roce::Nic::CongestionControl", StringValue(m_cc));
        LeafSpineHelper topology;
        Network network;
        topology.Construct(network);
        network.Build();
        network.AssignStreams(1);
        std::vector<FlowSpec> flows;
        for (uint32_t i = 0; i < m_senders; ++i)
        {
            FlowSpec flow;
            flow.id = i;
            flow.src = i;
            flow.dst = topology.GetNicsPerDatacenter();
            flow.sizeBytes = 200000;
            flows.push_back(flow);
        }
        network.InstallFlows(flows);
        uint64_t finished = 0;
        int64_t fctPs = 0;
        const Callback<void, const MessageRecord&> sink([&](const MessageRecord& record) {
            ++finished;
            fctPs = record.completedPs - record.postedPs;
        });
        for (uint32_t i = 0; i < m_senders; ++i)
        {
            network.GetNic(i)->TraceConnectWithoutContext("MessageCompleted", sink);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(finished, m_senders, "flows must finish");
        NS_TEST_EXPECT_MSG_EQ(network.Audit(true), "", "counters must agree and be zero");
        NS_TEST_EXPECT_MSG_EQ(FramePool::Outstanding(), 0, "frames must be given back");
        if (m_senders == 1)
        {
            NS_TEST_EXPECT_MSG_EQ(fctPs,
                                  network.GetIdeal(flows[0]).senderFctPs,
                                  "an empty network takes the ideal time");
        }
        Simulator::Destroy();
        Config::Reset();
    }

    std::string m_cc;
    uint32_t m_senders;
};

/**
 * @ingroup roce-tests
 * @brief The roce test suite.
 */
class RoceTestSuite : public TestSuite
{
  public:
    RoceTestSuite()
        : TestSuite("roce")
    {
        AddTestCase(new RoceEndToEndTestCase("ns3::roce::LineRate", 1));
        AddTestCase(new RoceEndToEndTestCase("ns3::roce::Dcqcn", 1));
        AddTestCase(new RoceEndToEndTestCase("ns3::roce::Dcqcn", 16));
        for (const char* law : {"DcqcnPlus",
                                "Hpcc",
                                "Timely",
                                "Swift",
                                "PowerTcp",
                                "Dctcp",
                                "UnoCc",
                                "Gemini",
                                "MpRdma",
                                "Bbr"})
        {
            AddTestCase(new RoceEndToEndTestCase(std::string("ns3::roce::") + law, 16));
        }
    }
};

static RoceTestSuite g_roceTestSuite; //!< registers itself
