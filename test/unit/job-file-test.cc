// SPDX-License-Identifier: GPL-2.0-only
// Files of jobs: where ranks are, and what is said of files that are wrong.
#include "roce-error-of.h"
#include "roce-temp-file.h"

#include "ns3/rng-seed-manager.h"
#include "ns3/roce-job-file.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

using Jobs = std::vector<std::shared_ptr<const RankJob>>;
using Nics = std::vector<uint32_t>;

/// A network of 16 NICs, four in each server.
Jobs
Read(const std::string& text)
{
    const TempFile file(text);
    return JobFile::Read(file.path, 16, 4, RankJob());
}

/// @return a job that reduces
std::string
Job(const std::string& name, int ranks, const std::string& more = "")
{
    return "{\"name\": \"" + name + "\", \"ranks\": " + std::to_string(ranks) +
           ", \"collective\": {\"kind\": \"all-reduce\", \"bytes\": 4000}" + more + "}";
}

std::string
Placed(const std::string& placement)
{
    return ", \"placement\": \"" + placement + "\"";
}

TEST(JobFileTest, JobsTakeWhatIsFree)
{
    const Jobs jobs = Read("[" + Job("a", 3) + "," + Job("b", 4, Placed("rail")) + "," +
                           Job("c", 2, Placed("1,4")) + "," + Job("d", 2, Placed("linear")) + "," +
                           Job("e", 3, Placed("4-5,1")) + "]");
    ASSERT_EQ(jobs.size(), 5);
    EXPECT_EQ(jobs[0]->nics, (Nics{0, 2, 3})) << "without those that a list has";
    EXPECT_EQ(jobs[1]->nics, (Nics{8, 9, 10, 11})) << "the first server that is all free";
    EXPECT_EQ(jobs[2]->nics, (Nics{1, 4}));
    EXPECT_EQ(jobs[3]->nics, (Nics{6, 7}));
    EXPECT_EQ(jobs[4]->nics, (Nics{4, 5, 1})) << "lists may share";
    EXPECT_EQ(jobs[4]->number, 5);
    EXPECT_EQ(jobs[4]->name, "e");
}

TEST(JobFileTest, RandomPlacesDependOnRunAndStream)
{
    const auto place = [](uint64_t run, const std::string& more) {
        ns3::RngSeedManager::SetRun(run);
        const Nics nics = Read("[" + Job("a", 16, Placed("random") + more) + "]")[0]->nics;
        ns3::RngSeedManager::SetRun(1);
        return nics;
    };
    const Nics first = place(1, "");
    EXPECT_EQ(place(1, ""), first);
    EXPECT_EQ(place(1, ", \"stream\": 1"), first) << "that of the first job";
    EXPECT_NE(place(2, ""), first);
    EXPECT_NE(place(1, ", \"stream\": 2"), first);
    Nics sorted = first;
    std::sort(sorted.begin(), sorted.end());
    for (uint32_t nic = 0; nic < 16; ++nic)
    {
        EXPECT_EQ(sorted[nic], nic);
    }
}

TEST(JobFileTest, RanksWithSeveralNics)
{
    const std::string goal = testing::TempDir() + "roce-job-file-test.goal";
    std::ofstream(goal) << ("num_ranks 2\nrank 0 {\nl: send 1b to 1 nic 1\n}\nrank 1 {\nl: recv 1b "
                            "from 0 nic 1\n}\n");
    const auto job = [&](const std::string& placement) {
        return Read("[" + Job("a", 3) + R"(, {"name": "g", "goal": "roce-job-file-test.goal")" +
                    Placed(placement) + "}]")[1]
            ->nics;
    };
    EXPECT_EQ(job("linear"), (Nics{4, 5, 6, 7})) << "the first free ones from an even number";
    EXPECT_EQ(job("15,9,3,2"), (Nics{15, 9, 3, 2}));
    std::remove(goal.c_str());
}

TEST(JobFileTest, RepeatsWithinARun)
{
    const Jobs jobs = Read("[" + Job("a", 2, R"(, "start": "1us", "repetitions": 3)") + "]");
    EXPECT_EQ(jobs[0]->program.parts.back().iteration, 3);
    EXPECT_EQ(jobs[0]->program.parts.back().name, "all-reduce of all ranks");
    EXPECT_EQ(jobs[0]->program.parts.back().busFactor, 1);
    EXPECT_EQ(jobs[0]->program.ranks[0].ops[0].durationPs, 1000000);
}

/// @return the error of a file, without its name
std::string
ErrorIn(const std::string& text)
{
    const TempFile file(text);
    const std::string error = ErrorOf([&] { JobFile::Read(file.path, 16, 4, RankJob()); });
    return error.compare(0, file.path.size(), file.path) == 0 ? error.substr(file.path.size())
                                                              : error;
}

TEST(JobFileTest, SaysWhereItIsWrong)
{
    EXPECT_EQ(ErrorIn("[\n{\"name\": }]").substr(0, 12), ":2: no JSON ");
    EXPECT_EQ(ErrorIn("[1e999]").substr(0, 12), ":1: no JSON ");
    EXPECT_EQ(ErrorIn("").substr(0, 12), ":1: no JSON ");
    EXPECT_EQ(ErrorOf([] { JobFile::Read("/", 16, 4, RankJob()); }),
              "/:1: cannot be read, expected a list of jobs");
    EXPECT_EQ(ErrorIn("{}"), ": all of it is an object, expected a list [...] of one or more");
    EXPECT_EQ(ErrorIn("[3]"), ": /0 is 3, expected an object {...}");
    EXPECT_EQ(ErrorIn("[{}]"), ": /0 has no \"name\", expected one");
    EXPECT_EQ(ErrorIn(R"([{"name": "a"}])"),
              ": /0 has no goal, trace, collective or training, expected one of them");
    EXPECT_EQ(ErrorIn(R"([{"name": "a", "goal": "x", "training": {}}])"),
              ": /0 has both goal and training, expected one of them");
    EXPECT_EQ(ErrorIn("[" + Job("a", 2) + "," + Job("a", 2) + "]"),
              ": /1/name is \"a\", expected another one: a job before has it");
    EXPECT_EQ(ErrorIn("[" + Job("a", 2, R"(, "begin": 1)") + "]"),
              ": /0/begin is not known, expected name, goal, trace, collective, training, ranks, "
              "placement, stream, start, repetitions, pause");
    EXPECT_EQ(ErrorIn("[" + Job("a", 2, R"(, "start": 3)") + "]"),
              ": /0/start is 3, expected a time with unit, for example 10us, 0s or more");
    EXPECT_EQ(ErrorIn("[" + Job("a", 2, R"(, "repetitions": -1)") + "]"),
              ": /0/repetitions is -1, expected a whole number, 1 to 1000000");
    EXPECT_EQ(ErrorIn("[" + Job("a", 17) + "]"),
              ": /0/ranks is 17, expected a whole number, 1 to 16");
    EXPECT_EQ(ErrorIn("[" + Job("a", 16) + "," + Job("b", 1) + "]"),
              ": /1: has room for 0 ranks of 1 NICs, expected 1");
    EXPECT_EQ(ErrorIn(R"([{"name": "a", "training": {"tensor": 8, "data": 1000000, "layers": 1,
                          "hidden": 8, "sequence": 8, "flops": 1e12}}])"),
              ": /0/training: tensor, data and pipeline make 8000000 ranks, expected 1 to "
              "1048576");
    EXPECT_EQ(ErrorIn(R"([{"name": "a", "training": {"tensor": 8, "data": 4, "layers": 1,
                          "hidden": 8, "sequence": 8, "flops": 1e12}}])"),
              ": /0/training: tensor, data and pipeline make 32 ranks, expected at most 16, as "
              "many as there are NICs");
    EXPECT_NE(ErrorIn(R"([{"name": "a", "training": {"data": 2, "layers": 1000000, "hidden": 8,
                          "microBatches": 1000000, "sequence": 8, "flops": 1e12}}])")
                  .find("operations"),
              std::string::npos);
    EXPECT_NE(ErrorIn("[" + Job("a", 16, R"(, "repetitions": 1000000)") + "]").find("operations"),
              std::string::npos)
        << "a hundred gigabytes";
    EXPECT_EQ(ErrorIn("[" + Job("a", 2) + "," + Job("b", 13, Placed("rail")) + "]"),
              ": /1/placement: has room for 12 ranks of 1 NICs, expected 13");
    EXPECT_EQ(ErrorIn("[" + Job("a", 2, Placed("1-16")) + "]"),
              ": /0/placement: has '1-16', expected numbers 0 to 15, each once, such as 0-7,12");
    EXPECT_EQ(ErrorIn("[" + Job("a", 2, Placed("1,1")) + "]"),
              ": /0/placement: has '1', expected numbers 0 to 15, each once, such as 0-7,12");
    EXPECT_EQ(ErrorIn("[" + Job("a", 2, Placed("1")) + "]"),
              ": /0/placement is \"1\", expected 2 numbers such as 0-7,12, or linear, rail or "
              "random");
    EXPECT_EQ(ErrorIn(R"([{"name": "a", "ranks": 2, "collective": {"kind": "gossip"}}])"),
              ": /0/collective/kind is \"gossip\", expected one of all-reduce, all-gather, "
              "reduce-scatter, all-to-all, reduce, broadcast");
    EXPECT_EQ(ErrorIn(R"([{"name": "a", "ranks": 4, "collective":
                          {"kind": "reduce", "bytes": 1, "levels": "2:tree,x"}}])")
                  .find(": /0/collective/levels: has 'x', expected SIZE:ALGORITHM, with ring, "),
              0);
    EXPECT_EQ(ErrorIn(R"([{"name": "a", "ranks": 4, "training":
                          {"layers": 1, "hidden": 8, "sequence": 8, "flops": 1e12}}])"),
              ": /0/ranks is 4, expected 1, as its training has");
    EXPECT_EQ(ErrorIn(R"([{"name": "a", "training":
                          {"pipeline": 2, "layers": 1, "hidden": 8, "sequence": 8, "flops": 1}}])"),
              ": /0/training: layers is 1, expected a multiple of pipeline, 2");
    EXPECT_EQ(ErrorIn(R"([{"name": "a", "goal": "no/such/file"}])").find("no/such/file:1: "),
              testing::TempDir().size())
        << "relative to the file of jobs";
}

} // namespace
