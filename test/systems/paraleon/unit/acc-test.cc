// SPDX-License-Identifier: GPL-2.0-only
// ACC's parts: levels, states, reward, values, double Q-learning, and the file of the table.
#include "roce-error-of.h"
#include "roce-temp-file.h"

#include "ns3/roce-acc-table.h"

#include <array>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

using namespace ns3::roce;
using ns3::roce::test::ErrorOf;
using ns3::roce::test::TempFile;

namespace
{

/// A table of two actions, a state in which both are known, and one in which none is.
const char* const SMALL = "acc-table 1\n"
                          "intervals 2 # two\n"
                          "\n"
                          "action 20000 80000 0.2\n"
                          "action 80000 320000 1\n"
                          "value 0 1 2 0  0  0.25 70\n"
                          "value 0 1 2 0  1  0.5 30\n"
                          "value 3 3 2 2  1  -0.5 29\n";

AccTable
Parse(const std::string& text)
{
    std::istringstream in(text);
    return AccTable::Parse(in, "t.txt");
}

std::string
Refused(const std::string& text)
{
    return ErrorOf([&] { Parse(text); });
}

AccState::Observation
Observe(double queueBytes, double utilisation, double markedShare, const EcnCurve& curve)
{
    return {queueBytes, utilisation, markedShare, curve};
}

} // namespace

// E(0) = 20 KB .. E(9) = 10.24 MB; a length at a threshold does not exceed it.
TEST(AccState, LevelsOfLengths)
{
    EXPECT_EQ(AccState::ThresholdBytes(0), 20000u);
    EXPECT_EQ(AccState::ThresholdBytes(9), 10240000u);
    EXPECT_EQ(AccState::LevelOf(0), 0u);
    EXPECT_EQ(AccState::LevelOf(20000), 0u);
    EXPECT_EQ(AccState::LevelOf(20001), 1u);
    EXPECT_EQ(AccState::LevelOf(40001), 2u);
    EXPECT_EQ(AccState::LevelOf(1600000), 7u) << "above 1,280,000";
    EXPECT_EQ(AccState::LevelOf(10240000), 9u);
    EXPECT_EQ(AccState::LevelOf(10240001), 10u);
    EXPECT_EQ(AccState::LevelOf(1e12), 10u);
}

TEST(AccState, RewardOfAnInterval)
{
    const AccState::Weights weights{0.7, 0.3};
    const auto reward = [&](double queueBytes, double utilisation) {
        return AccState::RewardOf(Observe(queueBytes, utilisation, 0.5, {}), weights);
    };
    EXPECT_DOUBLE_EQ(reward(0, 0), 0.3);
    EXPECT_DOUBLE_EQ(reward(0, 1), 1);
    EXPECT_DOUBLE_EQ(reward(100000, 1), 0.7 + 0.3 * 0.7) << "100 KB is level 3";
    EXPECT_DOUBLE_EQ(reward(1300000, 0.5), 0.35 + 0.3 * 0.3) << "1.3 MB is level 7";
    EXPECT_DOUBLE_EQ(reward(20e6, 1), 0.7);
}

// Means over the last intervals, fewer at first; Kmax of the latest.
TEST(AccState, ClassesOfTheLastIntervals)
{
    using Classes = std::array<unsigned, 4>;
    AccState state(3);
    EXPECT_EQ(AccState::ClassesOf(state.GetCell()), (Classes{0, 0, 0, 0}));
    // Levels: 100 KB 3, 1600 KB 7.
    state.Observe(Observe(100000, 0.9, 0.1, {400000, 1600000, 0.2}));
    EXPECT_EQ(AccState::ClassesOf(state.GetCell()), (Classes{1, 3, 2, 2})) << "the only one";
    // Means 1.5, 0.5, 0.0505; Kmax 320 KB has level 4.
    state.Observe(Observe(0, 0.1, 0.001, {80000, 320000, 0.2}));
    EXPECT_EQ(AccState::ClassesOf(state.GetCell()), (Classes{1, 1, 1, 1}));
    // 20 MB has level 10: means 13 / 3, 2 / 3, 0.101 / 3; Kmax 80 KB has level 2.
    state.Observe(Observe(20e6, 1, 0, {20000, 80000, 1}));
    EXPECT_EQ(AccState::ClassesOf(state.GetCell()), (Classes{2, 2, 1, 0}));
    // The first one has gone: 20 / 3, 2.1 / 3, 0.001 / 3, below 0.001.
    state.Observe(Observe(20e6, 1, 0, {20000, 80000, 1}));
    EXPECT_EQ(AccState::ClassesOf(state.GetCell()), (Classes{3, 2, 0, 0}));
}

TEST(AccState, CellsAndClasses)
{
    for (unsigned cell = 0; cell < AccState::CELLS; ++cell)
    {
        ASSERT_EQ(AccState::CellOf(AccState::ClassesOf(cell)), cell);
    }
    EXPECT_EQ(AccState::CellOf({3, 3, 2, 2}), AccState::CELLS - 1);
    EXPECT_EQ(AccState::CellOf({1, 0, 0, 0}), 36u);
}

TEST(AccTable, TheBestOfThoseKnown)
{
    const AccTable table = Parse(SMALL);
    EXPECT_EQ(table.GetIntervals(), 2u);
    ASSERT_EQ(table.GetActions().size(), 2u);
    EXPECT_EQ(table.GetActions()[1].kmaxBytes, 320000u);
    const unsigned both = AccState::CellOf({0, 1, 2, 0});
    const unsigned few = AccState::CellOf({3, 3, 2, 2});
    EXPECT_DOUBLE_EQ(table.ValueOf(both, 0), 0.25);
    EXPECT_EQ(table.CountOf(both, 1), 30u);
    EXPECT_EQ(table.BestOf(both), 1u);
    EXPECT_DOUBLE_EQ(table.ValueOf(few, 1), -0.5);
    EXPECT_EQ(table.BestOf(few), AccTable::NONE) << "29 times are not enough";
    EXPECT_EQ(AccTable(1, table.GetActions()).BestOf(both), AccTable::NONE) << "nothing is known";
}

// By hand: the first tries are means, later steps are the rate.
TEST(AccTable, StepsOfLearning)
{
    AccTable table = Parse("acc-table 1\nintervals 1\naction 1 2 0.2\naction 3 4 0.2\n");
    const AccTable::Learning learning{0.4, 0, 100};
    EXPECT_DOUBLE_EQ(table.Learn({7, 1, 0.8, 9}, learning), 0.8);
    EXPECT_DOUBLE_EQ(table.ValueOf(7, 1), 0.8) << "the first one, step 1";
    EXPECT_DOUBLE_EQ(table.Learn({7, 1, 0.2, 9}, learning), -0.6);
    EXPECT_DOUBLE_EQ(table.ValueOf(7, 1), 0.5) << "step 1/2";
    EXPECT_DOUBLE_EQ(table.Learn({7, 1, 1, 9}, learning), 0.5);
    EXPECT_DOUBLE_EQ(table.ValueOf(7, 1), 0.7) << "0.4 is more than 1/3";
    EXPECT_EQ(table.CountOf(7, 1), 3u);
    EXPECT_DOUBLE_EQ(table.ValueOf(7, 0), 0) << "the other action";
    EXPECT_DOUBLE_EQ(table.ValueOf(9, 1), 0) << "the other state";
}

// By hand: what is behind counts as the target knows it, for the action that the values choose.
TEST(AccTable, TheValuesChooseAndTheTargetValues)
{
    const std::string head = "acc-table 1\nintervals 1\naction 1 2 0.2\naction 3 4 0.2\n";
    // Next state 0 0 0 0: action 0 is worth 2, action 1 1; once read, the target is the same.
    AccTable table = Parse(head + "value 0 0 0 0 0 2 90\nvalue 0 0 0 0 1 1 90\n");
    const AccTable::Learning learning{0.5, 0.9, 3};
    const unsigned next = 0;
    EXPECT_DOUBLE_EQ(table.Learn({40, 0, 0.1, next}, learning), 0.1 + 0.9 * 2);
    table.Learn({next, 1, 9, 50}, {0.5, 0, 100}); // now 1 + 0.5 * 8 = 5: the best one
    EXPECT_DOUBLE_EQ(table.ValueOf(next, 1), 5);
    // Chosen 1, which the target still has with 1: neither 2, its best, nor 5.
    EXPECT_DOUBLE_EQ(table.Learn({41, 0, 0, next}, learning), 0.9 * 1);
    // That was the third step: the target has followed.
    EXPECT_DOUBLE_EQ(table.Learn({42, 0, 0, next}, learning), 0.9 * 5);
    // Nothing is known of state 60: as if it were worth what this one is.
    EXPECT_DOUBLE_EQ(table.Learn({next, 1, 1, 60}, {0.5, 0.9, 100}), 1 + 0.9 * 5 - 5);
}

TEST(AccTable, FileIsReadAsItIsPrinted)
{
    const TempFile file(SMALL);
    AccTable table = AccTable::Read(file.path);
    table.Learn({5, 1, 1.0 / 3, 5}, {0.01, 0.5, 100});
    const std::string text = table.Print();
    EXPECT_EQ(Parse(text).Print(), text);
    EXPECT_EQ(text,
              "acc-table 1\nintervals 2\naction 20000 80000 0.2\naction 80000 320000 1\n"
              "value 0 0 1 2 1 0.333333333 1\nvalue 0 1 2 0 0 0.25 70\nvalue 0 1 2 0 1 0.5 30\n"
              "value 3 3 2 2 1 -0.5 29\n");
}

TEST(AccTable, BadFilesAreRefused)
{
    EXPECT_EQ(ErrorOf([] { AccTable::Read("/nowhere/t"); }),
              "/nowhere/t:1: cannot be read (No such file or directory), expected a table of Acc");
    EXPECT_EQ(Refused(""), "t.txt:1: '', expected 'acc-table 1'");
    EXPECT_EQ(Refused("acc-table 2\n"), "t.txt:1: 'acc-table 2', expected 'acc-table 1'");
    const std::string head = "acc-table 1\n";
    EXPECT_EQ(Refused(head), "t.txt:1: '', expected 'intervals' and their number");
    EXPECT_EQ(Refused(head + "intervals\n"),
              "t.txt:2: 'intervals', expected 'intervals' and their number");
    EXPECT_EQ(Refused(head + "intervals 0\n"),
              "t.txt:2: intervals is '0', expected a number from 1 to 16");
    EXPECT_EQ(Refused(head + "intervals 1.5\n"),
              "t.txt:2: intervals is '1.5', expected a whole number");
    const std::string two = head + "intervals 1\n";
    EXPECT_EQ(Refused(two), "t.txt:2: '', expected 'action', Kmin, Kmax and Pmax");
    EXPECT_EQ(Refused(two + "action 1 2\n"),
              "t.txt:3: 'action' with 2 numbers, expected Kmin, Kmax and Pmax");
    EXPECT_EQ(Refused(two + "action 1 -2 0.1\n"),
              "t.txt:3: Kmax is '-2', expected a number from 0 to 1e+09");
    EXPECT_EQ(Refused(two + "action 3 2 0.1\n"), "t.txt:3: Kmin is 3, expected at most Kmax, 2");
    EXPECT_EQ(Refused(two + "\naction 1 2 1.1\n"),
              "t.txt:4: Pmax is '1.1', expected a number from 0 to 1");
    const std::string three = two + "action 1 2 0.1\n";
    EXPECT_EQ(Refused(three + "values 0 0 0 0 0 1 1\n"), "t.txt:4: 'values', expected 'value'");
    EXPECT_EQ(Refused(three + "value 0 0 0 0 0 1\n"),
              "t.txt:4: 'value' with 6 numbers, expected four classes of the state, action, value "
              "and count");
    EXPECT_EQ(Refused(three + "value 0 0 3 0 0 1 1\n"),
              "t.txt:4: a class is '3', expected a number from 0 to 2");
    EXPECT_EQ(Refused(three + "value 0 0 0 0 1 1 1\n"),
              "t.txt:4: the action is '1', expected a number from 0 to 0");
    EXPECT_EQ(Refused(three + "value 0 0 0 0 0 nan 1\n"),
              "t.txt:4: the value is 'nan', expected a number from -1e+06 to 1e+06");
    EXPECT_EQ(Refused(three + "value 0 0 0 0 0 1 0\n"),
              "t.txt:4: the count is '0', expected a number from 1 to 1e+09");
    EXPECT_EQ(Refused(three + "value 0 0 0 0 0 1 1\nvalue 0 0 0 0 0 1 1\n"),
              "t.txt:5: a second value of this state and action, expected one");
    std::string many = two;
    for (unsigned i = 0; i <= AccTable::MAX_ACTIONS; ++i)
    {
        many += "action 1 2 0.1\n";
    }
    EXPECT_EQ(Refused(many), "t.txt:259: one action more than 256, expected fewer");
}

// Its curves are pairs of ACC's thresholds; it knows what to do where a queue is long.
TEST(AccTable, TheModulesOwn)
{
    const AccTable table = AccTable::BuiltIn();
    EXPECT_EQ(table.GetIntervals(), 3u);
    EXPECT_EQ(table.GetActions().size(), 12u);
    const auto isThreshold = [](uint64_t bytes) {
        unsigned n = 0;
        while (n < AccState::LEVELS && AccState::ThresholdBytes(n) != bytes)
        {
            ++n;
        }
        return n < AccState::LEVELS;
    };
    for (const EcnCurve& curve : table.GetActions())
    {
        EXPECT_TRUE(isThreshold(curve.kminBytes)) << curve.kminBytes;
        EXPECT_TRUE(isThreshold(curve.kmaxBytes)) << curve.kmaxBytes;
        EXPECT_EQ(curve.kmaxBytes, 4 * curve.kminBytes);
    }
    for (unsigned kmax = 0; kmax < 3; ++kmax)
    {
        EXPECT_NE(table.BestOf(AccState::CellOf({1, 2, 2, kmax})), AccTable::NONE)
            << "a port in use with a queue and marks";
    }
}
