// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_API_MISUSE_CASES_H
#define ROCE_API_MISUSE_CASES_H

#include "api-misuse-extensions.h"
#include "roce-error-of.h"
#include "roce-events-throw.h"
#include "roce-test-network.h"

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ns3::roce::test
{

using MessageSink = Callback<void, const MessageRecord&>;

/// Three hosts at one switch.
struct World
{
    /// @param build the network @param options of it
    void Make(bool build = true, const Network::Options& options = Network::Options())
    {
        net = std::make_unique<Network>();
        MakeStar(*net, 3);
        if (build)
        {
            net->Build(options);
            net->AssignStreams(0);
        }
    }

    void Install(std::size_t n = 2)
    {
        net->InstallFlows(Flows(n));
    }

    static std::vector<FlowSpec> Flows(std::size_t n)
    {
        std::vector<FlowSpec> flows;
        for (std::size_t i = 0; i < n; ++i)
        {
            flows.push_back(Flow(static_cast<uint32_t>(i % 2), 2, 1000000));
        }
        return Numbered(flows);
    }

    /// @param sink called at the first message that NIC 0 completes
    void AtCompletion(std::function<void()> sink)
    {
        const auto once = std::make_shared<bool>(true);
        net->GetNic(0)->TraceConnectWithoutContext(
            "MessageCompleted",
            MessageSink([sink = std::move(sink), once](const MessageRecord&) {
                if (*once)
                {
                    *once = false;
                    sink();
                }
            }));
    }

    static void At(int64_t ps, std::function<void()> event)
    {
        Simulator::Schedule(PicoSeconds(ps), [event = std::move(event)] { event(); });
    }

    /// @return messages completed and when
    std::string Run()
    {
        const auto done = std::make_shared<std::string>();
        for (uint32_t i = 0; net && i < net->GetNNics(); ++i)
        {
            net->GetNic(i)->TraceConnectWithoutContext(
                "MessageCompleted",
                MessageSink([done](const MessageRecord& m) {
                    *done += std::to_string(m.cookie) + ":" +
                             std::to_string(m.completedPs - m.postedPs) + " ";
                }));
        }
        Simulator::Stop(MilliSeconds(50));
        Simulator::Run();
        EXPECT_EQ(net ? net->Audit(false) : "", "");
        return *done;
    }

    std::unique_ptr<Network> net;
};

/// Something that a program does.
struct Case
{
    const char* name;
    std::function<void(World&)> act;
    const char* error; //!< part of the line; empty: it is legitimate
};

/// Run in a process of its own: what throws has frames in its hands, which other tests would take
/// for leaks. @param test with EXPECT_...()
inline void
InChild(const std::function<void()>& test)
{
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0)
    {
        [[maybe_unused]] const EventsThrow events;
        test();
        std::fflush(nullptr);
        _exit(::testing::Test::HasFailure());
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "see above";
}

/// Do all that, each on its own.
inline void
TryHere(const std::vector<Case>& cases)
{
    for (const Case& entry : cases)
    {
        SCOPED_TRACE(entry.name);
        Config::Reset();
        g_behaviour = Behaviour();
        std::string error = "no error";
        {
            World world;
            error = ErrorOf([&] { entry.act(world); });
        }
        if (*entry.error)
        {
            EXPECT_NE(error.find(entry.error), std::string::npos) << error;
        }
        else
        {
            EXPECT_EQ(error, "no error");
        }
        Simulator::Destroy();
    }
}

inline void
Try(const std::vector<Case>& cases)
{
    InChild([&cases] { TryHere(cases); });
}

/// Something happens while flows are on their way. @param act an event of its own at 20 us
inline Case
Midway(const char* name, std::function<void(World&)> act, const char* error)
{
    return {name,
            [act = std::move(act)](World& w) {
                w.Make();
                w.Install();
                World::At(20 * US, [act, &w] { act(w); });
                w.Run();
            },
            error};
}

/// The same, by a sink at the first completion.
inline Case
InSink(const char* name, std::function<void(World&)> act, const char* error)
{
    return {name,
            [act = std::move(act)](World& w) {
                w.Make();
                w.AtCompletion([act, &w] { act(w); });
                w.Install();
                w.Run();
            },
            error};
}

} // namespace ns3::roce::test

#endif /* ROCE_API_MISUSE_CASES_H */
