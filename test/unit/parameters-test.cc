// SPDX-License-Identifier: GPL-2.0-only
// A parameter table with an object of the test's own: attributes, profiles, messages, sharing.
#include "roce-error-of.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/object.h"
#include "ns3/queue-size.h"
#include "ns3/roce-parameters.h"
#include "ns3/roce-text-form.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using ns3::roce::test::ErrorOf;

namespace
{

enum class Mode
{
    FAST,
    SLOW,
};

struct Inner
{
    double share;
};

struct TestParams
{
    double gain;
    uint32_t stages;
    int64_t periodPs;
    double rateBps;
    uint64_t bufferBytes;
    bool restarts;
    Mode mode;
    Inner inner;
    double product; //!< derived

    static const ParameterTable<TestParams>& Table()
    {
        using P = TestParams;
        static const auto table =
            ParameterTable<P>("ns3::roce::ParameterTest", {"paper", "code"})
                .Number("Gain", &P::gain, {0.25, 0.5}, Range::AboveUpTo(0, 1))
                .Help("g")
                .Duration("Period", &P::periodPs, {55'000'000, 300'000}, Range::AtLeast(0))
                .Help("timer")
                .Live()
                .Count("Stages", &P::stages, {5}, Range::AtLeast(1))
                .Help("F")
                .Rate("Rate", &P::rateBps, {40'000'000}, Range::Above(0))
                .Help("step")
                .Size("Buffer", &P::bufferBytes, {1 << 20, 5000}, Range::Any())
                .Help("queue")
                .Flag("Restarts", &P::restarts, {true, false})
                .Help("whether")
                .Choice("Mode",
                        &P::mode,
                        {Mode::SLOW, Mode::FAST},
                        {{"fast", Mode::FAST}, {"slow", Mode::SLOW}})
                .Help("how")
                .Number("Share", Nested(&P::inner, &Inner::share), {0.125}, Range::Within(0, 1))
                .Help("of a nested struct")
                .Finish([](P& p, const Parameters<P>& given) {
                    p.product = p.gain * p.stages;
                    p.inner.share = p.gain == 1 ? 0.25 : p.inner.share;
                    Table().Require(p.product <= 100 || !given.IsGiven("Stages"),
                                    "Stages",
                                    std::to_string(p.stages),
                                    "at most 100 / Gain");
                });
        return table;
    }
};

struct PlainParams
{
    double gain;
    std::string list;

    static const ParameterTable<PlainParams>& Table()
    {
        static const ParameterTable<PlainParams> table =
            ParameterTable<PlainParams>("ns3::roce::PlainTest")
                .Number("Gain", &PlainParams::gain, {0.5}, Range::Any())
                .Help("g")
                .Text("List", &PlainParams::list, {"1,2"})
                .Help("as it is")
                .Finish([](PlainParams& p, const Parameters<PlainParams>&) {
                    Table().Require(p.list != "x", "List", "'x'", "numbers");
                });
        return table;
    }
};

class ParameterTest : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static const TypeId tid = TestParams::Table().AddTo(
            TypeId("ns3::roce::ParameterTest").SetParent<Object>().AddConstructor<ParameterTest>(),
            &ParameterTest::parameters);
        return tid;
    }

    const TestParams& Get() const
    {
        return *parameters.Get();
    }

    Parameters<TestParams> parameters;
};

NS_OBJECT_ENSURE_REGISTERED(ParameterTest);

class PlainTest : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static const TypeId tid = PlainParams::Table().AddTo(
            TypeId("ns3::roce::PlainTest").SetParent<Object>().AddConstructor<PlainTest>(),
            &PlainTest::parameters);
        return tid;
    }

    Parameters<PlainParams> parameters;
};

NS_OBJECT_ENSURE_REGISTERED(PlainTest);

Ptr<ParameterTest>
Make(const std::string& attributes = "")
{
    ObjectFactory factory;
    std::istringstream("ns3::roce::ParameterTest" + attributes) >> factory;
    return factory.Create<ParameterTest>();
}

std::string
TextOf(const Ptr<ParameterTest>& object, const std::string& name)
{
    StringValue text;
    object->GetAttribute(name, text);
    return text.Get();
}

} // namespace

TEST(Parameters, TheFirstProfileIsTheDefault)
{
    const TestParams p = Make()->Get();
    EXPECT_EQ(p.gain, 0.25);
    EXPECT_EQ(p.stages, 5u);
    EXPECT_EQ(p.periodPs, 55'000'000);
    EXPECT_EQ(p.rateBps, 40e6);
    EXPECT_EQ(p.bufferBytes, 1048576u);
    EXPECT_TRUE(p.restarts);
    EXPECT_EQ(p.mode, Mode::SLOW);
    EXPECT_EQ(p.inner.share, 0.125);
    EXPECT_EQ(p.product, 1.25);
}

TEST(Parameters, AProfileGivesWhatIsNotGiven)
{
    const TestParams p = Make("[Period=2us|Profile=code|Mode=slow]")->Get(); // in any order
    EXPECT_EQ(p.gain, 0.5);
    EXPECT_EQ(p.stages, 5u);
    EXPECT_EQ(p.periodPs, 2'000'000);
    EXPECT_EQ(p.bufferBytes, 5000u);
    EXPECT_FALSE(p.restarts);
    EXPECT_EQ(p.mode, Mode::SLOW);
}

// There is no value that means "the profile's" but the word itself.
TEST(Parameters, AGivenValueCountsEvenIfItIsTheDefaultsOrAnOddOne)
{
    EXPECT_EQ(Make("[Profile=code|Gain=0.25]")->Get().gain, 0.25);
    EXPECT_EQ(Make("[Profile=code|Period=0]")->Get().periodPs, 0);
    EXPECT_EQ(Make("[Profile=code|Buffer=0B]")->Get().bufferBytes, 0u);
    EXPECT_EQ(ErrorOf([] { Make("[Gain=-1]")->Get(); }),
              "ns3::roce::ParameterTest: Gain is -1, expected a number, 0 < Gain <= 1, or profile");
    EXPECT_EQ(Make("[Profile=code|Gain=profile]")->Get().gain, 0.5);
    const auto object = Make("[Profile=code|Gain=0.125]");
    EXPECT_EQ(object->Get().gain, 0.125);
    object->SetAttribute("Gain", StringValue("profile"));
    EXPECT_EQ(object->Get().gain, 0.5);
}

TEST(Parameters, ValuesOfNs3sTypesAreTakenAndGiven)
{
    const auto object = Make();
    object->SetAttribute("Gain", DoubleValue(0.75));
    object->SetAttribute("Stages", IntegerValue(7));
    object->SetAttribute("Period", TimeValue(MicroSeconds(3)));
    object->SetAttribute("Rate", DataRateValue(DataRate("1Gbps")));
    object->SetAttribute("Buffer", QueueSizeValue(QueueSize("3KiB")));
    object->SetAttribute("Restarts", BooleanValue(false));
    object->SetAttribute("Mode", StringValue("fast"));
    const TestParams p = object->Get();
    EXPECT_EQ(p.gain, 0.75);
    EXPECT_EQ(p.stages, 7u);
    object->SetAttribute("Stages", UintegerValue(8));
    EXPECT_EQ(object->Get().stages, 8u);
    EXPECT_EQ(p.periodPs, 3'000'000);
    EXPECT_EQ(p.rateBps, 1e9);
    EXPECT_EQ(p.bufferBytes, 3072u);
    EXPECT_FALSE(p.restarts);
    EXPECT_EQ(p.mode, Mode::FAST);
    DoubleValue gain;
    object->GetAttribute("Gain", gain);
    EXPECT_EQ(gain.Get(), 0.75);
    TimeValue period;
    object->GetAttribute("Period", period);
    EXPECT_EQ(period.Get(), MicroSeconds(3));
    DataRateValue rate;
    object->GetAttribute("Rate", rate);
    EXPECT_EQ(rate.Get(), DataRate("1Gbps"));
    // As ns-3 does: another type is refused, also where it could be converted.
    EXPECT_FALSE(object->SetAttributeFailSafe("Gain", IntegerValue(1)));
    EXPECT_FALSE(object->SetAttributeFailSafe("Mode", DoubleValue(1)));
}

TEST(Parameters, OneCanAskForAValueAndWhereItComesFrom)
{
    const auto object = Make("[Profile=code|Stages=6]");
    ParameterValue value;
    object->GetAttribute("Stages", value);
    EXPECT_EQ(value.GetText(), "6");
    EXPECT_TRUE(value.IsGiven());
    object->GetAttribute("Gain", value);
    EXPECT_EQ(value.GetText(), "0.5");
    EXPECT_FALSE(value.IsGiven());
    object->GetAttribute("Profile", value);
    EXPECT_EQ(value.GetText(), "code");
    EXPECT_TRUE(value.IsGiven());
    const auto untouched = Make();
    for (const auto& [name, text] : {std::pair("Profile", "paper"),
                                     {"Gain", "0.25"},
                                     {"Stages", "5"},
                                     {"Period", "55us"},
                                     {"Rate", "40Mbps"},
                                     {"Buffer", "1MiB"},
                                     {"Restarts", "true"},
                                     {"Mode", "slow"}})
    {
        EXPECT_EQ(TextOf(untouched, name), text) << name;
    }
}

// What Finish() has made of a value is what is in force.
TEST(Parameters, OneIsToldTheValueInForce)
{
    const auto object = Make("[Stages=4]");
    EXPECT_EQ(TextOf(object, "Share"), "0.125");
    object->SetAttribute("Gain", DoubleValue(1));
    EXPECT_EQ(TextOf(object, "Share"), "0.25"); // see Finish() of TestParams
}

// Nothing throws or aborts when it is set; who uses it says what is wrong.
TEST(Parameters, BadValuesAreToldByWhoUsesThem)
{
    const std::string who = "ns3::roce::ParameterTest: ";
    const std::pair<const char*, const char*> cases[] = {
        {"[Gain=high]", "Gain is 'high', expected a number, 0 < Gain <= 1, or profile"},
        {"[Gain=0]", "Gain is 0, expected a number, 0 < Gain <= 1, or profile"},
        {"[Gain=nan]", "Gain is 'nan', expected a number, 0 < Gain <= 1, or profile"},
        {"[Gain=]", "Gain is '', expected a number, 0 < Gain <= 1, or profile"},
        {"[Stages=0]", "Stages is 0, expected a whole number, Stages >= 1, or profile"},
        {"[Stages=1.5]", "Stages is '1.5', expected a whole number, Stages >= 1, or profile"},
        {"[Stages=4294967297]",
         "Stages is '4294967297', expected a whole number, Stages >= 1, or profile"},
        {"[Stages=-4]", "Stages is '-4', expected a whole number, Stages >= 1, or profile"},
        {"[Stages=99999999999999999999]",
         "Stages is '99999999999999999999', expected a whole number, Stages >= 1, or profile"},
        {"[Period=-1ns]",
         "Period is -1ns, expected a time with unit, for example 10us, "
         "Period >= 0, or profile"},
        {"[Rate=0]",
         "Rate is 0bps, expected a rate with unit, for example 100Gbps, Rate > 0, or "
         "profile"},
        {"[Restarts=maybe]", "Restarts is 'maybe', expected true or false, or profile"},
        {"[Mode=quick]", "Mode is 'quick', expected 'fast', 'slow', or profile"},
        {"[Profile=foo]", "Profile is 'foo', expected 'paper', 'code'"},
        {"[Stages=1000]", "Stages is 1000, expected at most 100 / Gain"}};
    for (const auto& [attributes, message] : cases)
    {
        const auto object = Make(attributes);
        EXPECT_EQ(ErrorOf([&] { object->Get(); }), who + message) << attributes;
        EXPECT_EQ(ErrorOf([&] { object->Get(); }), who + message) << attributes; // again
    }
    const auto mended = Make("[Gain=high]");
    EXPECT_EQ(TextOf(mended, "Gain"), "high");
    EXPECT_EQ(TextOf(mended, "Period"), "55us");
    mended->SetAttribute("Gain", DoubleValue(0.5));
    EXPECT_EQ(mended->Get().gain, 0.5);
}

TEST(Parameters, DefaultsOfAllObjects)
{
    Config::SetDefault("ns3::roce::ParameterTest::Gain", DoubleValue(0.0625));
    Config::SetDefault("ns3::roce::ParameterTest::Mode", StringValue("fast"));
    EXPECT_EQ(Make()->Get().gain, 0.0625);
    EXPECT_EQ(Make("[Profile=code]")->Get().gain, 0.0625);
    Config::SetDefault("ns3::roce::ParameterTest::Gain", StringValue("profile"));
    EXPECT_EQ(Make("[Profile=code]")->Get().gain, 0.5);
    EXPECT_EQ(Make()->Get().mode, Mode::FAST);
    Config::SetDefault("ns3::roce::ParameterTest::Mode", StringValue("profile"));
    EXPECT_EQ(Make()->Get().mode, Mode::SLOW);
}

TEST(Parameters, CopiesShareUntilOneIsChanged)
{
    const auto a = Make("[Gain=0.5]");
    const auto b = Make();
    b->parameters = a->parameters;
    EXPECT_EQ(&a->Get(), &b->Get());
    const TestParams* before = &a->Get();
    b->SetAttribute("Gain", DoubleValue(1));
    EXPECT_EQ(&a->Get(), before);
    EXPECT_EQ(a->Get().gain, 0.5);
    EXPECT_EQ(b->Get().gain, 1);
}

TEST(Parameters, OnlyLiveOnesChangeWhileASimulationIsOn)
{
    const auto running = Make();
    const std::shared_ptr<const TestParams> old = running->parameters.Get();
    running->parameters.Retune(Make("[Gain=0.5|Period=1us]")->parameters, *old);
    EXPECT_EQ(running->Get().gain, 0.5);
    EXPECT_EQ(running->Get().periodPs, 1'000'000);
    EXPECT_EQ(old->gain, 0.25); // who still holds it is not surprised
    EXPECT_EQ(ErrorOf([&] { running->parameters.Retune(Make("[Stages=6]")->parameters, *old); }),
              "ns3::roce::ParameterTest: Stages is 6, expected 5: it cannot change while the "
              "simulation is on");
    EXPECT_EQ(running->Get().gain, 0.5);
}

TEST(Parameters, ATableMayBeWithoutProfiles)
{
    const auto object = CreateObject<PlainTest>();
    const Parameters<PlainParams>& parameters = object->parameters;
    EXPECT_EQ(parameters.Get()->gain, 0.5);
    EXPECT_EQ(parameters.GetProfile(), "");
    EXPECT_FALSE(parameters.IsGiven("Gain"));
    EXPECT_FALSE(object->SetAttributeFailSafe("Profile", StringValue("paper")));
}

TEST(Parameters, AnyTextIsTakenAsItIs)
{
    const auto object = CreateObject<PlainTest>();
    EXPECT_EQ(object->parameters.Get()->list, "1,2");
    for (const char* text : {"", "3", "profile of a bridge"})
    {
        object->SetAttribute("List", StringValue(text));
        EXPECT_EQ(object->parameters.Get()->list, text);
        StringValue back;
        object->GetAttribute("List", back);
        EXPECT_EQ(back.Get(), text);
    }
    object->SetAttribute("List", StringValue("x"));
    EXPECT_EQ(ErrorOf([&] { object->parameters.Get(); }),
              "ns3::roce::PlainTest: List is 'x', expected numbers");
}

TEST(Parameters, ATableThatIsWrongIsRefused)
{
    ParameterTable<TestParams> table("ns3::roce::X", {"a", "b"});
    EXPECT_THROW(table.Number("Gain", &TestParams::gain, {1, 2, 3}, Range::Any()),
                 std::logic_error);
    EXPECT_THROW(table.Choice("Mode", &TestParams::mode, {Mode::SLOW}, {{"fast", Mode::FAST}}),
                 std::logic_error);
    static double elsewhere;
    EXPECT_THROW(table.Number(
                     "Gain",
                     [](TestParams&) -> double& { return elsewhere; },
                     {1},
                     Range::Any()),
                 std::logic_error)
        << "a value outside of the struct would be read at a wrong place";
    EXPECT_THROW(Make()->parameters.IsGiven("Nix"), std::logic_error);
}

TEST(TextForm, GivesTheGroups)
{
    const TextForm form("([a-z]+)(/([0-9]+))?");
    EXPECT_EQ(form.Match("ab/12"), (std::vector<std::string>{"ab/12", "ab", "/12", "12"}));
    EXPECT_EQ(form.Match("ab"), (std::vector<std::string>{"ab", "ab", "", ""}))
        << "no second group";
    EXPECT_TRUE(form.Match("ab/").empty()) << "the form is that of the whole text";
    EXPECT_TRUE(TextForm("a*").Match(std::string(1001, 'a')).empty())
        << "long texts would overflow the stack, so none has a form";
    EXPECT_FALSE(TextForm("a*").Match(std::string(1000, 'a')).empty());
}

// Values of profiles may be given as another type than the member has.
TEST(Parameters, ARowHasTheTypeOfTheMember)
{
    struct Mixed
    {
        double share;
        uint32_t count;
        double rateBps;

        static const ParameterTable<Mixed>& Table()
        {
            static const ParameterTable<Mixed> table =
                ParameterTable<Mixed>("ns3::roce::Mixed")
                    .Number("Share", &Mixed::share, std::vector<int>{3}, Range::Any())

                    .Count("Count", &Mixed::count, std::vector<int>{5}, Range::Any())

                    .Rate("Rate", &Mixed::rateBps, std::vector<uint64_t>{7000}, Range::Any());
            return table;
        }
    };

    struct MixedTest : public Object
    {
        static TypeId GetTypeId()
        {
            static const TypeId tid =
                Mixed::Table().AddTo(TypeId("ns3::roce::MixedTest").SetParent<Object>(),
                                     &MixedTest::parameters);
            return tid;
        }

        Parameters<Mixed> parameters;
    };

    const Ptr<MixedTest> object = CreateObject<MixedTest>();
    EXPECT_EQ(object->parameters.Get()->share, 3);
    EXPECT_EQ(object->parameters.Get()->count, 5U);
    EXPECT_EQ(object->parameters.Get()->rateBps, 7000);
    object->SetAttribute("Count", StringValue("4000000000"));
    object->SetAttribute("Share", StringValue("0.25"));
    EXPECT_EQ(object->parameters.Get()->count, 4000000000U) << "more than an int holds";
    EXPECT_EQ(object->parameters.Get()->share, 0.25);
}

TEST(Parameters, RangesContainWhatTheySay)
{
    const auto check = [](const Range& range,
                          const std::string& text,
                          std::initializer_list<double> inside,
                          std::initializer_list<double> outside) {
        EXPECT_EQ(range.ToText("X"), text);
        for (const double value : inside)
        {
            EXPECT_TRUE(range.Contains(value)) << text << " " << value;
        }
        for (const double value : outside)
        {
            EXPECT_FALSE(range.Contains(value)) << text << " " << value;
        }
        EXPECT_FALSE(range.Contains(std::nan(""))) << text;
    };
    check(Range::Above(0).Below(1), "0 < X < 1", {1e-300, 0.5}, {0, 1, -1});
    check(Range::AtLeast(0).Below(1), "0 <= X < 1", {0, 0.5}, {-1, 1});
    check(Range::AtLeast(1).Or(0), "X >= 1 or 0", {0, 1, 1e300}, {-1, 0.5});
    check(Range::Within(2, 3).Or(-1), "2 <= X <= 3 or -1", {2, 3, -1}, {0, 4});
    const auto times = &kind::Duration::PrintBound;
    EXPECT_EQ(Range::Within(1e6, 8.64e16).ToText("X", times), "1us <= X <= 86400s");
    EXPECT_EQ(Range::AtLeast(0).ToText("X", times), "X >= 0");
    EXPECT_EQ(Range::AboveUpTo(0, 1e12).Or(-1000).ToText("X", times), "0 < X <= 1s or -1ns");
    EXPECT_EQ(Range::AtLeast(1e20).ToText("X", times), "X >= 1e+08s") << "more than 63 bits";
}

// What is printed is read back as the same.
TEST(Parameters, TextsGoBothWays)
{
    for (const double number : {0.1, 5.0 / 1024, 1e-300, 0.0, -2.5, 1e22})
    {
        double back = 1;
        EXPECT_TRUE(kind::Number::Parse(kind::Number::Print(number), back));
        EXPECT_EQ(back, number);
    }
    for (const int64_t ps : {int64_t{0},
                             int64_t{1},
                             int64_t{999},
                             int64_t{1500},
                             -int64_t{7000000},
                             int64_t{9'100'000'000'000'000'000}})
    {
        int64_t back = 1;
        EXPECT_TRUE(kind::Duration::Parse(kind::Duration::Print(ps), back));
        EXPECT_EQ(back, ps);
    }
    EXPECT_EQ(kind::Duration::Print(55'000'000), "55us");
    EXPECT_EQ(kind::Rate::Print(40'000'000), "40Mbps");
    EXPECT_EQ(kind::Size::Print(1536), "1536B");
    for (const char* text : {"", "x", "1", "5parsec", "1e30s", "us", "1 us", "--1us", "1us "})
    {
        int64_t ps = 0;
        EXPECT_FALSE(kind::Duration::Parse(text, ps)) << text;
    }
    int64_t count = 0;
    for (const char* text : {"", "+", "-", "1 ", " 1", "0x10", "1e3", "+-1"})
    {
        EXPECT_FALSE(kind::Count::Parse(text, count)) << text;
    }
    EXPECT_TRUE(kind::Count::Parse("+12", count));
    EXPECT_EQ(count, 12);
    double number = 0;
    EXPECT_FALSE(kind::Number::Parse(std::string(100000, '1'), number)); // no stack overflow
}
