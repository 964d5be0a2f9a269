/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// TunableControl and SettingsAttributes with a rate law of the user's own: settings shared by
// forks, copied on write, resolved once; attributes of each type; messages.
#include "ns3/roce-settings-attributes.h"
#include "ns3/roce-tunable-control.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3;
using namespace ns3::roce;

namespace
{

int g_resolved = 0; //!< calls of Resolve()

constexpr SettingsCheck CHECK{"ns3::roce::TunableTest"};

struct TestParams
{
    bool release;
    double gain;
    int64_t timerPs;
};

struct TestSettings
{
    std::string text;
    std::string release;
    bool flag;
    double gain;
    int64_t count;
    Time timer;
    DataRate rate;

    TestParams Resolve() const
    {
        ++g_resolved;
        CHECK.Require(gain == -1 || gain > 0, "Gain", std::to_string(gain), "a positive number");
        return {CHECK.Flag("Release", release, true),
                SettingsCheck::Number(gain, 0.25),
                CHECK.Duration("Timer", timer, 55)};
    }
};

class TunableTest : public TunableControl<TestSettings>
{
  public:
    static TypeId GetTypeId()
    {
        using S = TestSettings;
        static const TypeId tid = SettingsAttributes<S>(TypeId("ns3::roce::TunableTest")
                                                            .SetParent<CongestionControl>()
                                                            .AddConstructor<TunableTest>())
                                      .Text<&S::text>("Text", "a", "text")
                                      .Text<&S::release>("Release", "text of the profile")
                                      .Flag<&S::flag>("Flag", true, "flag")
                                      .Number<&S::gain>("Gain", "number of the profile")
                                      .Count<&S::count>("Count", "count of the profile")
                                      .Duration<&S::timer>("Timer", "time of the profile")
                                      .Rate<&S::rate>("Rate", "rate of the profile");
        return tid;
    }

    Ptr<CongestionControl> Fork() const override
    {
        GetParams();
        return CopyObject<TunableTest>(this);
    }

    void Share(const TunableTest& from)
    {
        ShareSettings(from);
    }

    using TunableControl::GetSettings;

  private:
    void DoStart(int64_t) override
    {
        GetParams();
    }
};

std::string
Message(const TunableTest& law)
{
    try
    {
        law.GetParams();
    }
    catch (const InputError& e)
    {
        return e.what();
    }
    return "";
}

} // namespace

TEST(TunableControl, AttributesOfAllTypes)
{
    Ptr<TunableTest> law = CreateObject<TunableTest>();
    const TestSettings& s = law->GetSettings();
    EXPECT_EQ(s.text, "a");
    EXPECT_EQ(s.release, "");
    EXPECT_TRUE(s.flag);
    EXPECT_EQ(s.gain, -1);
    EXPECT_EQ(s.count, -1);
    EXPECT_EQ(s.timer, NanoSeconds(-1));
    EXPECT_EQ(s.rate.GetBitRate(), 0u);
    EXPECT_EQ(TunableTest::GetTypeId().GetParent(), CongestionControl::GetTypeId());

    law->SetAttribute("Text", StringValue("b"));
    law->SetAttribute("Flag", BooleanValue(false));
    law->SetAttribute("Gain", DoubleValue(0.5));
    law->SetAttribute("Count", IntegerValue(1LL << 40));
    law->SetAttribute("Timer", TimeValue(MicroSeconds(3)));
    law->SetAttribute("Rate", DataRateValue(DataRate("7Gbps")));
    EXPECT_EQ(s.text, "b");
    EXPECT_FALSE(s.flag);
    EXPECT_EQ(s.gain, 0.5);
    EXPECT_EQ(s.count, 1LL << 40);
    EXPECT_EQ(s.timer, MicroSeconds(3));
    EXPECT_EQ(s.rate.GetBitRate(), 7000000000u);
    TimeValue timer;
    law->GetAttribute("Timer", timer);
    EXPECT_EQ(timer.Get(), MicroSeconds(3));
}

TEST(TunableControl, ForksShareSettingsUntilOneIsChanged)
{
    Ptr<TunableTest> law = CreateObject<TunableTest>();
    g_resolved = 0;
    Ptr<TunableTest> a = DynamicCast<TunableTest>(law->Fork());
    Ptr<TunableTest> b = DynamicCast<TunableTest>(a->Fork());
    EXPECT_EQ(&a->GetParams(), &b->GetParams());
    EXPECT_EQ(&a->GetSettings(), &law->GetSettings());
    EXPECT_EQ(g_resolved, 1); // the prototype's first fork
    a->SetAttribute("Gain", DoubleValue(0.5));
    EXPECT_NE(&a->GetSettings(), &law->GetSettings());
    EXPECT_EQ(&b->GetSettings(), &law->GetSettings());
    EXPECT_EQ(a->GetParams().gain, 0.5);
    EXPECT_EQ(b->GetParams().gain, 0.25);
    EXPECT_EQ(law->GetParams().gain, 0.25);
    EXPECT_EQ(g_resolved, 2);
    const TestSettings* own = &a->GetSettings();
    a->SetAttribute("Gain", DoubleValue(0.75)); // nobody else has it: no further copy
    EXPECT_EQ(&a->GetSettings(), own);
    EXPECT_EQ(a->GetParams().gain, 0.75);
}

TEST(TunableControl, ShareSettingsTakesThoseOfAnother)
{
    Ptr<TunableTest> law = CreateObject<TunableTest>();
    Ptr<TunableTest> other = CreateObject<TunableTest>();
    EXPECT_EQ(law->GetParams().gain, 0.25);
    other->SetAttribute("Gain", DoubleValue(0.5));
    law->SetAttribute("Text", StringValue("dropped")); // and what is stale no longer counts
    law->Share(*other);
    EXPECT_EQ(&law->GetParams(), &other->GetParams());
    EXPECT_EQ(law->GetParams().gain, 0.5);
    EXPECT_EQ(law->GetSettings().text, "a");
    law->SetAttribute("Gain", DoubleValue(0.125));
    law->Share(*law);
    EXPECT_EQ(law->GetParams().gain, 0.125);
    EXPECT_EQ(other->GetParams().gain, 0.5);
    other->SetAttribute("Gain", DoubleValue(0));
    EXPECT_THROW(law->Share(*other), InputError);
    EXPECT_EQ(law->GetParams().gain, 0.125);
}

TEST(TunableControl, ProfileValuesAndMessages)
{
    Ptr<TunableTest> law = CreateObject<TunableTest>();
    EXPECT_TRUE(law->GetParams().release);
    EXPECT_EQ(law->GetParams().timerPs, 55);
    law->SetAttribute("Release", StringValue("false"));
    law->SetAttribute("Timer", StringValue("0ns"));
    EXPECT_FALSE(law->GetParams().release);
    EXPECT_EQ(law->GetParams().timerPs, 0);
    law->SetAttribute("Timer", StringValue("-2ns"));
    EXPECT_EQ(Message(*law),
              "ns3::roce::TunableTest: Timer is -2000 ps, expected a time of 0 or more, or -1ns "
              "(from the profile)");
    law->SetAttribute("Release", StringValue("maybe"));
    EXPECT_EQ(Message(*law),
              "ns3::roce::TunableTest: Release is 'maybe', expected 'true', 'false' or '' (from "
              "the profile)");
    law->SetAttribute("Gain", DoubleValue(-3));
    EXPECT_EQ(Message(*law),
              "ns3::roce::TunableTest: Gain is -3.000000, expected a positive number");
}
