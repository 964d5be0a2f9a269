// SPDX-License-Identifier: GPL-2.0-only

#ifndef ROCE_REPLAY_FIXTURE_H
#define ROCE_REPLAY_FIXTURE_H

#include "roce-test-folder.h"

#include "ns3/roce-replay.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3::roce::test
{

/// Two hosts at each of two leaves, two spines. Nodes: hosts 0..3, leaves 4 5, spines 6 7.
const char* const SMALL = "8 4 4 8\n4 5 6 7\n"
                          "0 4 100Gbps 1000ns 0\n1 4 100Gbps 1000ns 0\n"
                          "2 5 100Gbps 1000ns 0\n3 5 100Gbps 1000ns 0\n"
                          "4 6 400Gbps 1000ns 0\n4 7 400Gbps 1000ns 0\n"
                          "5 6 400Gbps 1000ns 0\n5 7 400Gbps 1000ns 0\n";

/// A folder of the running test.
struct Replay : FolderTest
{
    void SetUp() override
    {
        FolderTest::SetUp();
        Write("topology.txt", SMALL);
    }

    /// @return where a file of the test is. @param name without folder
    std::string Path(const std::string& name) const
    {
        return (folder / name).string();
    }

    std::string Write(const std::string& name, const std::string& text) const
    {
        std::ofstream(Path(name)) << text;
        return Path(name);
    }

    std::string Read(const std::string& name) const
    {
        std::ostringstream text;
        text << std::ifstream(Path(name)).rdbuf();
        return text.str();
    }

    /// Runs the program's body; returns its status.
    int Run(std::vector<std::string> arguments) const
    {
        arguments.insert(arguments.begin(), {"replay", "--progress=none", "--out=" + Path("out")});
        std::vector<char*> argv;
        for (std::string& argument : arguments)
        {
            argv.push_back(argument.data());
        }
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        ReplayOptions replay;
        CheckedCommandLine cmd("replay", "");
        replay.AddOptions(cmd);
        int status = -1;
        std::string wrong;
        try
        {
            cmd.Parse(static_cast<int>(argv.size()), argv.data());
            status = replay.Run(cmd);
        }
        catch (const InputError& error)
        {
            wrong = error.what();
        }
        testing::internal::GetCapturedStdout();
        notes = testing::internal::GetCapturedStderr();
        if (!wrong.empty())
        {
            error = wrong;
            return 2;
        }
        return status;
    }

    nlohmann::json Summary() const
    {
        return nlohmann::json::parse(Read("out/summary.json"));
    }

    mutable std::string notes;
    mutable std::string error;
};

/// A network of the small topology.
struct SmallNetwork
{
    explicit SmallNetwork(const std::string& path)
        : topology(HpccTopology::Read(path))
    {
        topology.Construct(net);
        net.Build();
    }

    HpccTopology topology;
    Network net;
};

} // namespace ns3::roce::test

#endif /* ROCE_REPLAY_FIXTURE_H */
