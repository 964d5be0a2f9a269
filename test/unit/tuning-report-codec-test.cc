// SPDX-License-Identifier: GPL-2.0-only
#include "ns3/roce-input-error.h"
#include "ns3/roce-tuning-agents.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3::roce;

namespace
{

/// @param seed makes each value another one
PortReport
MakePort(uint16_t seed)
{
    PortReport report;
    report.port = seed;
    report.isHost = seed % 2;
    report.rateBps = 100'000'000'000 + seed;
    report.rxDataBytes = seed * 3U;
    report.rxBytes = seed * 5U;
    report.txBytes = seed * 7U;
    report.pausedPs = seed * 11;
    report.pauseFrames = seed * 13U;
    report.queueBytes = seed * 17U;
    report.markedBytes = seed * 19U;
    return report;
}

void
ExpectPort(const PortReport& found, uint16_t seed)
{
    const PortReport expected = MakePort(seed);
    EXPECT_EQ(found.port, expected.port);
    EXPECT_EQ(found.isHost, expected.isHost);
    EXPECT_EQ(found.rateBps, expected.rateBps);
    EXPECT_EQ(found.rxDataBytes, expected.rxDataBytes);
    EXPECT_EQ(found.rxBytes, expected.rxBytes);
    EXPECT_EQ(found.txBytes, expected.txBytes);
    EXPECT_EQ(found.pausedPs, expected.pausedPs);
    EXPECT_EQ(found.pauseFrames, expected.pauseFrames);
    EXPECT_EQ(found.queueBytes, expected.queueBytes);
    EXPECT_EQ(found.markedBytes, expected.markedBytes);
}

/// Two NICs, one without RTTs, and a switch of two ports.
TuningReports
MakeReports()
{
    TuningReports reports;
    reports.nics.push_back({4, MakePort(40), {{9, 1'000'000'007}, {2, 5}}});
    reports.nics.push_back({6, MakePort(60), {}});
    SwitchReport report;
    report.sw = 3;
    report.values = {0.25, 17.5};
    report.ports = {MakePort(0), MakePort(31)};
    reports.switches.push_back(report);
    return reports;
}

TEST(TuningReportCodec, ReadsWhatWasWritten)
{
    TuningReports found;
    TuningReportCodec::Read(TuningReportCodec::Write(MakeReports()), found);
    ASSERT_EQ(found.nics.size(), 2U);
    EXPECT_EQ(found.nics[0].nic, 4U);
    ExpectPort(found.nics[0].port, 40);
    ASSERT_EQ(found.nics[0].rtts.size(), 2U);
    EXPECT_EQ(found.nics[0].rtts[0].dst, 9U);
    EXPECT_EQ(found.nics[0].rtts[0].rttPs, 1'000'000'007);
    EXPECT_EQ(found.nics[0].rtts[1].dst, 2U);
    EXPECT_EQ(found.nics[0].rtts[1].rttPs, 5);
    EXPECT_EQ(found.nics[1].nic, 6U);
    ExpectPort(found.nics[1].port, 60);
    EXPECT_TRUE(found.nics[1].rtts.empty());
    ASSERT_EQ(found.switches.size(), 1U);
    EXPECT_EQ(found.switches[0].sw, 3U);
    EXPECT_EQ(found.switches[0].values.at(0), 0.25);
    EXPECT_EQ(found.switches[0].values.at(1), 17.5);
    ASSERT_EQ(found.switches[0].ports.size(), 2U);
    ExpectPort(found.switches[0].ports[0], 0);
    ExpectPort(found.switches[0].ports[1], 31);
}

TEST(TuningReportCodec, AppendsToWhatIsThere)
{
    const std::string bytes = TuningReportCodec::Write(MakeReports());
    TuningReports found;
    found.fromPs = 12;
    TuningReportCodec::Read(TuningReportCodec::Write({}), found); // a process without reports
    TuningReportCodec::Read(bytes, found);
    TuningReportCodec::Read(bytes, found);
    EXPECT_EQ(found.fromPs, 12);
    EXPECT_EQ(found.nics.size(), 4U);
    EXPECT_EQ(found.switches.size(), 2U);
}

TEST(TuningReportCodec, RefusesBytesThatEndWithinAReport)
{
    const std::string bytes = TuningReportCodec::Write(MakeReports());
    for (const std::size_t length : {std::size_t{0}, std::size_t{9}, bytes.size() - 1})
    {
        TuningReports found;
        EXPECT_THROW(TuningReportCodec::Read(bytes.substr(0, length), found), InputError)
            << length << " of " << bytes.size() << " bytes";
    }
}

} // namespace
