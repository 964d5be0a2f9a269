// SPDX-License-Identifier: GPL-2.0-only
#include "roce-error-of.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-run-writer.h"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <vector>

using namespace ns3::roce;
namespace fs = std::filesystem;

namespace
{

std::string
Slurp(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in) << path;
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

void
Put(const fs::path& path, const std::string& text)
{
    std::ofstream(path) << text;
}

FlowRecord
Flow(uint64_t id, int64_t fctPs)
{
    FlowRecord record;
    record.spec.id = id;
    record.spec.src = 1;
    record.spec.dst = 300;
    record.spec.sizeBytes = 1000000;
    record.spec.startPs = 1234567;
    record.fctPs = fctPs;
    record.receiverFctPs = fctPs < 0 ? -1 : fctPs - 2013760;
    record.idealPs = 85957760;
    record.packets = 245;
    return record;
}

/// A folder of its own for each test, removed afterwards.
class RunWriterTest : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        std::string name = (fs::temp_directory_path() / "roce-run-writer-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        m_root = name;
        m_folder = m_root / "deep" / "run";
    }

    void TearDown() override
    {
        fs::remove_all(m_root);
    }

    std::vector<std::string> Names() const
    {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(m_folder))
        {
            if (entry.path().filename() != ".unfinished") // see run-folder-test.cc
            {
                names.push_back(entry.path().filename().string());
            }
        }
        std::sort(names.begin(), names.end());
        return names;
    }

    using List = std::vector<std::string>;
    fs::path m_root;
    fs::path m_folder;
};

} // namespace

TEST(BufferedFile, AppendFixed)
{
    const auto text = [](int64_t value) {
        std::string out;
        BufferedFile::AppendFixed(out, value, 3);
        return out;
    };
    EXPECT_EQ(text(0), "0.000");
    EXPECT_EQ(text(7), "0.007");
    EXPECT_EQ(text(85957760), "85957.760");
    EXPECT_EQ(text(-1500), "-1.500");
    EXPECT_EQ(text(INT64_MAX), "9223372036854775.807");
    EXPECT_EQ(text(INT64_MIN), "-9223372036854775.808");
}

TEST(CsvFile, FormatSlowdown)
{
    EXPECT_EQ(CsvFile::FormatSlowdown(1, 1), "1.000000");
    EXPECT_EQ(CsvFile::FormatSlowdown(0, 5), "0.000000");
    EXPECT_EQ(CsvFile::FormatSlowdown(10, 3), "3.333333");
    EXPECT_EQ(CsvFile::FormatSlowdown(20, 3), "6.666667");
    EXPECT_EQ(CsvFile::FormatSlowdown(1000001, 2000000), "0.500001"); // .5000005: a tie goes up
    EXPECT_EQ(CsvFile::FormatSlowdown(1000000499999, 1000000000000), "1.000000");
    EXPECT_EQ(CsvFile::FormatSlowdown(1000000500000, 1000000000000), "1.000001");
    EXPECT_EQ(CsvFile::FormatSlowdown(1999999999999, 1000000000000), "2.000000"); // carry
    EXPECT_EQ(CsvFile::FormatSlowdown(INT64_MAX, 1), "9223372036854775807.000000");
    EXPECT_EQ(CsvFile::FormatSlowdown(INT64_MAX - 1, INT64_MAX), "1.000000");
    EXPECT_EQ(CsvFile::FormatSlowdown(INT64_MAX / 3 * 2, INT64_MAX), "0.666667");
    EXPECT_THROW(CsvFile::FormatSlowdown(1, 0), InputError);
    EXPECT_THROW(CsvFile::FormatSlowdown(-1, 1), InputError);
}

TEST_F(RunWriterTest, CsvRowsAndQuoting)
{
    const std::string path = (m_root / "t.csv").string();
    CsvFile csv(path, {"a", "b,c", "d\"e"});
    csv.Row({1, -2, INT64_MIN});
    csv.Uint(UINT64_MAX).Ns(1500).Text("x,y").EndRow();
    csv.Text("").Text("").Text("say \"hi\"").EndRow();
    csv.Close();
    csv.Close();
    EXPECT_EQ(Slurp(path),
              "a,\"b,c\",\"d\"\"e\"\n1,-2,-9223372036854775808\n"
              "18446744073709551615,1.500,\"x,y\"\n,,\"say \"\"hi\"\"\"\n");
    CsvFile wrong((m_root / "w.csv").string(), {"a", "b"});
    EXPECT_THROW(wrong.Row({1}), std::logic_error);
}

// Many rows, so that the buffer is handed over more than once.
TEST_F(RunWriterTest, CsvLargerThanTheBuffer)
{
    const std::string path = (m_root / "big.csv").string();
    CsvFile csv(path, {"i", "square"});
    std::string expected = "i,square\n";
    for (int64_t i = 0; i < 30000; i++)
    {
        csv.Row({i, i * i});
        expected += std::to_string(i) + "," + std::to_string(i * i) + "\n";
    }
    EXPECT_GT(expected.size(), 3u << 16);
    csv.Close();
    EXPECT_EQ(Slurp(path), expected);
}

TEST_F(RunWriterTest, FlowsCsv)
{
    RunWriter writer(m_folder.string());
    FlowRecord second = Flow(2, -1);
    second.interDc = true;
    second.spec.tag = 1;
    second.retransmittedPackets = 17;
    second.receiverFctPs = 5; // the ACK was lost at the end: still unfinished
    writer.WriteFlows({second, Flow(1, 171915520)});
    writer.SetSummary(SummaryJson(RunSummary(), FctStats()));
    writer.Finish();
    EXPECT_EQ(Slurp(m_folder / "flows.csv"),
              "id,src,dst,class,tag,scope,bytes,start_ns,fct_ns,receiver_fct_ns,ideal_fct_ns,"
              "slowdown,packets,retransmitted,status\n"
              "1,1,300,3,0,intra,1000000,1234.567,171915.520,169901.760,85957.760,2.000000,245,0,"
              "finished\n"
              "2,1,300,3,1,inter,1000000,1234.567,,,85957.760,,245,17,unfinished\n");
}

TEST_F(RunWriterTest, NothingHasItsNameBeforeFinish)
{
    RunWriter writer(m_folder.string());
    writer.OpenCsv("queues.csv", {"time_ns", "queue_bytes"}).Row({1, 2});
    writer.WriteFlows({Flow(1, 1)});
    writer.WriteHpccFct({Flow(1, 1)});
    EXPECT_EQ(Names(), (List{"fct.txt.tmp", "flows.csv.tmp", "queues.csv.tmp"}));
    writer.SetSummary(SummaryJson(RunSummary(), FctStats()));
    writer.Finish();
    EXPECT_EQ(Names(), (List{"fct.txt", "flows.csv", "queues.csv", "summary.json"}));
    EXPECT_THROW(writer.Finish(), std::logic_error);
    EXPECT_THROW(writer.OpenCsv("x.csv", {"a"}), std::logic_error);
}

TEST_F(RunWriterTest, Summary)
{
    FctStats::Options options;
    options.warmupPs = 2500;
    FctStats stats(options);
    stats.Add(Flow(1, 171915520));
    stats.Add(Flow(2, -1));
    FlowRecord early = Flow(3, 1);
    early.spec.startPs = 0;
    stats.Add(early);
    RunSummary summary;
    summary.configuration = {{"load", "0.3"}, {"cc", "Dcqcn"}};
    summary.configuration["odd"] = "\xff"; // not UTF-8
    summary.versions["ns-3"] = "3.37";
    summary.seed = UINT64_MAX;
    summary.counters["pfcXoffSent"] = 12;
    summary.nodeNames[7] = "dc0-leaf1";
    summary.neighbours = {{"nic0", "b:1"}, {"a:0", "b:0"}, {"nic0", "b:2"}}; // two of a name
    summary.wallSeconds = 1.5;
    summary.cpuSeconds = 1.25;
    RunWriter writer(m_folder.string());
    EXPECT_THROW(writer.Finish(), std::logic_error); // no summary yet
    writer.SetSummary(SummaryJson(summary, stats));
    writer.Finish();
    const auto json = nlohmann::json::parse(Slurp(m_folder / "summary.json"));
    EXPECT_EQ(json["configuration"]["cc"], "Dcqcn");
    EXPECT_EQ(json["versions"]["ns-3"], "3.37");
    EXPECT_EQ(json["seed"].get<uint64_t>(), UINT64_MAX);
    EXPECT_EQ(json["counters"]["pfcXoffSent"], 12);
    EXPECT_EQ(json["nodeNames"]["7"], "dc0-leaf1");
    EXPECT_EQ(SummaryJson(summary, stats)["neighbours"].dump(), R"({"nic0":"b:2","a:0":"b:0"})");
    EXPECT_EQ(json["timing"]["wallSeconds"], 1.5);
    EXPECT_EQ(json["timing"]["cpuSeconds"], 1.25);
    EXPECT_EQ(json["flows"]["total"], 3);
    EXPECT_EQ(json["flows"]["excludedWarmup"], 1);
    EXPECT_EQ(json["flows"]["finished"], 1);
    EXPECT_EQ(json["flows"]["unfinished"], 1);
    EXPECT_EQ(json["files"], nlohmann::json({"summary.json"}));
    const auto& statistics = json["statistics"];
    EXPECT_EQ(statistics["warmupNs"], 2.5);
    EXPECT_EQ(statistics["all"]["slowdown"]["p99"], 2.0);
    EXPECT_EQ(statistics["all"]["fctNs"]["mean"], 171915.52);
    EXPECT_TRUE(statistics["inter"]["slowdown"]["mean"].is_null());
    ASSERT_EQ(statistics["intra"]["bins"].size(), 5u);
    EXPECT_EQ(statistics["intra"]["bins"][2]["label"], "100KB-1MB");
    EXPECT_EQ(statistics["intra"]["bins"][2]["unfinished"], 1);
    EXPECT_TRUE(statistics["intra"]["bins"][4]["highBytes"].is_null());
}

TEST_F(RunWriterTest, HpccFct)
{
    EXPECT_EQ(RunWriter::HpccAddress(0), 0x0b000001u);
    EXPECT_EQ(RunWriter::HpccAddress(1), 0x0b000101u);
    EXPECT_EQ(RunWriter::HpccAddress(300), 0x0b012c01u);
    EXPECT_EQ(RunWriter::HpccAddress(65535), 0x0bffff01u);
    EXPECT_THROW(RunWriter::HpccAddress(65536), InputError);
    FlowRecord slow = Flow(1, 171915520);
    FlowRecord lost = Flow(2, -1);
    FlowRecord quick = Flow(3, 86000500); // ends before flow 1
    quick.spec.tag = 1;
    FlowRecord port = Flow(4, 400000000);
    port.spec.srcPort = 51234;
    FlowRecord other = Flow(5, 500000000);
    other.spec.src = 0;
    RunWriter writer(m_folder.string());
    writer.WriteHpccFct({other, port, quick, lost, slow});
    writer.SetSummary(SummaryJson(RunSummary(), FctStats()));
    writer.Finish();
    EXPECT_EQ(Slurp(m_folder / "fct.txt"),
              "0b000101 0b012c01 10002 200 1000000 1235 86001 85958\n"
              "0b000101 0b012c01 10000 100 1000000 1235 171916 85958\n"
              "0b000101 0b012c01 51234 100 1000000 1235 400000 85958\n"
              "0b000001 0b012c01 10000 100 1000000 1235 500000 85958\n");
    RunWriter mapped(m_folder.string());
    EXPECT_THROW(mapped.WriteHpccFct({slow}, {{5, 6}, false}),
                 InputError); // NIC 300 is not in the list
    slow.spec.dst = 0;
    mapped.WriteHpccFct({slow}, {{5, 6}, false});
    EXPECT_EQ(Slurp(m_folder / "fct.txt.tmp").substr(0, 18), "0b000601 0b000501 ");
}

// One line with the file and the reason; a full disk leaves no file under its final name.
TEST_F(RunWriterTest, WriteErrors)
{
    Put(m_root / "file", "");
    const std::string below = (m_root / "file" / "run").string();
    EXPECT_EQ(test::ErrorOf([&] { RunWriter writer(below); }),
              below + ": cannot create the run folder: Not a directory");
    const std::string file = (m_root / "file").string();
    EXPECT_EQ(test::ErrorOf([&] { RunWriter writer(file); }).substr(0, file.size() + 1),
              file + ":");
    EXPECT_EQ(test::ErrorOf([&] { CsvFile csv(below, {"a"}); }),
              below + ": cannot create: Not a directory");
    EXPECT_EQ(test::ErrorOf([] {
                  CsvFile csv("/dev/full", {"a"});
                  csv.Close();
              }),
              "/dev/full: cannot write: No space left on device");

    RunWriter writer(m_folder.string());
    CsvFile& queues = writer.OpenCsv("queues.csv", {"a"});
    writer.WriteFlows({Flow(1, 5)});
    EXPECT_THROW(writer.OpenCsv("flows.csv", {"a"}), std::logic_error);
    EXPECT_THROW(writer.OpenCsv("../x.csv", {"a"}), std::logic_error);
    writer.SetSummary(SummaryJson(RunSummary(), FctStats()));
    for (int i = 0; i < 1000; i++)
    {
        queues.Row({i});
    }
    // A file size limit stands for the full disk.
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto oldHandler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit small = before;
    small.rlim_cur = 1000;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const std::string text = test::ErrorOf([&] { writer.Finish(); });
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, oldHandler);
    EXPECT_EQ(text, (m_folder / "queues.csv.tmp").string() + ": cannot write: File too large");
    for (const auto& name : Names())
    {
        EXPECT_EQ(fs::path(name).extension(), ".tmp") << name;
    }
}
