// SPDX-License-Identifier: GPL-2.0-only
#include "roce-net-device-helper.h"

#include "roce-net-channel.h"
#include "roce-net-device.h"

#include "ns3/node.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-network.h"

namespace ns3::roce
{

RoceNetDeviceHelper::RoceNetDeviceHelper()
    : m_factory("ns3::roce::RoceNetDevice")
{
}

void
RoceNetDeviceHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

NetDeviceContainer
RoceNetDeviceHelper::Install(Network& network)
{
    if (network.GetParallelRun())
    {
        throw InputError("ns-3's TCP/IP in a run with several threads or processes, expected one: "
                         "its stacks share what belongs to no station");
    }
    const Ptr<RoceNetChannel> channel = CreateObject<RoceNetChannel>();
    NetDeviceContainer devices;
    for (uint32_t n = 0; n < network.GetNNics(); ++n)
    {
        if (network.IsInternal(n))
        {
            continue;
        }
        const Ptr<Nic> nic = network.GetNic(n);
        if (nic->GetPackets())
        {
            throw InputError("NIC " + std::to_string(n) + " has a RoceNetDevice, expected none");
        }
        const Ptr<RoceNetDevice> device = m_factory.Create<RoceNetDevice>();
        nic->GetNode()->AddDevice(device);
        channel->Add(device);
        device->Attach(nic, channel, channel->GetNDevices() - 1);
        devices.Add(device);
    }
    channel->Watch(network);
    return devices;
}

void
RoceNetDeviceHelper::EnablePcapInternal(std::string prefix,
                                        Ptr<NetDevice> device,
                                        bool promiscuous,
                                        bool explicitFilename)
{
    const Ptr<RoceNetDevice> own = device->GetObject<RoceNetDevice>();
    if (!own)
    {
        return; // of another kind, as in ns-3's helpers
    }
    PcapHelper pcap;
    const std::string name = explicitFilename ? prefix : pcap.GetFilenameFromDevice(prefix, device);
    pcap.HookDefaultSink<RoceNetDevice>(
        own,
        promiscuous ? "PromiscSniffer" : "Sniffer",
        pcap.CreateFile(name, std::ios::out, PcapHelper::DLT_EN10MB));
}

void
RoceNetDeviceHelper::EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                                         std::string prefix,
                                         Ptr<NetDevice> device,
                                         bool explicitFilename)
{
    const Ptr<RoceNetDevice> own = device->GetObject<RoceNetDevice>();
    if (!own)
    {
        return;
    }
    Packet::EnablePrinting();
    AsciiTraceHelper ascii;
    if (!stream)
    {
        stream = ascii.CreateFileStream(
            explicitFilename ? prefix : ascii.GetFilenameFromDevice(prefix, device));
    }
    ascii.HookDefaultReceiveSinkWithoutContext<RoceNetDevice>(own, "MacRx", stream);
    for (std::size_t i = 0; i < own->GetNQueues(); ++i)
    {
        const Ptr<Queue<Packet>> queue = own->GetQueue(i);
        ascii.HookDefaultEnqueueSinkWithoutContext<Queue<Packet>>(queue, "Enqueue", stream);
        ascii.HookDefaultDropSinkWithoutContext<Queue<Packet>>(queue, "Drop", stream);
        ascii.HookDefaultDequeueSinkWithoutContext<Queue<Packet>>(queue, "Dequeue", stream);
    }
}

} // namespace ns3::roce
