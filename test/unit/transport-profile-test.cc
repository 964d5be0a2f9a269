// SPDX-License-Identifier: GPL-2.0-only
// A profile with and without a shim in front of the rate law: the law that is retuned is behind it.
#include "roce-is-built.h"
#include "roce-variants.h"

#include "ns3/roce-control-shim.h"
#include "ns3/roce-go-back-n.h"
#include "ns3/roce-line-rate.h"
#include "ns3/roce-spray.h"
#include "ns3/roce-transport-profile.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

Ptr<TransportProfile>
MakeProfile(const Ptr<CongestionControl>& law)
{
    return Create<TransportProfile>(law, CreateObject<GoBackN>(), CreateObject<Spray>());
}

} // namespace

TEST(TransportProfile, OwnLawIsTheLawItself)
{
    const auto law = CreateObject<LineRate>();
    const auto next = CreateObject<LineRate>();
    const auto profile = MakeProfile(law);
    EXPECT_EQ(profile->GetOwnLaw(), law);
    profile->Retune(next);
    EXPECT_EQ(profile->GetOwnLaw(), next);
    EXPECT_EQ(profile->GetLaw(), next);
}

TEST(TransportProfile, OwnLawIsBehindTheShim)
{
    if (!IsBuilt("ReflexSender"))
    {
        GTEST_SKIP() << "a system is not built";
    }
    const auto shim = DynamicCast<ControlShim>(MakeObject<CongestionControl>("ReflexSender"));
    ASSERT_TRUE(shim);
    const auto law = MakeObject<CongestionControl>("Timely");
    const auto next = MakeObject<CongestionControl>("Timely");
    shim->SetLaw(law);
    const auto profile = MakeProfile(shim);
    EXPECT_EQ(profile->GetOwnLaw(), law);
    profile->Retune(next);
    EXPECT_EQ(profile->GetOwnLaw(), next);
    EXPECT_EQ(profile->GetLaw(), shim) << "the shim stays";
}
