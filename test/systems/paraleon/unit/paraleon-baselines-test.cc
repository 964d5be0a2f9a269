// SPDX-License-Identifier: GPL-2.0-only
// PARALEON's fixed settings as profiles of DCQCN and of ECN: each row of its tables, and those that
// stand for "Pretrained".
#include "ns3/object-factory.h"
#include "ns3/roce-congestion-control.h"
#include "ns3/roce-switch-stage.h"
#include "ns3/string.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// @return the value in force of a profile
std::string
ValueIn(const std::string& profile, const std::string& type, const std::string& attribute)
{
    ObjectFactory factory("ns3::roce::" + type, "Profile", StringValue(profile));
    StringValue value;
    factory.Create()->GetAttribute(attribute, value);
    return value.Get();
}

} // namespace

TEST(ParaleonBaselines, EachRow)
{
    struct Row
    {
        const char* type;
        const char* attribute;
        const char* byDefault;
        const char* expert;      //!< nullptr: the default's
        const char* pretrained1; //!< nullptr: the default's
    };

    const std::vector<Row> rows{
        {"Dcqcn", "TimeReset", "300us", nullptr, "5us"},
        {"Dcqcn", "AiRate", "5Mbps", "50Mbps", "471Mbps"},
        {"Dcqcn", "HaiRate", "50Mbps", "150Mbps", "745Mbps"},
        {"Dcqcn", "FractionOnFirstCnp", "1", nullptr, nullptr},
        {"Dcqcn", "RateOnFirstCnp", "0bps", nullptr, nullptr},
        {"Dcqcn", "MinDecFac", "0.5", nullptr, "0.80892"},
        {"Dcqcn", "MinRate", "1Mbps", nullptr, "1703Mbps"},
        {"Dcqcn", "Gd", "11", nullptr, "13"},
        {"Dcqcn", "MinTimeBetweenCnps", "4us", "96us", "153us"},
        {"Dcqcn", "Gain", "0.0048828125", nullptr, "0.279297"}, // dce_tcp_g 1019 of 1024
        {"Dcqcn", "InitialAlpha", "0.9990234375", nullptr, "0.875977"},
        {"Dcqcn", "CutPeriod", "4us", "80us", "85us"},
        {"Dcqcn", "Threshold", "1", nullptr, nullptr},
        {"Dcqcn", "AlphaPeriod", "1us", nullptr, nullptr},
        {"Dcqcn", "ByteReset", "0", nullptr, nullptr},
        {"Dcqcn", "StageRule", "time", nullptr, nullptr},
        {"Dcqcn", "CutTimerFreeRunning", "true", nullptr, nullptr},
        {"Dcqcn", "ReleaseAtLineRate", "false", nullptr, nullptr},
        {"Dcqcn", "ClampTarget", "afterTimeInc", nullptr, nullptr},
        // At 25 Gbit/s: the tables are for 100 Gbit/s. Expert's are 1.6 and 6.4 MB at any rate.
        {"EcnMarker", "ReferenceRate", "25Gbps", "0bps", nullptr},
        {"EcnMarker", "Kmin", "100000", "1600000", "400000"},
        {"EcnMarker", "Kmax", "400000", "6400000", "1389390"},
        {"EcnMarker", "Pmax", "0.2", nullptr, nullptr},
    };
    for (const Row& row : rows)
    {
        const auto expect = [&row](const char* profile, const char* value) {
            EXPECT_EQ(ValueIn(std::string("paraleon-") + profile, row.type, row.attribute),
                      value ? value : row.byDefault)
                << row.type << "::" << row.attribute << " of paraleon-" << profile;
        };
        expect("default", row.byDefault);
        expect("expert", row.expert);
        expect("pretrained-1", row.pretrained1);
        expect("pretrained-2", nullptr); // no setting was better
    }
}
