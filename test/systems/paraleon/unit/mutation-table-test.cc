// SPDX-License-Identifier: GPL-2.0-only
// What PARALEON changes: its table for DCQCN, moves, and tables of one's own.
#include "paraleon-values.h"
#include "roce-error-of.h"

#include "ns3/roce-mutation-table.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::roce;
using ns3::roce::test::ErrorOf;
using ns3::roce::test::ParaleonValues;

namespace
{

MutationTable::Config
Default()
{
    return ParaleonValues::Of().mutation;
}

std::string
Names(const MutationTable& table)
{
    std::string names;
    for (const TunedParameter& row : table.GetRows())
    {
        names += (names.empty() ? "" : " ") + row.attribute;
    }
    return names;
}

/// Step, bounds and direction of one row.
struct Span
{
    const char* attribute;
    double step;
    double least;
    double greatest;
    bool up;
    double start;
};

void
ExpectSpans(const MutationTable& table, const std::vector<Span>& spans)
{
    ASSERT_EQ(table.GetSize(), spans.size()) << Names(table);
    for (std::size_t i = 0; i < spans.size(); ++i)
    {
        const TunedParameter& row = table.GetRows()[i];
        EXPECT_EQ(row.attribute, spans[i].attribute) << "row " << i;
        EXPECT_EQ(row.step, spans[i].step) << "step of " << row.attribute;
        EXPECT_EQ(row.least, spans[i].least) << "lower bound of " << row.attribute;
        EXPECT_EQ(row.greatest, spans[i].greatest) << "upper bound of " << row.attribute;
        EXPECT_EQ(row.up, spans[i].up) << "direction of " << row.attribute;
        EXPECT_EQ(row.start, spans[i].start) << "start of " << row.attribute;
    }
}

void
ExpectRefused(const std::string& text, const std::string& part)
{
    test::ExpectRefused([&text] { MutationTable::Parse(text); }, part, text);
}

} // namespace

TEST(MutationTable, PaperTable)
{
    ExpectSpans(MutationTable::ForDcqcn(Default()),
                {{"TimeReset", 50, 5, 131071, false, 300},
                 {"AiRate", 50, 1, 500, true, 5},
                 {"HaiRate", 100, 10, 5000, true, 50},
                 {"FractionOnFirstCnp", 0.1, 0.1, 1, true, 1},
                 {"MinDecFac", 0.1, 0.1, 0.9, true, 0.5},
                 {"MinRate", 300, 1, 5000, true, 1},
                 {"Gd", 1, 1, 13, true, 11},
                 {"MinTimeBetweenCnps", 16, 0, 4095, true, 4},
                 {"Gain", 16, 1, 1019, false, 1019},
                 {"InitialAlpha", 16, 1, 1023, false, 1023},
                 {"Kmin", 100, 10, 1600, true, 400},
                 {"Kmax", 400, 40, 6400, true, 1600},
                 {"CutPeriod", 8, 2, 128, true, 4}});
}

TEST(MutationTable, TableOfArtifact2)
{
    MutationTable::Config config = Default();
    config.bounds = MutationTable::Bounds::A2;
    config.tunedSet = MutationTable::TunedSet::A2;
    config.minDecFacUp = false;
    config.firstCnpFraction = 0.5;
    ExpectSpans(MutationTable::ForDcqcn(config),
                {{"TimeReset", 50, 50, 600, false, 300},
                 {"AiRate", 5, 5, 100, true, 5},
                 {"HaiRate", 50, 30, 600, true, 50},
                 {"FractionOnFirstCnp", 0.1, 0.3, 0.8, true, 0.5},
                 {"MinDecFac", 0.1, 0.3, 0.8, false, 0.5},
                 {"MinRate", 300, 1, 5000, true, 1},
                 {"Gd", 1, 11, 13, true, 11},
                 {"MinTimeBetweenCnps", 8, 4, 128, true, 4},
                 {"Gain", 5, 960, 1020, false, 1019},
                 {"InitialAlpha", 16, 1, 1023, false, 1023},
                 {"Kmin", 100, 40, 1600, true, 400},
                 {"Kmax", 400, 480, 6400, true, 1600},
                 {"Pmax", 0.01, 0.1, 0.4, false, 0.2}});
}

TEST(MutationTable, Sets)
{
    MutationTable::Config config = Default();
    config.tunedSet = MutationTable::TunedSet::A1_EFFECTIVE10;
    EXPECT_EQ(Names(MutationTable::ForDcqcn(config)),
              "TimeReset AiRate HaiRate FractionOnFirstCnp MinDecFac MinRate Gd Gain Kmin Kmax");
}

// HaiRate 50, step 100; first-CNP fraction 0.5, step 0.1; AiRate 5, step 50.
TEST(MutationTable, MovesAreRoundedAndClamped)
{
    const MutationTable table = MutationTable::ForDcqcn(Default());
    const std::size_t hai = table.Find("Dcqcn", "HaiRate");
    EXPECT_EQ(table.Move(hai, 50, -80), 10) << "not below the bound";
    EXPECT_EQ(table.Move(hai, 50, 80), 130);
    EXPECT_EQ(table.Move(hai, 50, 80.6), 131) << "rounded";
    EXPECT_EQ(table.Move(hai, 4990, 80), 5000) << "not above the bound";
    EXPECT_EQ(table.Move(table.Find("Dcqcn", "AiRate"), 5, -40), 1);
    EXPECT_DOUBLE_EQ(table.Move(table.Find("Dcqcn", "FractionOnFirstCnp"), 0.5, -0.08), 0.42)
        << "fractions are not rounded";
}

TEST(MutationTable, KminAboveKmaxIsExchanged)
{
    const MutationTable table = MutationTable::ForDcqcn(Default());
    const std::size_t kmin = table.Find("EcnMarker", "Kmin");
    const std::size_t kmax = table.Find("EcnMarker", "Kmax");
    auto values = table.GetStart();
    values[kmin] = 1600;
    values[kmax] = 1200;
    table.Order(values);
    EXPECT_EQ(values[kmin], 1200);
    EXPECT_EQ(values[kmax], 1600);
    table.Order(values);
    EXPECT_EQ(values[kmin], 1200) << "in order as they are";
}

TEST(MutationTable, TextsOfAttributesAndBack)
{
    const MutationTable table = MutationTable::ForDcqcn(Default());
    const std::vector<std::tuple<const char*, const char*, double, std::string>> cases{
        {"Dcqcn", "TimeReset", 300, "300us"},
        {"Dcqcn", "TimeReset", 4.5, "4500000ps"},
        {"Dcqcn", "AiRate", 50, "50Mbps"},
        {"Dcqcn", "AiRate", 0.25, "250000bps"},
        {"Dcqcn", "FractionOnFirstCnp", 0.42, "0.42"},
        {"Dcqcn", "Gain", 1019, "0.0048828125"},
        {"Dcqcn", "InitialAlpha", 1023, "0.9990234375"},
        {"Dcqcn", "MinTimeBetweenCnps", 0, "0us"},
        {"Dcqcn", "Gd", 12, "12"},
        {"EcnMarker", "Kmax", 1600, "1600KB"},
        {"EcnMarker", "Kmin", 102.4, "102400B"},
    };
    for (const auto& [target, attribute, value, text] : cases)
    {
        const std::size_t row = table.Find(target, attribute);
        ASSERT_LT(row, table.GetSize()) << attribute;
        EXPECT_EQ(table.ToText(row, value), text) << attribute;
        EXPECT_NEAR(table.FromText(row, text), value, 1e-9) << attribute << " from " << text;
    }
    EXPECT_THROW(table.FromText(0, "fast"), InputError);
}

TEST(MutationTable, RowsForOtherLaws)
{
    const MutationTable table = MutationTable::Parse(
        "Swift.BaseTarget:us:+:2:5:100:25;UnoCc.Beta:number:-:0.1:0.2:0.9:0.5:fraction;"
        "X.Low:KB:+:1:10:90:10:scales:below=High;X.High:KB:+:1:10:99:20");
    ASSERT_EQ(table.GetSize(), 4U);
    EXPECT_EQ(table.GetRows()[0].target, "Swift");
    EXPECT_EQ(table.ToText(0, 25), "25us");
    EXPECT_TRUE(table.GetRows()[0].isWhole);
    EXPECT_FALSE(table.GetRows()[1].up);
    EXPECT_FALSE(table.GetRows()[1].isWhole);
    EXPECT_TRUE(table.GetRows()[2].scales);
    EXPECT_EQ(table.GetStart(), (MutationTable::Values{25, 0.5, 10, 20}));
    auto values = MutationTable::Values{25, 0.5, 40, 30};
    table.Order(values);
    EXPECT_EQ(values, (MutationTable::Values{25, 0.5, 30, 40}));
}

TEST(MutationTable, BadRowsAreRefused)
{
    ExpectRefused("Swift.BaseTarget:us", "expected Target.Attribute:unit");
    ExpectRefused("Swift:us:+:2:5:100:25", "expected Target.Attribute in front");
    ExpectRefused(".X:us:+:2:5:100:25", "expected Target.Attribute in front");
    ExpectRefused("Swift.BaseTarget:ms:+:2:5:100:25", "number, us, Mbps, KB");
    ExpectRefused("Swift.BaseTarget:us:up:2:5:100:25", "+ or -");
    ExpectRefused("Swift.BaseTarget:us:+:two:5:100:25", "a number in place of 'two'");
    ExpectRefused("Swift.BaseTarget:us:+:2:5:100:nan", "in place of 'nan'");
    ExpectRefused("Swift.BaseTarget:us:+:0:5:100:25", "a step above 0");
    ExpectRefused("Swift.BaseTarget:us:+:2:500:100:25", "the lower bound first");
    ExpectRefused("A.B:us:+:2:5:100:25:often", "fraction, scales or below=");
    ExpectRefused("A.B:us:+:2:5:100:25;A.B:us:+:2:5:100:25", "twice");
    ExpectRefused("A.B:us:+:2:5:100:25:below=C", "expected a row of that name");
    ExpectRefused("A.B:us:+:2:5:100:25:below=C;A.C:us:+:2:5:90:25", "bounds no lower");
    ExpectRefused(";A.B:us:+:2:5:100:25", "expected Target.Attribute:unit");
}
