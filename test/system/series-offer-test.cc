// SPDX-License-Identifier: GPL-2.0-only
// A stage of outside offers variables and gets its table; the table is exact.
#include "roce-error-of.h"
#include "roce-packet-stream.h"
#include "roce-test-folder.h"

#include "ns3/roce-run-writer.h"
#include "ns3/roce-station-series.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// Counts data frames that leave each port.
class SeenFrames : public SwitchStage
{
  public:
    uint32_t GetHooks() const override
    {
        return DEQUEUE;
    }

    void Install(Switch& sw) override
    {
        m_frames.resize(sw.GetNPorts());
    }

    Verdict OnDequeue(Frame& frame, Port& out, const EgressScheduler&, int64_t nowPs) override
    {
        if (frame.kind == FrameKind::DATA)
        {
            ++m_frames[out.GetIndex()];
            for (const SeriesOffer::Tell& tell : listeners)
            {
                tell(PicoSeconds(nowPs), out.GetIndex(), Look(out.GetIndex()));
            }
        }
        return Verdict::PASS;
    }

    SeriesValues Look(uint16_t port) const
    {
        return {m_frames[port], m_frames[port] % 2 ? "odd" : "even", m_frames[port] * 0.5};
    }

    std::vector<SeriesOffer::Tell> listeners;

  private:
    std::vector<uint64_t> m_frames; //!< by port
};

/// All that such a stage needs for its table.
void
OfferFrames(Switch& sw, SeriesOffer& offer)
{
    auto* const stage = sw.FindStage<SeenFrames>();
    if (!stage)
    {
        return;
    }
    offer.visit = [&sw, stage](int64_t, const SeriesOffer::Take& take) {
        for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
        {
            take(p, stage->Look(p));
        }
    };
    if (offer.tell)
    {
        stage->listeners.push_back(offer.tell);
    }
}

[[maybe_unused]] const bool g_frames =
    StationSeries::Register({"seenFrames",
                             SeriesSubject::PORTS,
                             "seenFrames.csv, frames that were seen",
                             "{port} frames",
                             "frames",
                             {{"port", SeriesForm::PORT},
                              {"frames", SeriesForm::COUNT, DRAWN},
                              {"parity", SeriesForm::TEXT},
                              {"pairs", SeriesForm::REAL}}},
                            OfferFrames);

/// What the table below is to report: rows by the time of the sample, or the changes themselves.
struct Script
{
    std::map<int64_t, std::vector<uint64_t>> samples; //!< values of port 0 and on, by time
    SeriesOffer::Tell tell;
} g_script;

void
OfferScript(Switch&, SeriesOffer& offer)
{
    g_script.tell = offer.tell;
    offer.visit = [](int64_t nowPs, const SeriesOffer::Take& take) {
        uint16_t port = 0;
        for (const uint64_t value : g_script.samples[nowPs])
        {
            take(port++, {value});
        }
    };
}

[[maybe_unused]] const bool g_scripted = StationSeries::Register(
    {"scripted",
     SeriesSubject::PORTS,
     "scripted.csv, what a test says",
     "",
     "",
     {{"port", SeriesForm::PORT}, {"value", SeriesForm::COUNT, SILENT | DRAWN}}},
    OfferScript);

using Lines = std::vector<std::string>;

/// The first thing that is wrong with rows, in words; empty if there is none.
std::string
WhatIsWrong(Lines expected, Lines found)
{
    for (const std::string& row : expected)
    {
        const auto want = std::count(expected.begin(), expected.end(), row);
        const auto have = std::count(found.begin(), found.end(), row);
        if (have != want)
        {
            return (have < want ? "lost: " : "doubled: ") + row;
        }
    }
    for (const std::string& row : found)
    {
        if (std::count(expected.begin(), expected.end(), row) == 0)
        {
            return "should have been left out: " + row;
        }
    }
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
        if (expected[i] != found[i])
        {
            return "out of order: " + found[i] + " instead of " + expected[i];
        }
    }
    return "";
}

struct SeriesOfferTest : FolderTest
{
    /// A star of three hosts with one flow of 25 frames, for 10 us. @return rows of the table
    Lines Record(const std::string& table,
                 const std::string& mode,
                 const std::vector<std::string>& ports = {},
                 const std::function<void(Network&)>& before = {})
    {
        SetRateLaw("LineRate");
        Network net;
        MakeStar(net, 3);
        net.Build();
        net.GetSwitch(0)->Install(CreateObject<SeenFrames>());
        const auto flows = Numbered({Flow(0, 2, 25 * 4096)});
        net.InstallFlows(flows);
        RunWriter writer(folder.string());
        TimeSeries::Options series;
        series.modes[table] = SeriesMode::Parse("--" + table, mode);
        series.ports = ports;
        TimeSeries recorder(net, flows, series, &writer);
        recorder.Start();
        if (before)
        {
            before(net);
        }
        Simulator::Stop(MicroSeconds(10));
        Simulator::Run();
        net.CatchUp();
        recorder.Finish();
        writer.SetSummary(nlohmann::ordered_json::object());
        writer.Finish();
        node = net.GetSwitch(0)->GetNodeId();
        std::ifstream file(folder / (table + ".csv"));
        Lines rows;
        std::getline(file, header);
        for (std::string line; std::getline(file, line);)
        {
            rows.push_back(line);
        }
        return rows;
    }

    /// A row as it must be.
    std::string Row(const std::string& ns, unsigned port, const std::string& values) const
    {
        return ns + "," + std::to_string(node) + "," + std::to_string(port) + "," + values +
               ",sw,sw:" + std::to_string(port);
    }

    std::string header;
    uint32_t node{0};
};

} // namespace

TEST_F(SeriesOfferTest, AStageOfOutsideGetsItsTable)
{
    const Lines rows = Record("seenFrames", "change", {"sw:2"});
    EXPECT_EQ(header, "time_ns,node,port,frames,parity,pairs,node_name,port_name");
    ASSERT_EQ(rows.size(), 25u);
    EXPECT_NE(rows[2].find("," + std::to_string(node) + ",2,3,odd,1.5,sw,sw:2"), std::string::npos)
        << rows[2];
    EXPECT_NE(rows[24].find(",25,odd,12.5,"), std::string::npos) << rows[24];
}

TEST_F(SeriesOfferTest, AStageOfOutsideIsSampled)
{
    const Lines samples = Record("seenFrames", "4us");
    // A frame of 4158 B and 20 B around it lasts 334.24 ns; the first one is there after 1.67 us.
    EXPECT_EQ(WhatIsWrong({Row("4000.000", 0, "0,even,0"),
                           Row("4000.000", 1, "0,even,0"),
                           Row("4000.000", 2, "8,even,4"),
                           Row("8000.000", 0, "0,even,0"),
                           Row("8000.000", 1, "0,even,0"),
                           Row("8000.000", 2, "20,even,10"),
                           Row("10000.000", 0, "0,even,0"),
                           Row("10000.000", 1, "0,even,0"),
                           Row("10000.000", 2, "25,odd,12.5")},
                          samples),
              "")
        << ::testing::PrintToString(samples);
}

TEST_F(SeriesOfferTest, EachSampleIsThereOnce)
{
    g_script.samples = {{3 * US, {0, 5, 0}},
                        {6 * US, {1, 5, 0}},
                        {9 * US, {0, 0, 0}},
                        {10 * US, {}}};
    const Lines rows = Record("scripted", "3us");
    EXPECT_EQ(header, "time_ns,node,port,value,node_name,port_name");
    EXPECT_EQ(WhatIsWrong({Row("3000.000", 1, "5"),
                           Row("6000.000", 0, "1"),
                           Row("6000.000", 1, "5"),
                           Row("9000.000", 0, "0"),
                           Row("9000.000", 1, "0")},
                          rows),
              "");
}

TEST_F(SeriesOfferTest, OnlyChosenPortsAreThere)
{
    g_script.samples = {{3 * US, {1, 2, 3}},
                        {6 * US, {4, 5, 0}},
                        {9 * US, {7, 8, 9}},
                        {10 * US, {}}};
    const Lines rows = Record("scripted", "3us", {"sw:2", "nic0"});
    EXPECT_EQ(WhatIsWrong({Row("3000.000", 2, "3"),
                           Row("6000.000", 2, "0"),
                           Row("9000.000", 2, "9"),
                           Row("10000.000", 2, "0")},
                          rows),
              "");
}

// Ports of a station report in any order, each change up to the slack late, and more than are kept.
TEST_F(SeriesOfferTest, ChangesComeInOrderOfTime)
{
    constexpr int N = 20000;
    const Lines rows = Record("scripted", "change", {}, [](Network& net) {
        const int64_t slackPs = GetLargestSlackPs(net);
        for (int i = 0; i < N; i += 2)
        {
            const int64_t atPs = slackPs + i * 100;
            Simulator::Schedule(PicoSeconds(atPs), [=] {
                g_script.tell(PicoSeconds(atPs), 1, {i + 1});
                g_script.tell(PicoSeconds(atPs - slackPs / 2), 0, {i + 2});
                g_script.tell(PicoSeconds(atPs), 2, {i + 1});
            });
        }
    });
    ASSERT_EQ(rows.size(), 3u * N / 2) << "lost or doubled";
    double lastNs = 0;
    std::map<uint64_t, std::vector<int>> values; // by port
    for (const std::string& row : rows)
    {
        const double ns = std::stod(row);
        EXPECT_LE(lastNs, ns) << "out of order: " << row;
        lastNs = ns;
        const std::size_t port = row.find(',', row.find(',') + 1) + 1;
        values[std::stoul(row.substr(port))].push_back(
            std::stoi(row.substr(row.find(',', port) + 1)));
    }
    for (const auto& [port, found] : values)
    {
        for (int i = 0; i < N / 2; ++i)
        {
            ASSERT_EQ(found.at(i), 2 * i + (port == 0 ? 2 : 1)) << "port " << port;
        }
    }
}

TEST_F(SeriesOfferTest, TablesThatCannotBeAreRefused)
{
    Network net;
    MakeStar(net, 2);
    net.Build();
    SeriesContext context{net, PortNames(net), nullptr, nullptr, {}, {}, {}, {}, {}, nullptr};
    SeriesTable sampled{"sampled", SeriesSubject::PORTS, "", "", "", {{"port", SeriesForm::PORT}}};
    sampled.isSampled = true;
    SeriesMode mode;
    mode.onChange = true;
    EXPECT_EQ(ErrorOf([&] { Series(context, mode, sampled); }),
              "--sampled is 'change', expected a time, for example 10us");
}

// A port's bytes are those of all frames.
TEST_F(SeriesOfferTest, PacketsOfNs3AreInTheBytesOfPorts)
{
    std::unique_ptr<PacketStream> sender;
    std::unique_ptr<PacketStream> receiver;
    std::map<int64_t, uint64_t> sentBytes{{-1, 0}}; // by time, so far
    uint64_t packets = 0;
    const Lines rows = Record("utilisation", "1us", {"sw:2"}, [&](Network& net) {
        const PacketStream::Settings settings{2, 20e9, 1, ECN_NOT_ECT, 1500, 0, 10 * US};
        sender = std::make_unique<PacketStream>(*net.GetNic(1), settings);
        receiver = std::make_unique<PacketStream>(*net.GetNic(2));
        Port* const port = PeekPointer(net.GetSwitch(0)->GetPort(2));
        port->TraceConnectWithoutContext(
            "TxBegin",
            Callback<void, const Frame&, Time>([&, port](const Frame& frame, Time at) {
                packets += frame.kind == FrameKind::PACKET;
                sentBytes[at.GetTimeStep()] =
                    sentBytes.rbegin()->second + port->WireBytes(frame.frameBytes);
            }));
    });
    EXPECT_EQ(header, "time_ns,node,port,tx_bytes,utilisation,node_name,port_name");
    EXPECT_GE(rows.size(), 8u);
    EXPECT_GT(packets, 8u);
    for (const std::string& row : rows)
    {
        std::istringstream fields(row);
        std::string ns;
        std::string skipped;
        std::string bytes;
        std::getline(fields, ns, ',');
        std::getline(fields, skipped, ',');
        std::getline(fields, skipped, ',');
        std::getline(fields, bytes, ',');
        const auto after = sentBytes.upper_bound(std::stoll(ns) * 1000);
        EXPECT_EQ(bytes, std::to_string(std::prev(after)->second)) << row;
    }
}
