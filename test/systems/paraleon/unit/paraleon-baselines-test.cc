// SPDX-License-Identifier: GPL-2.0-only
// PARALEON's fixed settings as profiles of DCQCN and of ECN: each row of its tables, and those that
// stand for "Pretrained".
#include "roce-law-fixture.h"

#include "ns3/object-factory.h"
#include "ns3/roce-dcqcn.h"
#include "ns3/roce-switch-stage.h"
#include "ns3/string.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

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

// --- the authors' first simulator

namespace
{

/// Queue pairs of one NIC with that simulator's DCQCN, and what a tuner gives it.
struct Artifact
{
    explicit Artifact(Attributes attributes)
        : attributes(std::move(attributes))
    {
        this->attributes.emplace_back("Profile", "paraleon-a1");
        nic = MakeNic(*MakeLaw<Dcqcn>(this->attributes, path));
    }

    /// @return a NIC's own prototype
    static Ptr<Dcqcn> MakeNic(const Dcqcn& law)
    {
        const Ptr<Dcqcn> nic = DynamicCast<Dcqcn>(law.Fork());
        nic->Initialize();
        return nic;
    }

    Ptr<Dcqcn> Open(const Ptr<Dcqcn>& from) const
    {
        const Ptr<Dcqcn> law = DynamicCast<Dcqcn>(from->Fork());
        law->Start(path, 0);
        return law;
    }

    Ptr<Dcqcn> Open() const
    {
        return Open(nic);
    }

    /// A mark, and all that follows from it.
    static void Mark(const Ptr<Dcqcn>& law, int64_t atPs)
    {
        AckInfo ack;
        ack.nowPs = atPs;
        ack.ecnEcho = true;
        law->OnAck(ack);
        law->Advance(atPs + 4 * US + 2000);
    }

    Attributes attributes;
    PathInfo path = MakePath(G100, 12 * US, 1056);
    Ptr<Dcqcn> nic;
};

} // namespace

// Gd 13 would cut by 1/8 at most. The first CNP of any queue pair makes it 11 for all of the NIC,
// and for no other, also if one tuner gives both NICs the same.
TEST(ParaleonArtifact, FirstCnpSetsTheNicBack)
{
    const Artifact artifact({{"Gd", "13"}, {"InitialAlpha", "1"}, {"MinDecFac", "0.1"}});
    const auto a = artifact.Open();
    const auto b = artifact.Open();
    Artifact::Mark(a, 0);
    EXPECT_LT(a->GetRateBps(), 26'000'000'000U) << "half at the first CNP, then alpha / 2";
    Artifact::Mark(b, 0);
    const auto tuned = MakeLaw<Dcqcn>(artifact.attributes, artifact.path);
    const auto nic = Artifact::MakeNic(*tuned);
    a->Retune(*nic, 10 * US);
    b->Retune(*Artifact::MakeNic(*tuned), 10 * US);
    const uint64_t before = a->GetRateBps();
    Artifact::Mark(a, 10 * US);
    EXPECT_GT(a->GetRateBps(), before * 87 / 100) << "until a tuner's next change";
    Artifact::Mark(artifact.Open(nic), 20 * US);
    const uint64_t tunedBps = a->GetRateBps();
    Artifact::Mark(a, 30 * US);
    Artifact::Mark(b, 30 * US);
    EXPECT_LT(a->GetRateBps(), tunedBps * 70 / 100) << "for all of the NIC";
    EXPECT_GT(b->GetRateBps(), before * 85 / 100) << "for no other NIC";
}

// Gd 8: a cut takes up to four times what there is, and the rate is an unsigned number.
TEST(ParaleonArtifact, CutByMoreThanThereIsFreesTheFlow)
{
    const Artifact artifact({{"Gd", "8"}, {"InitialAlpha", "1"}});
    const auto law = artifact.Open();
    Artifact::Mark(law, 0);
    EXPECT_LT(law->GetRateBps(), 26'000'000'000U);
    law->Retune(*MakeLaw<Dcqcn>(artifact.attributes, artifact.path), 10 * US);
    Artifact::Mark(law, 10 * US);
    EXPECT_EQ(law->GetRateBps(), G100);
    law->Retune(*MakeLaw<Dcqcn>({{"Profile", "paraleon-a1"}}, artifact.path), 20 * US);
    unsigned cuts = 0;
    for (; law->GetRateBps() == G100 && cuts < 100; ++cuts)
    {
        Artifact::Mark(law, (20 + 4 * cuts) * US);
    }
    EXPECT_GE(cuts, 28U) << "2^64 bit/s have to become 10^11 again";
    EXPECT_LT(cuts, 100U);
}
