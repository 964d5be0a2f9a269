// SPDX-License-Identifier: GPL-2.0-only
// What every rate law keeps to when its parameters change while it runs: all laws of the module,
// all rows of their tables.
#include "roce-is-built.h"
#include "roce-law-world.h"

#include "ns3/roce-line-rate.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// @return what ParameterTable knows of each parameter of a law but Profile
std::vector<const ParameterInfo*>
RowsOf(const std::string& law)
{
    std::vector<const ParameterInfo*> rows;
    const TypeId tid = TypeId::LookupByName("ns3::roce::" + law);
    for (std::size_t a = 0; a < tid.GetAttributeN(); ++a)
    {
        const AttributeChecker* checker = PeekPointer(tid.GetAttribute(a).checker);
        const auto* parameter = dynamic_cast<const ParameterChecker*>(checker);
        if (parameter && parameter->GetInfo().name != "Profile")
        {
            rows.push_back(&parameter->GetInfo());
        }
    }
    return rows;
}

/// @return values that a row takes: all of a choice or flag, else some
std::vector<std::string>
ValuesOf(const std::string& law, const ParameterInfo& row)
{
    std::vector<std::string> values;
    for (const std::string& variant : VariantsOf(law))
    {
        if (variant.rfind(row.name + "=", 0) == 0)
        {
            values.push_back(variant.substr(row.name.size() + 1));
        }
    }
    if (values.empty())
    {
        std::istringstream texts("0 0.04 0.3 1 1.7 3 7 40 3000 9000000 "
                                 "100ns 30us 300us 7ms 1s 7Mbps 2Gbps 40Gbps");
        for (std::string text; texts >> text;)
        {
            if (row.Takes(text))
            {
                values.push_back(text);
            }
        }
    }
    return values;
}

std::string
ValueOf(const Ptr<CongestionControl>& law, const std::string& name)
{
    StringValue value;
    law->GetAttribute(name, value);
    return value.Get();
}

std::string
Joined(const std::string& some, const std::string& more)
{
    return some.empty() ? more : some + "|" + more;
}

/// A path inside a datacenter.
const PathInfo INTRA_PATH = [] {
    PathInfo path = PATH;
    path.interDc = false;
    return path;
}();

/// @return its variants, and attributes with which more of the others come into play
std::vector<std::string>
SituationsOf(const std::string& law)
{
    std::vector<std::string> situations = VariantsOf(law);
    const std::map<std::string, std::string> more{
        {"Bbr", "RttWindow=100us|ProbeRttDuration=10us"},
        {"Dcqcn",
         "Threshold=1|TimeReset=1us|StageRule=time|ClampTarget=always|RateOnFirstCnp=1Gbps"},
        {"Gemini", "T=0|MaxQueue=100000|RttSignal=both"},
        {"Timely", "HaiThreshold=1|HaiBelowTLow=true|TLow=300us"},
        {"UnoCc",
         "QaBeta=1|QaGuardPackets=0|QaSkipAppLimited=false|QaSkipFirst=false|"
         "GentleDelayTolerance=300us"},
    };
    const auto found = more.find(law);
    if (found != more.end())
    {
        situations.push_back(found->second);
    }
    return situations;
}

/// @return whether the row sets how long a timer runs that has run since the start: it runs on
bool
SetsRunningTimer(const std::string& law, const std::string& row)
{
    return law == "Wrcc" && (row == "T1" || row == "T1RttFactor" || row == "IncreaseMode");
}

/// @return whether the row is about what a receiver does: that is in tests of feedbacks and
/// networks
bool
IsOfReceiver(const std::string& law, const std::string& row)
{
    return row == "MinTimeBetweenCnps" || (law == "DcqcnPlus" && row == "ScanPeriod") ||
           (law == "Mlcc" && row != "InterInflightCap");
}

/// @return whether nothing a queue pair looks at differs
bool
SendAlike(const Outputs& a, const Outputs& b)
{
    return a.rateBps == b.rateBps && a.windowBytes == b.windowBytes && a.nextPs == b.nextPs;
}

/// @return whether new parameters have put a window, a rate or an average within other bounds
bool
IsBounded(const Outputs& a, const Outputs& b)
{
    bool bounded = !SendAlike(a, b);
    for (std::size_t i = 0; i < a.values.size(); ++i)
    {
        const auto is = [&](const char* what) {
            return a.names[i].find(what) != std::string::npos;
        };
        const bool hasBounds = is("cwnd") || is("window") || is("rate") || is("alpha");
        bounded = bounded || (hasBounds && a.values[i] != b.values[i]);
    }
    return bounded;
}

/// @return whether the same is sent, but for what averages computed in two steps round otherwise
bool
SendNearlyAlike(const std::vector<Outputs>& a, const std::vector<Outputs>& b)
{
    const auto near = [](uint64_t x, uint64_t y) {
        return std::abs(static_cast<double>(x) / static_cast<double>(y) - 1) < 1e-6;
    };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
        return near(x.rateBps, y.rateBps) && near(x.windowBytes, y.windowBytes) &&
               x.nextPs == y.nextPs;
    });
}

/// Names of laws with rows that are live, and of others.
std::vector<std::string>
LawsThatCanChange(bool can)
{
    std::vector<std::string> laws = ChildrenOf(CongestionControl::GetTypeId());
    const auto otherwise = [can](const std::string& law) {
        const TypeId tid = TypeId::LookupByName("ns3::roce::" + law);
        const auto rows = RowsOf(law);
        const bool live = std::any_of(rows.begin(), rows.end(), [](const ParameterInfo* row) {
            return row->isLive;
        });
        return live != can || tid.IsChildOf(ControlShim::GetTypeId());
    };
    laws.erase(std::remove_if(laws.begin(), laws.end(), otherwise), laws.end());
    return laws;
}

} // namespace

/// All laws, and shims in front of one.
class RetuneContract : public LawContract
{
  protected:
    /// @return what Retune() of a law made from this takes
    static const CongestionControl& Values(const Prototype& prototype)
    {
        const auto shim = DynamicCast<ControlShim>(prototype);
        return shim ? shim->GetLaw() : *prototype;
    }
};

/// Laws with live rows, without shims.
class LiveRowsContract : public RetuneContract
{
  protected:
    /// A law, and the same with another value of one row.
    struct Change
    {
        Prototype from;
        Prototype to;
        bool timerRuns; //!< see SetsRunningTimer()
    };

    /// @return whether the change shows. @param change one row @param path of the flow
    static bool ExpectGoodChange(const Change& change, const PathInfo& path)
    {
        const auto events = MakeEvents(8, 800, path);
        const std::vector<Event> first(events.begin(), events.begin() + 600);
        const std::vector<Event> rest(events.begin() + 600, events.end());
        const Prototype law = Started(change.from, path);
        const Prototype before = Started(change.from, path);
        const Prototype after = Started(change.to, path);
        law->Retune(*change.to, 0);
        const bool startsAlike = Outputs(*law, 0) == Outputs(*after, 0);
        // Else the row says how to start, and that is over.
        EXPECT_TRUE(startsAlike || SendAlike(Outputs(*law, 0), Outputs(*before, 0)));
        const auto shown = Play(*law, first);
        const auto expected = Play(*after, first);
        const auto unchanged = Play(*before, first);
        EXPECT_TRUE(!startsAlike || change.timerRuns || shown == expected)
            << "not as one started with this value";
        // There and back.
        const int64_t nowPs = first.back().nowPs;
        const Prototype twin = Started(change.from, path);
        Play(*twin, first);
        before->Retune(*change.to, nowPs);
        const bool bounded = IsBounded(Outputs(*before, nowPs), Outputs(*twin, nowPs));
        before->Retune(*change.from, nowPs);
        EXPECT_TRUE(bounded || SendNearlyAlike(Play(*before, rest), Play(*twin, rest)))
            << "state was lost";
        return shown != unchanged;
    }

    /// @brief All changes of one row, from a variant. @param test gets a Change
    template <typename F>
    void ForEachChange(const std::string& variant, const ParameterInfo& row, F&& test) const
    {
        const auto from = MakeObject<CongestionControl>(GetParam(), variant);
        for (const std::string& value : ValuesOf(GetParam(), row))
        {
            const std::string attributes = Joined(variant, row.name + "=" + value);
            const auto to = MakeObject<CongestionControl>(GetParam(), attributes);
            if (ErrorOf([&] { Started(to); }) == "no error" &&
                ValueOf(to, row.name) != ValueOf(from, row.name))
            {
                SCOPED_TRACE(GetParam() + "[" + attributes + "]");
                test(Change{from, to, SetsRunningTimer(GetParam(), row.name)});
            }
        }
    }
};

// Not a bit of it, whenever that is, and however often.
TEST_P(RetuneContract, ToItsOwnValuesChangesNothing)
{
    const auto events = MakeEvents(5, 800);
    ForEachVariant([&](const Prototype& prototype) {
        const Prototype law = Started(prototype);
        const Prototype twin = Started(prototype);
        if (ErrorOf([&] { law->Retune(Values(prototype), 0); }) != "no error")
        {
            return; // a law without live rows
        }
        std::mt19937_64 random(7);
        int64_t nowPs = 0;
        for (const Event& event : events)
        {
            if (random() % 4 == 0)
            {
                nowPs += (event.nowPs - nowPs) / static_cast<int64_t>(1 + random() % 3);
                twin->Advance(nowPs);
                law->Retune(random() % 2 ? Values(prototype) : Values(law), nowPs);
                ASSERT_EQ(Outputs(*law, nowPs), Outputs(*twin, nowPs)) << nowPs;
            }
            nowPs = event.nowPs;
            event.Tell(*law);
            event.Tell(*twin);
            ASSERT_EQ(Outputs(*law, nowPs), Outputs(*twin, nowPs)) << nowPs;
        }
    });
}

TEST_P(RetuneContract, OtherClassesAreRefused)
{
    const auto events = MakeEvents(6, 200);
    ForEachVariant([&](const Prototype& prototype) {
        const Prototype law = Started(prototype);
        const Prototype twin = Started(prototype);
        const std::string error = ErrorOf([&] { law->Retune(*CreateObject<LineRate>(), 0); });
        EXPECT_TRUE(error.find(" cannot take over parameters of ns3::roce::LineRate; expected the "
                               "same class") != std::string::npos ||
                    error.find(" has no parameters that can change while the simulation is on") !=
                        std::string::npos)
            << error;
        EXPECT_EQ(Play(*law, events), Play(*twin, events));
    });
}

// Retuned before anything has happened, a law is as one that was started so; later its state stays.
TEST_P(LiveRowsContract, LiveValuesAct)
{
    for (const ParameterInfo* row : RowsOf(GetParam()))
    {
        bool acts = !row->isLive || IsOfReceiver(GetParam(), row->name);
        for (const PathInfo& path : {PATH, INTRA_PATH})
        {
            for (const std::string& situation : SituationsOf(GetParam()))
            {
                if (!acts)
                {
                    ForEachChange(situation, *row, [&](const Change& change) {
                        acts = ExpectGoodChange(change, path) || acts;
                    });
                }
            }
        }
        EXPECT_TRUE(acts) << GetParam() << ": " << row->name
                          << " is live, but shows in nothing that the law does";
    }
}

TEST_P(LiveRowsContract, WhatIsNotLiveIsRefused)
{
    const auto events = MakeEvents(9, 300);
    const Prototype prototype = MakeObject<CongestionControl>(GetParam());
    const Prototype law = Started(prototype);
    const Prototype twin = Started(prototype);
    const std::string type = "ns3::roce::" + GetParam() + ": ";
    for (const ParameterInfo* row : RowsOf(GetParam()))
    {
        unsigned changes = 0;
        ForEachChange("", *row, [&](const Change& change) {
            ++changes;
            if (row->isLive)
            {
                return;
            }
            EXPECT_EQ(ErrorOf([&] { law->Retune(*change.to, 0); }),
                      type + row->name + " is " + ValueOf(change.to, row->name) + ", expected " +
                          ValueOf(change.from, row->name) +
                          ": it cannot change while the simulation is on");
        });
        EXPECT_GT(changes, 0u) << row->name << ": no value was tried";
        const auto bad = MakeObject<CongestionControl>(GetParam());
        bad->SetAttribute(row->name, StringValue("nonsense"));
        const std::string error = ErrorOf([&] { law->Retune(*bad, 0); });
        EXPECT_EQ(error.rfind(type + row->name + " is 'nonsense', expected ", 0), 0u) << error;
        EXPECT_EQ(ValueOf(law, row->name), ValueOf(prototype, row->name));
    }
    EXPECT_EQ(Play(*law, events), Play(*twin, events)) << "a refused value has changed something";
}

INSTANTIATE_TEST_SUITE_P(All, RetuneContract, ::testing::ValuesIn(Laws()), [](const auto& info) {
    return NameOfTest(info.param);
});

INSTANTIATE_TEST_SUITE_P(All,
                         LiveRowsContract,
                         ::testing::ValuesIn(LawsThatCanChange(true)),
                         [](const auto& info) { return NameOfTest(info.param); });

// The others have nothing that could change, or no rows.
TEST(LiveRows, WhichLawsHaveThem)
{
    std::vector<std::string> laws{"Bbr",
                                  "Dcqcn",
                                  "DcqcnPlus",
                                  "Dctcp",
                                  "FixedRate",
                                  "Gemini",
                                  "Hpcc",
                                  "Mlcc",
                                  "MpRdma",
                                  "PowerTcp",
                                  "Swift",
                                  "Timely",
                                  "UnoCc",
                                  "Wrcc"};
    laws.erase(
        std::remove_if(laws.begin(), laws.end(), [](const auto& law) { return !IsBuilt(law); }),
        laws.end());
    EXPECT_EQ(LawsThatCanChange(true), laws);
}
