// SPDX-License-Identifier: GPL-2.0-only

// Eight hosts send to one, so that there are ECN marks, CNPs and pauses. The first millisecond of
// the busiest port, of the NIC behind it and of a sender is captured for Wireshark. Prints what the
// ports have counted themselves, as CSV: data, ACK, NAK and CNP frames sent, byte times sent (pause
// frames, preambles and gaps included), and pause frames received.
//
//     wireshark-capture [--senders=8] [--duration=1ms] [--cc=Dcqcn] [--prefix=capture]
//     tshark -r capture-0-8.pcap -Y 'infiniband.bth.opcode == 0x81'

#include "ns3/core-module.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-network.h"
#include "ns3/roce-port-capture.h"
#include "ns3/roce-scenario.h"

#include <iostream>

using namespace ns3;
using namespace ns3::roce;

namespace
{

int
Simulate(int argc, char** argv)
{
    uint32_t senders = 8;
    Time duration = MilliSeconds(1);
    std::string cc = "Dcqcn";
    std::string prefix = "capture";
    CheckedCommandLine cmd(__FILE__, "Captures the busiest port of an incast.");
    cmd.AddValue("senders", "Hosts that send to the same receiver", senders);
    cmd.AddValue("duration", "Length of the run", duration);
    cmd.AddValue("cc", "Rate law", cc);
    cmd.AddValue("prefix", "Files are named PREFIX-NODE-PORT.pcap", prefix);
    cmd.Parse(argc, argv);
    ValueCheck::Value("--senders",
                      ValueKind::UNSIGNED,
                      std::to_string(senders),
                      Station::MAX_PORTS - 1);
    if (prefix.empty())
    {
        throw InputError("--prefix is empty, expected the beginning of file names");
    }
    if (!duration.IsStrictlyPositive())
    {
        throw InputError("--duration is not above 0");
    }
    cc = ValueCheck::Factory("--cc", cc, CongestionControl::GetTypeId());
    Config::SetDefault("ns3::roce::Nic::CongestionControl", StringValue(cc));
    Config::SetDefault("ns3::roce::Switch::BufferSize", StringValue("2MiB")); // PFC has work to do

    Network network;
    const uint32_t leaf = network.AddSwitch("leaf", 0);
    std::vector<FlowSpec> flows(senders);
    for (uint32_t i = 0; i <= senders; ++i)
    {
        network.AddNic(network.AddHost("host" + std::to_string(i), 0),
                       leaf,
                       DataRate("100Gbps"),
                       MicroSeconds(1));
    }
    network.Build();
    network.AssignStreams(1);
    for (uint32_t i = 0; i < senders; ++i)
    {
        flows[i].id = i;
        flows[i].src = i;
        flows[i].dst = senders;
        flows[i].sizeBytes = 1000000000;
    }
    network.InstallFlows(flows);

    const std::vector<Ptr<Port>> ports{
        network.GetSwitch(leaf)->GetPort(static_cast<uint16_t>(senders)),
        network.GetNic(senders),
        network.GetNic(0)};
    PortCapture capture;
    for (const Ptr<Port>& port : ports)
    {
        capture.EnablePcap(prefix, port);
    }
    Simulator::Stop(duration);
    Simulator::Run();
    network.CatchUp();
    capture.Finish();

    std::cout << "file,packets_sent,wire_bytes_sent,pauses_received\n";
    for (const Ptr<Port>& port : ports)
    {
        std::cout << PcapHelper().GetFilenameFromDevice(prefix, port) << ","
                  << port->GetPacketHops() << "," << port->GetTxWireBytes() << ","
                  << port->GetPfcReceived() << "\n";
    }
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunProgram([&] { return Simulate(argc, argv); });
}
