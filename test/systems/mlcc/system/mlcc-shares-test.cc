// SPDX-License-Identifier: GPL-2.0-only
// How a flow across, under MLCC, and one within share a receiver's port when their laws differ.
// HPCC and PowerTCP rest where what they add is what they take away: the shares are those of the
// additive steps, not of MLCC.
#include "roce-mlcc-endless.h"

#include <string>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// HPCC or PowerTCP at rest: rate = rate aim / U + step.
struct Rest
{
    double stepGbps;
    double aim;

    double RateGbps(double utilisation) const
    {
        return stepGbps / (1 - aim / utilisation);
    }
};

/// @return rate of the first of two flows that fill 25 Gbit/s together, of wire bytes; both see the
/// same utilisation, of rate and queue
double
FirstShareGbps(const Rest& first, const Rest& second)
{
    double low = 1;
    double high = 10;
    for (int i = 0; i < 60; ++i)
    {
        const double middle = (low + high) / 2;
        const bool isTooMuch = first.RateGbps(middle) + second.RateGbps(middle) > 25;
        (isTooMuch ? low : high) = middle;
    }
    return first.RateGbps(low);
}

struct MlccSharesTest : public MlccEndlessTest
{
    /// @param within law of the flow within @param inner that of MLCC's loops @return payload of
    /// both, by sender: 0 across, 5 within
    static std::map<uint32_t, double> Run(const std::string& within, const std::string& inner)
    {
        SetRateLaw(within);
        Config::SetDefault("ns3::roce::Nic::InterCongestionControl",
                           StringValue("ns3::roce::Mlcc[InnerCc=" + inner + "]"));
        return RunEndless({{0, 4}, {5, 4}}, 20 * MS, 30 * MS).gbps;
    }

    static constexpr double PAYLOAD = 1000.0 / 1098; //!< share of the wire, with telemetry
};

} // namespace

// PowerTCP's paper adds an eighth of the line rate, HPCC 50 Mbit/s: a flow of HPCC beside one of
// MLCC with PowerTCP inside is left 0.3 of 25 Gbit/s, by both laws. As much of HPCC's step as of
// PowerTCP's, and they share.
TEST_F(MlccSharesTest, SharesAreThoseOfTheAdditiveSteps)
{
    const Rest powerTcp{25.0 / 8, 1};
    for (const double stepGbps : {0.05, 0.4, 3.6})
    {
        SCOPED_TRACE(stepGbps);
        const double expected = FirstShareGbps({stepGbps, 0.95}, powerTcp) * PAYLOAD;
        const std::string step = std::to_string(static_cast<int>(stepGbps * 1000)) + "Mbps";
        auto gbps = Run("Hpcc[BaseRtt=24us|Rai=" + step + "]", "PowerTcp");
        EXPECT_NEAR(gbps[5], expected, 0.35 * expected);
        EXPECT_NEAR(gbps[0] + gbps[5], 25 * PAYLOAD, 1);
    }
}

// The same law with the same steps on both sides: halves.
TEST_F(MlccSharesTest, EqualStepsShareEqually)
{
    auto gbps = Run("PowerTcp[BaseRtt=24us]", "PowerTcp");
    EXPECT_NEAR(gbps[5], 12.5 * PAYLOAD, 1.5);
    EXPECT_NEAR(gbps[0], 12.5 * PAYLOAD, 1.5);
}
