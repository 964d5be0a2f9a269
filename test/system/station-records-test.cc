// SPDX-License-Identifier: GPL-2.0-only

// What is recorded of every change and every frame: several threads write the bytes of one.

#include "roce-error-of.h"
#include "roce-test-folder.h"

#include "ns3/packet.h"
#include "ns3/roce-leaf-spine-helper.h"
#include "ns3/roce-netanim-file.h"
#include "ns3/roce-pfc-log.h"
#include "ns3/roce-port-capture.h"
#include "ns3/roce-station-records.h"
#include "ns3/roce-time-series.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

namespace ns3::roce::test
{

namespace
{

/// Four racks of three hosts and two spines; each host writes to six others, so that queues fill
/// and pauses are sent.
class StationRecordsTest : public FolderTest
{
  protected:
    static constexpr uint32_t RACKS = 4;
    static constexpr uint32_t HOSTS = 12;

    void SetUp() override
    {
        FolderTest::SetUp();
        Config::SetDefault("ns3::roce::Switch::Alpha", DoubleValue(0.01));
        Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("2MiB"));
    }

    static std::vector<FlowSpec> Flows()
    {
        std::vector<FlowSpec> flows;
        for (uint32_t src = 0; src < HOSTS; ++src)
        {
            for (uint32_t i = 1; i < 7; ++i)
            {
                flows.push_back(Flow(src, (src + i * i) % HOSTS, 20000 * i, i * 3 * US));
                flows.back().dst = flows.back().dst == src ? (src + 1) % HOSTS : flows.back().dst;
            }
        }
        return Numbered(flows);
    }

    static void Build(Network& net)
    {
        for (uint32_t r = 0; r < RACKS; ++r)
        {
            net.AddSwitch("leaf" + std::to_string(r), 0);
        }
        for (uint32_t s = 0; s < 2; ++s)
        {
            net.AddSwitch("spine" + std::to_string(s), 0);
            for (uint32_t r = 0; r < RACKS; ++r)
            {
                net.Connect(r, RACKS + s, 40 * G, US);
            }
        }
        for (uint32_t h = 0; h < HOSTS; ++h)
        {
            net.AddNic(net.AddHost("h" + std::to_string(h), 0), h % RACKS, 100 * G, US);
        }
        net.Build();
        net.AssignStreams(100);
    }

    /// Run with so many threads. @param prepare connects sinks @param finish called after the run
    static void Run(
        unsigned threads,
        const std::function<void(Network&)>& prepare,
        const std::function<void()>& finish = [] {})
    {
        Network net;
        Build(net);
        net.InstallFlows(Flows());
        prepare(net);
        if (threads > 1)
        {
            EXPECT_EQ(net.SetThreads(threads), threads);
        }
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        net.CatchUp();
        EXPECT_EQ(net.Audit(true), "");
        finish();
    }

    /// @return bytes of a file
    std::string Read(const std::string& name) const
    {
        std::ifstream in(folder / name, std::ios::binary);
        std::ostringstream bytes;
        bytes << in.rdbuf();
        return bytes.str();
    }
};

} // namespace

TEST_F(StationRecordsTest, FilesOfSeveralThreadsAreThoseOfOne)
{
    std::map<std::string, std::string> expected;
    for (const unsigned threads : {1, 2, 3, 4})
    {
        SCOPED_TRACE(std::to_string(threads) + " threads");
        std::unique_ptr<PfcLog> pauses;
        std::unique_ptr<NetAnimFile> frames;
        PortCapture capture;
        const auto prepare = [&](Network& net) {
            pauses = std::make_unique<PfcLog>(net, folder / "pfc.txt");
            frames =
                std::make_unique<NetAnimFile>(net,
                                              NetAnimFile::Window::Parse("window", "5us-400us"),
                                              folder / "netanim.xml");
            frames->Start();
            capture.EnablePcap(folder / "nic", net.GetNic(1));
            capture.EnablePcap(folder / "leaf", net.GetSwitch(2)->GetPort(0));
            capture.EnablePcap(folder / "spine", net.GetSwitch(5)->GetPort(1));
        };
        Simulator::Schedule(MicroSeconds(400), [this] {
            EXPECT_GT(Read("netanim.xml").size(), 500000u) << "it is written while the run goes on";
        });
        Run(threads, prepare, [&] {
            pauses->Finish();
            frames->Finish();
            capture.Finish();
        });
        std::map<std::string, std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator(folder))
        {
            const std::string name = entry.path().filename();
            found[name] = Read(name);
            EXPECT_GT(found[name].size(), 1000u) << name;
        }
        EXPECT_EQ(found.size(), 5u);
        expected = threads == 1 ? found : expected;
        for (const auto& [name, bytes] : expected)
        {
            EXPECT_TRUE(found[name] == bytes) << name;
        }
        Simulator::Destroy();
    }
}

TEST_F(StationRecordsTest, NothingHappensBeforeWhatIsSettled)
{
    struct Watcher : public RunWatcher
    {
        void OnSettled(const ParallelRun&, int64_t untilPs) override
        {
            settledPs = untilPs;
            ++calls;
        }

        int64_t settledPs{-1};
        unsigned calls{0};
    };

    Watcher watcher;
    LeafSpineHelper h; // switches take turns in its partitions
    h.datacenters = 1;
    h.leaves = 8;
    h.spines = 2;
    h.hostsPerLeaf = 6;
    Network net;
    h.Construct(net);
    net.Build();
    net.MeasureBalance(2); // in one thread, as the sinks share the watcher
    net.InstallFlows(Flows());
    const SinkMark::LocalSinks local;
    for (const Ptr<Port>& port : net.GetPorts())
    {
        port->TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([&watcher](const Frame&, Time at) {
                EXPECT_GE(at.GetTimeStep(), watcher.settledPs);
            }));
    }
    Simulator::Stop(MilliSeconds(3));
    Simulator::Run();
    EXPECT_GT(watcher.calls, 50u) << "in each window";
    EXPECT_GT(watcher.settledPs, 50 * US);
    Simulator::Destroy();
}

TEST_F(StationRecordsTest, SeriesOfSeveralThreadsAreThoseOfOne)
{
    std::map<std::string, std::string> expected;
    for (const unsigned threads : {1, 2, 4})
    {
        SCOPED_TRACE(std::to_string(threads) + " threads");
        TimeSeries::Options options;
        for (const char* name : {"queues", "rates", "transport", "pfc", "pauses", "utilisation"})
        {
            options.modes[name].onChange = true;
        }
        options.chromeTrace = true;
        RunWriter writer(folder / std::to_string(threads));
        std::unique_ptr<TimeSeries> series;
        const auto prepare = [&](Network& net) {
            series = std::make_unique<TimeSeries>(net, Flows(), options, &writer);
            series->Start();
        };
        Run(threads, prepare, [&] {
            series->Finish();
            series = nullptr;
        });
        writer.SetSummary(nlohmann::ordered_json::object());
        writer.Finish();
        for (const char* name : {"queues.csv",
                                 "rates.csv",
                                 "transport.csv",
                                 "pfc.csv",
                                 "pauses.csv",
                                 "utilisation.csv",
                                 "trace.json"})
        {
            const std::string found = Read(std::to_string(threads) + "/" + name);
            EXPECT_GT(found.size(), 2000u) << name;
            expected.try_emplace(name, found);
            EXPECT_TRUE(expected[name] == found) << name;
        }
        Simulator::Destroy();
    }
}

// Threads add, and one takes out what is final, in order of time, then key; those of one time and
// key as they came.
TEST_F(StationRecordsTest, OrderIsThatOfTimeAndKeys)
{
    Network net;
    Build(net);
    net.SetThreads(2);
    std::vector<std::array<int64_t, 3>> written; // time, key, number
    using Record = std::array<uint64_t, 2>;      // key, number
    StationRecords<Record> records(
        net,
        {[&written](int64_t atPs, const Record& r) {
             written.push_back({atPs, static_cast<int64_t>(r[0]), static_cast<int64_t>(r[1])});
         },
         {},
         {},
         {}});
    constexpr uint64_t KEYS = 8; // of each thread
    constexpr uint64_t N = 4000;
    const auto add = [&records](uint64_t first, int64_t fromPs) {
        for (uint64_t i = 0; i < N; ++i)
        {
            const uint64_t key = first + i * 5 % KEYS;
            records.Push(fromPs + static_cast<int64_t>(i / 100), key, {key, i});
        }
    };
    constexpr int64_t LAST = N / 100 - 1;
    std::size_t before = 0;
    for (const int64_t fromPs : {0, 100})
    {
        std::thread other([&] { add(KEYS, fromPs); });
        add(0, fromPs);
        other.join();
        EXPECT_EQ(written.size(), before) << "not while threads are at work";
        records.OnSettled(*net.GetParallelRun(), fromPs + LAST);
        ASSERT_GT(written.size(), before);
        EXPECT_LT(written.back()[0], fromPs + LAST) << "more may happen at that time";
        before = written.size();
    }
    EXPECT_EQ(before, 4 * N - 200);
    records.Finish();
    EXPECT_EQ(written.size(), 4 * N);
    EXPECT_TRUE(std::is_sorted(written.begin(), written.end()));
}

// Another network's run says nothing of this one.
TEST_F(StationRecordsTest, OtherRunsDoNotMatter)
{
    Network net;
    Network other;
    for (Network* network : {&net, &other})
    {
        Build(*network);
        network->SetThreads(2);
    }
    int written = 0;
    StationRecords<int> records(net, {[&](int64_t, int) { ++written; }, {}, {}, {}});
    for (int i = 0; i < 5000; ++i)
    {
        records.Push(i, 1, i);
    }
    records.OnSettled(*other.GetParallelRun(), 1000);
    EXPECT_EQ(written, 0);
    records.OnSettled(*net.GetParallelRun(), 1000);
    EXPECT_EQ(written, 1000);
}

// A user's own sinks: each touches nothing but what belongs to its station.
TEST_F(StationRecordsTest, LocalSinksOfUsers)
{
    /// Of a port.
    struct Seen
    {
        uint64_t bytes{0};
        uint64_t hash{0};
    };

    const auto run = [](unsigned threads) {
        std::vector<Seen> seen;
        Run(threads, [&seen](Network& net) {
            const std::vector<Ptr<Port>> ports = net.GetPorts();
            seen.resize(ports.size());
            const SinkMark::LocalSinks local;
            for (std::size_t i = 0; i < ports.size(); ++i)
            {
                ports[i]->TraceConnectWithoutContext(
                    "TxBegin",
                    Callback<void, const Frame&, Time>([own = &seen[i]](const Frame& f, Time at) {
                        own->hash = own->hash * 31 + f.psn + at.GetTimeStep();
                    }));
                ports[i]->TraceConnectWithoutContext(
                    "Sniffer",
                    Callback<void, Ptr<const Packet>, Time, bool>(
                        [own = &seen[i]](Ptr<const Packet> packet, Time, bool) {
                            own->bytes += packet->GetSize();
                        }));
            }
        });
        Simulator::Destroy();
        return seen;
    };
    const std::vector<Seen> one = run(1);
    for (const unsigned threads : {2, 4})
    {
        const std::vector<Seen> found = run(threads);
        for (std::size_t i = 0; i < one.size(); ++i)
        {
            EXPECT_EQ(found[i].hash, one[i].hash) << i;
            EXPECT_EQ(found[i].bytes, one[i].bytes) << i;
            EXPECT_GT(one[i].bytes, 0u);
        }
    }
}

// The same without a mark: what a sink touches is not known.
TEST_F(StationRecordsTest, OtherSinksAreRefused)
{
    Network net;
    Build(net);
    {
        const SinkMark::LocalSinks local;
        net.GetNic(0)->TraceConnectWithoutContext(
            "Rate",
            Callback<void, const QueuePair&, Time>([](const QueuePair&, Time) {}));
    }
    net.SetThreads(2);
    net.SetThreads(1);
    net.GetNic(0)->TraceConnectWithoutContext(
        "Rate",
        Callback<void, const QueuePair&, Time>([](const QueuePair&, Time) {}));
    EXPECT_NE(ErrorOf([&net] { net.SetThreads(2); }).find("SinkMark::LocalSinks"),
              std::string::npos);
}

} // namespace ns3::roce::test
