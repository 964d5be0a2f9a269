// SPDX-License-Identifier: GPL-2.0-only
// Captures in ns-3's way: which files there are, when, and what is in them. What Wireshark makes of
// them is the business of test/cli/wireshark.py.
#include "roce-test-network.h"

#include "ns3/pcap-file.h"
#include "ns3/roce-port-capture.h"
#include "ns3/roce-wire-format.h"
#include "ns3/simple-net-device.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>

using namespace ns3;
using namespace ns3::roce;
using namespace ns3::roce::test;

namespace
{

/// One frame of a file.
struct Captured
{
    int64_t ns;
    std::vector<uint8_t> bytes;
};

/// Reads a file with ns-3's own reader, without WireFormat.
std::vector<Captured>
Read(const std::string& path)
{
    std::vector<Captured> frames;
    PcapFile file;
    file.Open(path, std::ios::in);
    EXPECT_FALSE(file.Fail()) << path;
    EXPECT_TRUE(file.IsNanoSecMode()) << path;
    EXPECT_EQ(file.GetDataLinkType(), 1u);
    std::vector<uint8_t> bytes(70000);
    for (;;)
    {
        uint32_t seconds = 0;
        uint32_t ns = 0;
        uint32_t stored = 0;
        uint32_t length = 0;
        uint32_t read = 0;
        file.Read(bytes.data(), bytes.size(), seconds, ns, stored, length, read);
        if (file.Eof() || file.Fail())
        {
            return frames;
        }
        EXPECT_EQ(read, length);
        frames.push_back({seconds * 1000000000LL + ns, {bytes.begin(), bytes.begin() + read}});
    }
}

struct PortCaptureTest : SystemTest
{
    PortCaptureTest()
        : folder(std::filesystem::temp_directory_path() /
                 ("roce-capture-" + std::to_string(getpid())))
    {
        std::filesystem::create_directory(folder);
    }

    ~PortCaptureTest() override
    {
        std::filesystem::remove_all(folder);
    }

    /// @return names of files in the folder
    std::set<std::string> Names() const
    {
        std::set<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder))
        {
            names.insert(entry.path().filename().string());
        }
        return names;
    }

    std::string Path(const std::string& name) const
    {
        return (folder / name).string();
    }

    std::filesystem::path folder;
};

using Set = std::set<std::string>;

TEST_F(PortCaptureTest, FilesAreNamedAsByOtherHelpers)
{
    Network net;
    MakeStar(net, 2); // nodes: switch 0, hosts 1 and 2
    net.Build();
    net.GetNodes().Get(1)->AddDevice(CreateObject<SimpleNetDevice>()); // another module's: no file
    PortCapture capture;
    capture.EnablePcap(Path("nic"), net.GetNic(0));
    capture.EnablePcap(Path("port"), net.GetSwitch(0)->GetPort(1));
    capture.EnablePcap(Path("id"), 0, 0);
    capture.EnablePcap(Path("own name"), net.GetNic(1), false, true);
    capture.EnablePcap(Path("nodes"), net.GetNodes());
    capture.EnablePcapAll(Path("all"));
    const Set names{"nic-1-0.pcap",
                    "port-0-1.pcap",
                    "id-0-0.pcap",
                    "own name",
                    "nodes-0-0.pcap",
                    "nodes-0-1.pcap",
                    "nodes-1-0.pcap",
                    "nodes-2-0.pcap",
                    "all-0-0.pcap",
                    "all-0-1.pcap",
                    "all-1-0.pcap",
                    "all-2-0.pcap"};
    Set unfinished;
    for (const std::string& name : names)
    {
        unfinished.insert(name + ".tmp");
    }
    EXPECT_EQ(Names(), unfinished);
    EXPECT_THROW(capture.EnablePcap(Path("nic"), net.GetNic(0)), InputError) << "twice";
    EXPECT_THROW(capture.EnablePcap(Path("none/x"), net.GetNic(0)), InputError) << "no folder";
    capture.Finish();
    EXPECT_EQ(Names(), names);
    capture.Finish(); // nothing more to do
    EXPECT_EQ(Read(Path("all-0-0.pcap")).size(), 0u);
}

TEST_F(PortCaptureTest, TheEndOfTheSimulatorFinishesTheFiles)
{
    SetRateLaw("LineRate");
    Network net;
    MakeStar(net, 2);
    net.Build();
    net.InstallFlows(Numbered({Flow(0, 1, 100000)}));
    {
        PortCapture capture; // need not live as long as the files
        capture.EnablePcap(Path("x"), net.GetNic(0));
    }
    Simulator::Run();
    EXPECT_EQ(Names(), Set{"x-1-0.pcap.tmp"});
    Simulator::Destroy();
    EXPECT_EQ(Names(), Set{"x-1-0.pcap"});
    EXPECT_EQ(Read(Path("x-1-0.pcap")).size(), 50u); // 25 packets, 25 ACKs
}

TEST_F(PortCaptureTest, AFileThatCannotBeWrittenIsReported)
{
    Network net;
    MakeStar(net, 2);
    net.Build();
    PortCapture capture;
    capture.EnablePcap(Path("x"), net.GetNic(0));
    std::filesystem::remove(Path("x-1-0.pcap.tmp"));
    EXPECT_THROW(capture.Finish(), InputError);
}

/// Frames seen by the other trace sources of a port, in order: time and kind.
struct Watch
{
    explicit Watch(const Ptr<Port>& port)
    {
        for (const char* source : {"TxBegin", "RxEnd"})
        {
            port->TraceConnectWithoutContext(
                source,
                Callback<void, const Frame&, Time>([this](const Frame& frame, Time at) {
                    seen.emplace_back(at.GetPicoSeconds(), frame.kind);
                    frameBytes.push_back(std::max<uint32_t>(frame.frameBytes, MIN_FRAME_BYTES));
                }));
        }
    }

    std::vector<std::pair<int64_t, FrameKind>> seen;
    std::vector<uint32_t> frameBytes;
};

FrameKind
KindOf(const std::vector<uint8_t>& bytes)
{
    if (bytes[12] == 0x88 && bytes[13] == 0x08)
    {
        return FrameKind::PFC;
    }
    switch (bytes[42])
    {
    case 0x11:
        return bytes[54] == 0x60 ? FrameKind::NAK : FrameKind::ACK;
    case 0x81:
        return FrameKind::CNP;
    default:
        return FrameKind::DATA;
    }
}

// A busy port for a while that begins and ends in the midst of a run: exactly the frames of that
// time, each with its length, kind and nanosecond.
TEST_F(PortCaptureTest, ABusyPortBetweenTwoTimes)
{
    SetRateLaw("Dcqcn");
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("1MiB"));
    Network net;
    MakeStar(net, 9);
    net.Build();
    net.AssignStreams(1);
    InstallIncast(net, 100000000);
    const std::vector<Ptr<Port>> ports{net.GetSwitch(0)->GetPort(8),
                                       net.GetSwitch(0)->GetPort(0),
                                       net.GetNic(0)};
    std::vector<std::unique_ptr<Watch>> watches;
    for (const Ptr<Port>& port : ports)
    {
        watches.push_back(std::make_unique<Watch>(port));
    }
    PortCapture capture;
    std::vector<std::size_t> before;
    uint64_t hops = 0;
    Simulator::Schedule(MicroSeconds(300), [&] {
        net.CatchUp();
        for (std::size_t i = 0; i < ports.size(); ++i)
        {
            before.push_back(watches[i]->seen.size());
            capture.EnablePcap(Path("x"), ports[i]);
        }
        hops = ports[0]->GetPacketHops();
    });
    Simulator::Schedule(MicroSeconds(1300), [&] {
        capture.Finish(); // first: it does itself what is due by now
        net.CatchUp();
        hops = ports[0]->GetPacketHops() - hops;
        for (std::size_t i = 0; i < ports.size(); ++i)
        {
            watches[i]->seen.erase(watches[i]->seen.begin(),
                                   watches[i]->seen.begin() +
                                       static_cast<std::ptrdiff_t>(before[i]));
            watches[i]->frameBytes.erase(watches[i]->frameBytes.begin(),
                                         watches[i]->frameBytes.begin() +
                                             static_cast<std::ptrdiff_t>(before[i]));
        }
    });
    Simulator::Stop(MicroSeconds(1300));
    Simulator::Run();

    std::set<FrameKind> kinds;
    for (std::size_t i = 0; i < ports.size(); ++i)
    {
        const auto captured = Read(Path("x-" + std::to_string(ports[i]->GetNode()->GetId()) + "-" +
                                        std::to_string(ports[i]->GetIfIndex()) + ".pcap"));
        const Watch& watch = *watches[i];
        ASSERT_EQ(captured.size(), watch.seen.size()) << i;
        for (std::size_t f = 0; f < captured.size(); ++f)
        {
            EXPECT_EQ(captured[f].ns, watch.seen[f].first / 1000);
            EXPECT_EQ(captured[f].bytes.size() + FCS_BYTES, watch.frameBytes[f]);
            EXPECT_EQ(KindOf(captured[f].bytes), watch.seen[f].second);
            kinds.insert(watch.seen[f].second);
        }
    }
    EXPECT_EQ(kinds, (std::set{FrameKind::DATA, FrameKind::ACK, FrameKind::CNP, FrameKind::PFC}));
    const auto busy = Read(Path("x-0-8.pcap"));
    EXPECT_EQ(std::count_if(busy.begin(),
                            busy.end(),
                            [](const Captured& c) { return KindOf(c.bytes) == FrameKind::DATA; }),
              static_cast<std::ptrdiff_t>(hops));
    EXPECT_GT(hops, 2900u); // of at most 2992
}

// Sequence numbers have 64 bits inside and 24 on the wire: message of 2^24 packets and 200 more.
TEST_F(PortCaptureTest, PsnsWrapOnTheWire)
{
    SetRateLaw("LineRate");
    constexpr uint32_t PACKETS = (1U << 24) + 200;
    Config::SetDefault("ns3::roce::Nic::PathMtu", UintegerValue(256));
    Config::SetDefault("ns3::roce::Nic::AckEveryN", UintegerValue(50));
    Network net;
    MakeStar(net, 2);
    net.Build();
    net.InstallFlows(Numbered({Flow(0, 1, 256ULL * PACKETS)}));
    const Ptr<Nic> nic = net.GetNic(1);
    PortCapture capture;
    const int64_t packetPs = nic->SerialisationPs(nic->WireBytes(DATA_HEADER_BYTES + 256));
    Simulator::Schedule(PicoSeconds(packetPs * ((1 << 24) - 200)),
                        [&] { capture.EnablePcap(Path("x"), nic); });
    Simulator::Run();
    capture.Finish();

    std::vector<uint32_t> data;
    std::vector<uint32_t> acks;
    for (const Captured& frame : Read(Path("x-2-0.pcap")))
    {
        const uint32_t psn = frame.bytes[51] << 16 | frame.bytes[52] << 8 | frame.bytes[53];
        (KindOf(frame.bytes) == FrameKind::DATA ? data : acks).push_back(psn);
    }
    ASSERT_GT(data.size(), 400u);
    for (std::size_t i = 0; i < data.size(); ++i)
    {
        EXPECT_EQ(data[i], (PACKETS - data.size() + i) % (1U << 24));
    }
    ASSERT_GT(acks.size(), 8u);
    // One for every 50 packets from PSN 0 on, and for the last: the first behind the wrap is 33.
    for (std::size_t i = 0; i < acks.size(); ++i)
    {
        const uint64_t last = (PACKETS + 49) / 50 - acks.size() + i;
        EXPECT_EQ(acks[i], std::min<uint64_t>(50 * last + 49, PACKETS - 1) % (1U << 24));
    }
    EXPECT_EQ(std::count(acks.begin(), acks.end(), 33u), 1);
}

} // namespace
