// SPDX-License-Identifier: GPL-2.0-only
// Reflex's feedback state machine against traces worked out by hand.
#include "roce-test-time.h"

#include "ns3/roce-edge-flow-table.h"
#include "ns3/roce-reflex-nsf.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using Mode = NsfMachine::CoolingMode;

NsfMachine::Config
Config(Mode mode, int64_t intervalPs = 5 * US, uint32_t nCool = 5, int64_t probePs = 0)
{
    return {5 * US, intervalPs, probePs, nCool, mode};
}

/// Arrivals as (time, delay) in units of 100 ns.
using Arrivals = std::vector<std::pair<int64_t, int64_t>>;

/// States of one flow: letter, counter in Cooling, an asterisk for a pseudo-ACK.
std::string
Trace(const NsfMachine::Config& config, const Arrivals& arrivals)
{
    NsfMachine machine;
    std::string text;
    for (const auto& [at, delay] : arrivals)
    {
        const bool answer = machine.OnData(config, delay * 100 * NS, at * 100 * NS);
        text += text.empty() ? "" : " ";
        text += "SAC"[machine.GetState()];
        text += machine.GetState() == NsfMachine::COOLING ? std::to_string(machine.GetCount()) : "";
        text += answer ? "*" : "";
    }
    return text;
}

const Arrivals LONG_TRACE{{0, 40},
                          {10, 50},
                          {20, 51},
                          {30, 60},
                          {69, 70},
                          {70, 70},
                          {80, 50},
                          {90, 49},
                          {120, 45},
                          {130, 45},
                          {170, 45},
                          {220, 40},
                          {270, 35},
                          {320, 33},
                          {370, 33}};

TEST(NsfMachine, CoolingCountsPseudoAcks)
{
    EXPECT_EQ(Trace(Config(Mode::PER_PSEUDO_ACK), LONG_TRACE),
              "S S A* A A A* C5 C5 C4* C4 C3* C2* C1* S* S");
}

TEST(NsfMachine, CoolingCountsPackets)
{
    EXPECT_EQ(Trace(Config(Mode::PER_PACKET_GATED), LONG_TRACE),
              "S S A* A A A* C5 C4 C3* C2 C1* S* S S S");
}

TEST(NsfMachine, CoolingAnswersEachPacket)
{
    EXPECT_EQ(Trace(Config(Mode::PER_PACKET_UNGATED), LONG_TRACE),
              "S S A* A A A* C5 C4* C3* C2* C1* S* S S S");
}

TEST(NsfMachine, BecomesActiveAgain)
{
    EXPECT_EQ(Trace(Config(Mode::PER_PSEUDO_ACK, 3 * US, 2),
                    {{0, 90},
                     {10, 90},
                     {30, 90},
                     {40, 40},
                     {60, 40},
                     {70, 60},
                     {90, 60},
                     {100, 40},
                     {120, 40},
                     {150, 40},
                     {160, 90}}),
              "A* A A* C2 C1* A A* C2 C1* S* A");
}

TEST(NsfMachine, WithoutCounterThereIsNoCooling)
{
    EXPECT_EQ(Trace(Config(Mode::PER_PACKET_UNGATED, 5 * US, 0), {{0, 90}, {10, 40}, {20, 40}}),
              "A* S S");
}

/// Packets at line rate, 83.84 ns apart; congestion of 9 us until 20 us, 4 us then.
std::vector<int64_t>
BurstAnswers(Mode mode)
{
    NsfMachine machine;
    std::vector<int64_t> answers;
    for (int64_t at = 0; at < 60 * US; at += 83840)
    {
        if (machine.OnData(Config(mode), (at < 20 * US ? 9 : 4) * US, at))
        {
            answers.push_back((at + 5 * NS) / (10 * NS)); // hundredths of a microsecond
        }
    }
    return answers;
}

TEST(NsfMachine, BurstAtLineRate)
{
    EXPECT_EQ(BurstAnswers(Mode::PER_PSEUDO_ACK),
              (std::vector<int64_t>{0, 503, 1006, 1509, 2012, 2515, 3018, 3521, 4024}));
    EXPECT_EQ(BurstAnswers(Mode::PER_PACKET_GATED),
              (std::vector<int64_t>{0, 503, 1006, 1509, 2012}));
    EXPECT_EQ(BurstAnswers(Mode::PER_PACKET_UNGATED),
              (std::vector<int64_t>{0, 503, 1006, 1509, 2012, 2021, 2029, 2037, 2046}));
}

TEST(NsfMachine, ProbesInSilent)
{
    // Each 10 us since the last pseudo-ACK, of whatever state; none without an interval.
    const Arrivals
        quiet{{0, 40}, {50, 40}, {99, 40}, {100, 40}, {140, 60}, {150, 40}, {230, 40}, {260, 40}};
    EXPECT_EQ(Trace(Config(Mode::PER_PSEUDO_ACK, 3 * US, 0, 10 * US), quiet),
              "S* S S S* A* S S S*");
    EXPECT_EQ(Trace(Config(Mode::PER_PSEUDO_ACK, 3 * US, 0), quiet), "S S S S A* S S S");
}

Frame
DataOf(uint32_t src, uint32_t qp)
{
    Frame frame{};
    frame.src = src;
    frame.srcQp = qp;
    return frame;
}

TEST(EdgeFlowTable, KeysOfDataAndAckAgree)
{
    Frame ack{};
    ack.dst = 7;
    ack.dstQp = 9;
    EXPECT_EQ(FlowOfData(DataOf(7, 9)), FlowOfAck(ack));
    EXPECT_NE(FlowOfData(DataOf(7, 9)), FlowOfData(DataOf(9, 7)));
    EXPECT_EQ(NicOfFlow(FlowOfAck(ack)), 7u);
    EXPECT_EQ(QpOfFlow(FlowOfAck(ack)), 9u);
}

TEST(EdgeFlowTable, ForgetsAfterTheTimeout)
{
    EdgeFlowTable<int> table;
    table.SetTimeout(100);
    table.Touch(1, 0) = 5;
    EXPECT_EQ(table.Touch(1, 100), 5); // seen again in time
    EXPECT_EQ(table.Touch(1, 200), 5);
    EXPECT_EQ(table.Touch(1, 301), 0); // too late: a new entry
    EXPECT_EQ(table.GetInserted(), 2u);
    EXPECT_EQ(table.GetPeak(), 1u);
}

TEST(EdgeFlowTable, OldEntriesMakeRoom)
{
    EdgeFlowTable<int> table;
    table.SetTimeout(100);
    for (FlowKey flow = 0; flow < 10000; ++flow)
    {
        table.Touch(flow, static_cast<int64_t>(flow));
    }
    EXPECT_EQ(table.GetInserted(), 10000u);
    EXPECT_LE(table.GetPeak(), 205u); // two timeouts' worth
}

} // namespace
