// SPDX-License-Identifier: GPL-2.0-only
// Profiles and presets that are defined elsewhere than in the table of a type or the class of a
// topology.
#include "ns3/object.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-option-table.h"
#include "ns3/roce-with-parameters.h"
#include "ns3/string.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace ns3::roce::test
{

struct ProfiledParams
{
    double gain;
    uint32_t packets;

    static const ParameterTable<ProfiledParams>& Table()
    {
        using P = ProfiledParams;
        static const auto table = ParameterTable<P>("ns3::roce::test::Profiled", {"paper"})
                                      .Number("Gain", &P::gain, {0.5}, Range::Within(0, 1))
                                      .Help("A number")
                                      .Count("Packets", &P::packets, {7}, Range::AtLeast(1))
                                      .Help("A count");
        return table;
    }
};

class Profiled : public WithParameters<Profiled, Object, ProfiledParams>
{
};

} // namespace ns3::roce::test

using namespace ns3;
using namespace ns3::roce;
using test::Profiled;

namespace
{

constexpr const char* TYPE = "ns3::roce::test::Profiled";

// Comes before the table is made, as systems' profiles may.
[[maybe_unused]] const bool g_early =
    OutsideProfile::Register({TYPE, "early", "paper", {{"Gain", "0.25"}}});

Ptr<Profiled>
Make(const std::string& profile)
{
    Ptr<Profiled> made = CreateObject<Profiled>();
    made->SetAttribute("Profile", StringValue(profile));
    return made;
}

/// @return initial value of an attribute, as documentation and --PrintAttributes have it
std::string
DefaultOf(const std::string& name)
{
    TypeId::AttributeInformation info;
    EXPECT_TRUE(Profiled::GetTypeId().LookupAttributeByName(name, &info));
    return info.initialValue->SerializeToString(info.checker);
}

TEST(OutsideProfile, BeforeAndAfterTheTableIsMade)
{
    EXPECT_EQ(Make("early")->GetParams().gain, 0.25) << "registered before the table was made";
    EXPECT_EQ(Make("early")->GetParams().packets, 7u) << "all else is its base's";
    EXPECT_EQ(DefaultOf("Gain"), "profile") << "profiles differ since one came from outside";
    EXPECT_EQ(DefaultOf("Packets"), "7");
    EXPECT_TRUE(OutsideProfile::Register({TYPE, "late", "early", {{"Packets", "9"}}}));
    EXPECT_EQ(Make("late")->GetParams().packets, 9u);
    EXPECT_EQ(Make("late")->GetParams().gain, 0.25) << "its base is a profile from outside";
    EXPECT_EQ(DefaultOf("Packets"), "profile");
    EXPECT_EQ(Make("paper")->GetParams().gain, 0.5) << "the table's own profile is as before";
    EXPECT_EQ(Make("paper")->GetParams().packets, 7u);
}

TEST(OutsideProfile, WhatIsSetGoesBeforeTheProfile)
{
    Ptr<Profiled> made = Make("early");
    made->SetAttribute("Gain", StringValue("1"));
    EXPECT_EQ(made->GetParams().gain, 1);
    try
    {
        Make("none")->GetParams();
        FAIL() << "an unknown profile";
    }
    catch (const InputError& error)
    {
        EXPECT_NE(std::string(error.what()).find("'early'"), std::string::npos) << error.what();
    }
}

TEST(OutsideProfile, RefusesWhatTheTableDoesNotHave)
{
    Profiled::GetTypeId();
    EXPECT_THROW(OutsideProfile::Register({TYPE, "bad", "none", {}}), std::logic_error);
    EXPECT_THROW(OutsideProfile::Register({TYPE, "bad", "paper", {{"Gian", "1"}}}),
                 std::logic_error);
    EXPECT_THROW(OutsideProfile::Register({TYPE, "bad", "paper", {{"Gain", "x"}}}),
                 std::logic_error);
    EXPECT_THROW(OutsideProfile::Register({TYPE, "bad", "paper", {{"Gain", "2"}}}),
                 std::logic_error)
        << "out of range";
    EXPECT_THROW(OutsideProfile::Register({TYPE, "early", "paper", {}}), std::logic_error)
        << "a name that is taken";
    EXPECT_THROW(Make("bad")->GetParams(), InputError) << "nothing of a refused one is left";
}

TEST(OptionPreset, ByTopologyAndName)
{
    EXPECT_TRUE(OptionPreset::Register("test-ring", {"b", "second", {{"hosts", "2"}}}));
    EXPECT_TRUE(OptionPreset::Register("test-ring", {"a", "first", {{"hosts", "1"}}}));
    EXPECT_FALSE(OptionPreset::Register("test-ring", {"a", "again", {}})) << "a name that is taken";
    const auto found = OptionPreset::Of("test-ring");
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].what, "first");
    EXPECT_EQ(found[1].values.at(0).second, "2");
    EXPECT_TRUE(OptionPreset::Of("test-torus").empty());
}

} // namespace
