// SPDX-License-Identifier: GPL-2.0-only
// Every attribute of the module and every global value with odd texts: the command line refuses
// them in one line, or a small network can be built and run with them, or refuses them so. ns-3's
// aborts would end the test program, so those runs are processes of their own.
#include "roce-test-network.h"

#include "ns3/object-factory.h"
#include "ns3/roce-command-line.h"
#include "ns3/roce-control-shim.h"
#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-loss-model.h"
#include "ns3/roce-parameter-value.h"
#include "ns3/roce-path-selector.h"

#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t EACH = 4; //!< of so many texts one is tried in a run: there, runs take long
#else
constexpr std::size_t EACH = 1;
#endif
constexpr unsigned SECONDS = 20; //!< for one run, which takes some milliseconds

const std::vector<std::string> TEXTS{"",
                                     " ",
                                     "0",
                                     "1",
                                     "-1",
                                     "3",
                                     "1e999",
                                     "nan",
                                     "0.5",
                                     "1e-300",
                                     "1e300",
                                     "18446744073709551615",
                                     "255",
                                     "65535",
                                     "true",
                                     "4294967295",
                                     "-2147483648",
                                     "9223372036854775807",
                                     "0ps",
                                     "1ps",
                                     "-1ps",
                                     "105d",
                                     "1bps",
                                     "99999Gbps",
                                     "0bps",
                                     "0B",
                                     "1B",
                                     "4294967295B",
                                     "x",
                                     "ns3::Object",
                                     "[",
                                     "a\nb",
                                     "\xff",
                                     "ns3::roce::Nic",
                                     "ns3::roce::Dcqcn[",
                                     "ns3::roce::DwrrScheduler[x=1]"};

/// What the type is for is there; else it would not matter.
void
Use(const TypeId& tid, Network::Options& options, ObjectFactory& loss)
{
    const std::pair<TypeId, const char*> places[] = {
        {CongestionControl::GetTypeId(), "Nic::CongestionControl"},
        {LossRecovery::GetTypeId(), "Nic::LossRecovery"},
        {PathSelector::GetTypeId(), "Nic::PathSelector"},
        {EgressScheduler::GetTypeId(), "Switch::EgressScheduler"}};
    for (const auto& [base, attribute] : places)
    {
        if (tid.IsChildOf(base) && tid.HasConstructor() && !tid.IsChildOf(ControlShim::GetTypeId()))
        {
            Config::SetDefault(std::string("ns3::roce::") + attribute, StringValue(tid.GetName()));
        }
    }
    const bool own = tid.GetName() == "ns3::roce::EcnMarker" ||
                     tid.GetName() == "ns3::roce::IntStamper"; // there already
    if (tid.IsChildOf(SwitchStage::GetTypeId()) && tid.HasConstructor() && !own)
    {
        Config::SetDefault("ns3::roce::Nic::CongestionControl", StringValue("ns3::roce::Timely"));
        const bool reflex = tid.GetName().find("Reflex") != std::string::npos;
        const bool mlcc = tid.GetName().find("Mlcc") != std::string::npos;
        options.stages.emplace_back(tid.GetName(),
                                    reflex || mlcc ? SwitchRole::DCI : SwitchRole::ALL);
        if (mlcc)
        {
            Config::SetDefault("ns3::roce::Nic::InterCongestionControl",
                               StringValue("ns3::roce::Mlcc"));
            options.stages.emplace_back(tid.GetName().find("Near") != std::string::npos
                                            ? "ns3::roce::MlccReceiverSide"
                                            : "ns3::roce::MlccNearSource",
                                        SwitchRole::DCI);
        }
    }
    if (tid.IsChildOf(LossModel::GetTypeId()) && tid.HasConstructor())
    {
        loss.SetTypeId(tid);
    }
}

/// Two datacenters, 200 us.
void
RunSmallNetwork(const TypeId& tid)
{
    Network::Options options;
    ObjectFactory loss;
    Use(tid, options, loss);
    LeafSpineHelper topology;
    topology.spines = 1;
    topology.leaves = 2;
    topology.hostsPerLeaf = 1;
    topology.wanDelay = MicroSeconds(5);
    Network net;
    topology.Construct(net);
    net.Build(options);
    if (loss.IsTypeIdSet())
    {
        const Ptr<LossModel> model = loss.Create<LossModel>();
        model->Check();
        net.GetNic(0)->SetLossModel(model);
    }
    net.AssignStreams(1);
    net.InstallFlows(Numbered({Flow(0, 3, 100000), Flow(1, 3, 100000), Flow(3, 0, 9000, US)}));
    Simulator::Stop(MicroSeconds(200));
    Simulator::Run();
    if (const std::string wrong = net.Audit(false); !wrong.empty())
    {
        throw std::logic_error(wrong);
    }
}

/// @return what is wrong, or nothing
std::string
RunInChild(const TypeId& tid)
{
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0)
    {
        alarm(SECONDS);
        int status = 0;
        try
        {
            RunSmallNetwork(tid);
        }
        catch (const InputError&)
        {
        }
        catch (const std::runtime_error&) // while simulating
        {
        }
        catch (const std::exception&)
        {
            status = 99;
        }
        _exit(status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? ""
           : WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                 : "status " + std::to_string(WEXITSTATUS(status));
}

/// @return whether a command line with this argument is taken
bool
Parse(const std::string& argument)
{
    CheckedCommandLine cmd("odd-values", "");
    std::string program = "odd-values";
    std::string text = argument;
    char* argv[] = {program.data(), text.data()};
    try
    {
        cmd.Parse(2, argv);
    }
    catch (const InputError& error)
    {
        const std::string line = error.what();
        EXPECT_EQ(line.find('\n'), std::string::npos) << argument;
        EXPECT_NE(line.find("expected"), std::string::npos) << line;
        return false;
    }
    return true;
}

constexpr unsigned PARTS = 16; // so that none takes long

class OddValues : public SystemTest, public ::testing::WithParamInterface<unsigned>
{
};

struct OddAttributes : SystemTest
{
};

struct OddGlobalValues : SystemTest
{
};

} // namespace

TEST_P(OddValues, OfEveryAttribute)
{
    unsigned number = 0;
    unsigned taken = 0;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        for (std::size_t a = 0; tid.GetGroupName() == "Roce" && a < tid.GetAttributeN(); ++a)
        {
            if (number++ % PARTS != GetParam())
            {
                continue;
            }
            for (std::size_t t = 0; t < TEXTS.size(); ++t)
            {
                const std::string argument = "--" + tid.GetAttributeFullName(a) + "=" + TEXTS[t];
                if (!Parse(argument))
                {
                    continue;
                }
                ++taken;
                // Attributes side by side get others of the texts.
                if ((t + number / PARTS) % EACH == 0)
                {
                    EXPECT_EQ(RunInChild(tid), "") << argument;
                }
                Config::Reset();
            }
        }
    }
    EXPECT_GT(number, 200u);
    EXPECT_GT(taken, 40u);
}

// ns-3 loses an object whose attribute throws while it is made, and its callers expect nothing of
// the kind: what is wrong is said when an object is used.
TEST_F(OddAttributes, SettersThrowNothing)
{
    unsigned set = 0;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (tid.GetGroupName() != "Roce" || !tid.HasConstructor())
        {
            continue;
        }
        const Ptr<Object> object = ObjectFactory(tid.GetName()).Create<Object>();
        for (std::size_t a = 0; a < tid.GetAttributeN(); ++a)
        {
            const TypeId::AttributeInformation info = tid.GetAttribute(a);
            // Other kinds abort at bad texts.
            const bool own = dynamic_cast<const ParameterChecker*>(PeekPointer(info.checker));
            for (const std::string& text : TEXTS)
            {
                if (own || Parse("--" + tid.GetAttributeFullName(a) + "=" + text))
                {
                    ++set;
                    EXPECT_NO_THROW(object->SetAttributeFailSafe(info.name, StringValue(text)))
                        << tid.GetAttributeFullName(a) << "=" << text;
                }
            }
            Config::Reset();
        }
    }
    EXPECT_GT(set, 5000u);
}

INSTANTIATE_TEST_SUITE_P(Parts, OddValues, ::testing::Range(0u, PARTS));

TEST_F(OddGlobalValues, AreRefusedOrWork)
{
    for (auto it = GlobalValue::Begin(); it != GlobalValue::End(); ++it)
    {
        const std::string name = (*it)->GetName();
        const std::string usual = [&] {
            StringValue value;
            GlobalValue::GetValueByName(name, value);
            return value.Get();
        }();
        for (std::string text : TEXTS)
        {
            if (Parse("--" + name + "=" + text))
            {
                EXPECT_EQ(RunInChild(Nic::GetTypeId()), "") << name << "=" << text;
                ASSERT_TRUE((*it)->SetValue(StringValue(usual))) << name;
            }
        }
        for (const char* type : {"foo", "ns3::Scheduler", "ns3::RealtimeSimulatorImpl"})
        {
            EXPECT_FALSE(Parse("--" + name + "=" + type)) << name;
        }
    }
}
