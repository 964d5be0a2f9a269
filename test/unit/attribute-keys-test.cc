// SPDX-License-Identifier: GPL-2.0-only
#include "roce-all-attributes.h"

#include "ns3/roce-attribute-values.h"
#include "ns3/roce-dcqcn.h"
#include "ns3/roce-dwrr-scheduler.h"
#include "ns3/roce-nic.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

std::string
KeyOf(const Object& object)
{
    std::string key;
    AttributeKeys().Append(object, key);
    return key;
}

template <typename T>
class AttributeKeysTest : public ::testing::Test
{
};

using Types = ::testing::Types<Nic, Port, DwrrScheduler, Dcqcn>;
TYPED_TEST_SUITE(AttributeKeysTest, Types);

} // namespace

TYPED_TEST(AttributeKeysTest, TellEachAttributeApart)
{
    const auto same = CreateObject<TypeParam>();
    const std::string key = KeyOf(*same);
    EXPECT_EQ(KeyOf(*CreateObject<TypeParam>()), key);
    std::size_t n = 0;
    ForAllAttributes(TypeParam::GetTypeId(),
                     [&](const std::string& name, const TypeId::AttributeInformation& info) {
                         if (info.checker->GetValueTypeName().find("ObjectFactory") !=
                             std::string::npos)
                         {
                             return; // what it is made of is told elsewhere
                         }
                         const std::string other = OtherValue(info);
                         ASSERT_NE(other, "") << name << ": no other value known";
                         const auto object = CreateObject<TypeParam>();
                         object->SetAttribute(info.name, StringValue(other));
                         EXPECT_NE(KeyOf(*object), key) << name << "=" << other;
                         ++n;
                     });
    EXPECT_GT(n, 2u);
}

TEST(AttributeKeysOfTypes, TellTypesApart)
{
    EXPECT_NE(KeyOf(*CreateObject<Port>()), KeyOf(*CreateObject<Nic>()));
}

TEST(AttributeKeysOfTypes, TellProfilesApartAndNotCopies)
{
    const Ptr<Dcqcn> law = CreateObject<Dcqcn>();
    const std::string key = KeyOf(*law);
    law->SetAttribute("Profile", StringValue("paper"));
    EXPECT_NE(KeyOf(*law), key);
    const Ptr<CongestionControl> copy = law->Fork();
    EXPECT_EQ(KeyOf(*copy), KeyOf(*law));
    copy->SetAttribute("AiRate", StringValue("60Mbps"));
    EXPECT_NE(KeyOf(*copy), KeyOf(*law));
}
