// SPDX-License-Identifier: GPL-2.0-only
// Which rows of samples are left out.
#include "ns3/roce-station-series.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3::roce;

namespace
{

/// What is told of a sample, as port:key=value@steady.
std::string
Told(SampleFilter& filter, const std::vector<SeriesRow>& rows)
{
    for (const SeriesRow& row : rows)
    {
        filter.Take(row);
    }
    std::string told;
    for (const SeriesRow& row : filter.Finish())
    {
        told += (told.empty() ? "" : " ") + std::to_string(row.port) + ":" +
                std::to_string(row.values[0].count) + "=" + std::to_string(row.values[1].count) +
                "@" + std::to_string(row.values[2].count);
    }
    return told;
}

SeriesRow
Row(uint16_t port, uint64_t key, uint64_t value, uint64_t steady = 0)
{
    SeriesRow row;
    row.port = port;
    row.values = {key, value, steady};
    return row;
}

SeriesTable
Table(unsigned roles, unsigned steadyRoles = 0)
{
    return {"test",
            SeriesSubject::PORTS,
            "",
            "",
            "",
            {{"port", SeriesForm::PORT},
             {"key", SeriesForm::COUNT, KEY},
             {"value", SeriesForm::COUNT, roles},
             {"steady", SeriesForm::COUNT, steadyRoles}}};
}

} // namespace

TEST(SampleFilter, EveryRowOfATableWithoutSilenceIsTold)
{
    SampleFilter filter(Table(0));
    for (int i = 0; i < 2; ++i)
    {
        EXPECT_EQ(Told(filter, {Row(1, 0, 0), Row(0, 0, 5), Row(1, 0, 0)}),
                  "1:0=0@0 0:0=5@0 1:0=0@0")
            << "sample " << i << ": lost, doubled or in another order";
    }
}

TEST(SampleFilter, ZerosAreToldOnceAfterSomethingElse)
{
    SampleFilter filter(Table(SILENT));
    EXPECT_EQ(Told(filter, {Row(0, 0, 0), Row(0, 1, 0)}), "") << "nothing has been there yet";
    EXPECT_EQ(Told(filter, {Row(0, 0, 0), Row(0, 1, 7)}), "0:1=7@0");
    EXPECT_EQ(Told(filter, {Row(0, 0, 0), Row(0, 1, 7)}), "0:1=7@0") << "lasts: told again";
    EXPECT_EQ(Told(filter, {Row(0, 0, 0), Row(0, 1, 0)}), "0:1=0@0") << "the end is told";
    EXPECT_EQ(Told(filter, {Row(0, 0, 0), Row(0, 1, 0)}), "") << "the end is told once only";
}

TEST(SampleFilter, KeysAndPortsAreKeptApart)
{
    SampleFilter filter(Table(SILENT));
    EXPECT_EQ(Told(filter, {Row(1, 2, 7), Row(2, 1, 0)}), "1:2=7@0");
    EXPECT_EQ(Told(filter, {Row(1, 2, 0), Row(2, 1, 8)}), "1:2=0@0 2:1=8@0");
    EXPECT_EQ(Told(filter, {Row(1, 2, 0), Row(2, 1, 0)}), "2:1=0@0");
}

TEST(SampleFilter, WhatIsNotOfferedAnyMoreEnds)
{
    SampleFilter filter(Table(SILENT));
    EXPECT_EQ(Told(filter, {Row(0, 1, 7), Row(0, 2, 8)}), "0:1=7@0 0:2=8@0");
    EXPECT_EQ(Told(filter, {Row(0, 2, 9)}), "0:2=9@0 0:1=0@0") << "one is forgotten";
    EXPECT_EQ(Told(filter, {}), "0:2=0@0");
    EXPECT_EQ(Told(filter, {}), "");
}

TEST(SampleFilter, AChangeOfWhatIsSteadyIsTold)
{
    SampleFilter filter(Table(SILENT, STEADY));
    EXPECT_EQ(Told(filter, {Row(0, 1, 0, 0), Row(0, 2, 0, 5)}), "0:2=0@5") << "0 is the beginning";
    EXPECT_EQ(Told(filter, {Row(0, 1, 0, 0), Row(0, 2, 0, 5)}), "");
    EXPECT_EQ(Told(filter, {Row(0, 1, 0, 0), Row(0, 2, 0, 6)}), "0:2=0@6");
    EXPECT_EQ(Told(filter, {Row(0, 1, 0, 0), Row(0, 2, 0, 0)}), "0:2=0@0") << "back to 0";
    EXPECT_EQ(Told(filter, {Row(0, 1, 0, 0), Row(0, 2, 0, 0)}), "");
}

TEST(SampleFilter, RefusesTablesThatARowCannotHold)
{
    SeriesTable wide = Table(SILENT);
    wide.columns.resize(SeriesValues().size() + 2, {"more", SeriesForm::COUNT}); // one a port
    EXPECT_THROW(SampleFilter{wide}, std::logic_error) << "a value too many";
    SeriesTable keys = Table(KEY, KEY);
    EXPECT_THROW(SampleFilter{keys}, std::logic_error) << "3 keys";
}
