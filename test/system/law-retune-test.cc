// SPDX-License-Identifier: GPL-2.0-only
// Rate laws whose parameters change while flows run, in a network.
#include "roce-is-built.h"
#include "roce-test-network.h"

#include "ns3/object-factory.h"

#include <map>
#include <sstream>
#include <string>
#include <utility>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// A law, and other values of it.
using LawAndValues = std::pair<const char*, const char*>;

struct LawRetune : public SystemTest, public ::testing::WithParamInterface<LawAndValues>
{
    /// What becomes of the law in mid-run.
    enum class Change
    {
        NONE,
        OWN_VALUES,
        OTHER_VALUES,
    };

    /// @return completion times of three flows to one host
    std::map<uint64_t, int64_t> Run(Change change, bool eager)
    {
        SetUp();
        SetRateLaw(GetParam().first);
        Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
        Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
        Config::SetDefault("ns3::roce::EcnMarker::Kmin", UintegerValue(20000));
        Config::SetDefault("ns3::roce::EcnMarker::Kmax", UintegerValue(100000));
        Network net;
        MakeStar(net, 4);
        net.Build({});
        net.AssignStreams(1);
        Completions done(net);
        InstallIncast(net, 2000000);
        if (change != Change::NONE)
        {
            const std::string values = change == Change::OTHER_VALUES ? GetParam().second : "";
            ObjectFactory factory;
            std::istringstream("ns3::roce::" + std::string(GetParam().first) + "[" + values +
                               "]") >>
                factory;
            Simulator::Schedule(PicoSeconds(150123457), [&net, factory] {
                net.Retune(false, factory.Create<CongestionControl>());
            });
        }
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        std::map<uint64_t, int64_t> times;
        for (const auto& [flow, record] : done.sent)
        {
            times[flow] = done.FctPs(flow);
        }
        EXPECT_EQ(times.size(), 3u);
        Simulator::Destroy();
        return times;
    }
};

} // namespace

TEST_P(LawRetune, SameWhateverStationsSlack)
{
    if (!IsBuilt(GetParam().first))
    {
        GTEST_SKIP() << "a system is not built";
    }
    const auto untouched = Run(Change::NONE, false);
    EXPECT_EQ(Run(Change::OWN_VALUES, false), untouched) << "its own values have changed something";
    const auto retuned = Run(Change::OTHER_VALUES, false);
    EXPECT_NE(retuned, untouched) << GetParam().second << " has changed nothing";
    EXPECT_EQ(Run(Change::OTHER_VALUES, true), retuned) << "with Eager";
}

INSTANTIATE_TEST_SUITE_P(
    Laws,
    LawRetune,
    ::testing::Values(LawAndValues("Bbr", "MaxCwndBdp=0.5"),
                      LawAndValues("Dcqcn", "AiRate=5Gbps|TimeReset=10us"),
                      LawAndValues("DcqcnPlus", "ScanPeriod=3us|MinRate=20Gbps"),
                      LawAndValues("Dctcp", "Ai=5Gbps"),
                      LawAndValues("Gemini", "H=1e-5"),
                      LawAndValues("Hpcc", "Eta=0.5"),
                      LawAndValues("MpRdma", "Decrease=3"),
                      LawAndValues("PowerTcp", "Gamma=0.2|MinRate=10Gbps"),
                      LawAndValues("Swift", "BaseTarget=5us|CwndMax=3"),
                      LawAndValues("Timely", "TLow=100us|Delta=5Gbps|MinRate=20Gbps"),
                      LawAndValues("UnoCc", "MaxCwndBdp=0.2")),
    [](const auto& info) { return std::string(info.param.first); });
