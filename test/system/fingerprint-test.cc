// SPDX-License-Identifier: GPL-2.0-only
/*
 * Golden fingerprints: every departure of every port of some runs, as one hash.
 *
 * test/golden/fingerprints.csv has a line for each run: scenario,cc,seed,fingerprint. A change
 * means that results have changed, be it by a picosecond. When that is intended, update the file
 * with
 *
 *     ROCE_UPDATE_GOLDEN=1 <build>/bin/roce-release-tests --gtest_filter='*Fingerprint*'
 *
 * and say in the commit why results change.
 */
#include "roce-is-built.h"
#include "roce-test-network.h"

#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-workload.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

const std::string FILE_NAME = std::string(ROCE_SOURCE_DIR) + "/test/golden/fingerprints.csv";
const char* const HEADER = "scenario,cc,seed,fingerprint";

std::string
Hex(uint64_t value)
{
    std::ostringstream text;
    text << std::hex;
    text.width(16);
    text.fill('0');
    text << value;
    return text.str();
}

/// The runs; results must not depend on anything but these three.
std::string
Fingerprint(const std::string& scenario, const std::string& cc, unsigned seed)
{
    SetRateLaw(cc);
    LeafSpineHelper h;
    h.datacenters = scenario == "poisson-two-dc" ? 2 : 1;
    h.leaves = 2;
    h.spines = 2;
    h.hostsPerLeaf = 4;
    h.fabricRate = DataRate("200Gbps");
    h.leafBuffer = h.spineBuffer = QueueSize("1200kB");
    Network net;
    h.Construct(net);
    Network::Options options;
    options.ecmpSeed = seed;
    net.Build(options);
    net.AssignStreams(1000 * seed);
    std::vector<FlowSpec> flows;
    if (scenario == "incast")
    {
        for (uint32_t i = 1; i < 8; ++i)
        {
            flows.push_back(Flow(i, 0, 300000 + 1000 * seed, i % 3 * US));
            flows.push_back(Flow(0, i, 50000));
        }
        flows = Numbered(flows);
    }
    else
    {
        PoissonWorkload workload;
        workload.hosts = h.GetPlacement();
        workload.capacity = h.GetCapacity(LoadReference::Host);
        workload.load = 0.6;
        workload.durationPs = MS;
        workload.stream = seed;
        flows = workload.Generate();
        for (FlowSpec& flow : flows)
        {
            flow.sizeBytes = std::min<uint64_t>(flow.sizeBytes, 2000000); // short runs
        }
    }
    Completions done(net);
    net.EnableFingerprint();
    net.InstallFlows(flows);
    Simulator::Run();
    ExpectAllDone(net, done, flows);
    const std::string print = Hex(net.GetFingerprint());
    Simulator::Destroy();
    return print;
}

} // namespace

TEST_F(SystemTest, GoldenFingerprints)
{
    std::vector<std::string> lines{HEADER};
    for (const char* scenario : {"incast", "poisson-one-dc", "poisson-two-dc"})
    {
        for (const char* cc : {"LineRate",
                               "Dcqcn",
                               "Hpcc",
                               "Dctcp",
                               "Timely",
                               "Timely[Mode=perSegment]",
                               "Swift",
                               "PowerTcp",
                               "PowerTcp[Theta=1]",
                               "UnoCc",
                               "DcqcnPlus"})
        {
            if (!IsBuilt(cc))
            {
                continue;
            }
            for (unsigned seed : {1u, 2u})
            {
                lines.push_back(std::string(scenario) + "," + cc + "," + std::to_string(seed) +
                                "," + Fingerprint(scenario, cc, seed));
            }
        }
    }
    if (const char* update = std::getenv("ROCE_UPDATE_GOLDEN"); update && *update == '1')
    {
        std::ofstream out(FILE_NAME);
        for (const std::string& line : lines)
        {
            out << line << "\n";
        }
        ASSERT_TRUE(out.flush()) << "cannot write " << FILE_NAME;
        return;
    }
    std::ifstream in(FILE_NAME);
    ASSERT_TRUE(in) << "cannot read " << FILE_NAME;
    std::vector<std::string> golden;
    for (std::string line; std::getline(in, line);)
    {
        const std::size_t law = line.find(',') + 1;
        if (golden.empty() || IsBuilt(line.substr(law, line.find(',', law) - law)))
        {
            golden.push_back(line);
        }
    }
    EXPECT_EQ(lines, golden) << "results have changed; see the head of fingerprint-test.cc";
}

// The hash notices what it should: another seed; and nothing else, such as what ran before.
TEST_F(SystemTest, FingerprintsDifferBySeed)
{
    EXPECT_NE(Fingerprint("incast", "Dcqcn", 1), Fingerprint("incast", "Dcqcn", 2));
    EXPECT_EQ(Fingerprint("incast", "Dcqcn", 3), Fingerprint("incast", "Dcqcn", 3));
}
