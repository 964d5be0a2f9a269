/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-port-capture.h"

#include "roce-input-error.h"

#include "ns3/abort.h"
#include "ns3/packet.h"
#include "ns3/roce-wake-timer.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace ns3
{
namespace roce
{

namespace
{

constexpr uint32_t DLT_EN10MB = 1; //!< pcap's number of Ethernet

/// A whole number without sign; false if the text is anything else or too large.
bool
ParseNumber(const std::string& text, uint32_t& value)
{
    if (text.empty() || text.size() > 9 ||
        text.find_first_not_of("0123456789") != std::string::npos)
    {
        return false;
    }
    value = static_cast<uint32_t>(std::stoul(text));
    return true;
}

} // namespace

PortCapture::PortCapture(Network& network,
                         const std::vector<std::string>& ports,
                         const std::string& folder)
    : m_folder(folder)
{
    for (const std::string& name : ports)
    {
        AddNamed(network, name);
    }
}

void
PortCapture::AddNamed(Network& network, const std::string& name)
{
    uint32_t number = 0;
    if (name.compare(0, 3, "nic") == 0 && ParseNumber(name.substr(3), number))
    {
        if (number >= network.GetNNics())
        {
            throw InputError("pcap: no NIC " + std::to_string(number) + ", expected 0 to " +
                             std::to_string(network.GetNNics() - 1));
        }
        AddPort(name, network.GetNic(number));
        return;
    }
    const std::string switchName = name.substr(0, name.find(':'));
    Ptr<Switch> sw;
    for (uint32_t s = 0; s < network.GetNSwitches() && !sw; ++s)
    {
        if (network.GetSwitch(s)->GetName() == switchName)
        {
            sw = network.GetSwitch(s);
        }
    }
    if (!sw)
    {
        throw InputError("pcap: no port '" + name +
                         "', expected nicN, SWITCH or SWITCH:PORT, for example nic0 or " +
                         network.GetSwitch(0)->GetName() + ":0");
    }
    const bool all = switchName == name;
    if (!all &&
        (!ParseNumber(name.substr(switchName.size() + 1), number) || number >= sw->GetNPorts()))
    {
        throw InputError("pcap: no port '" + name + "', expected " + switchName + ":0 to " +
                         switchName + ":" + std::to_string(sw->GetNPorts() - 1));
    }
    for (uint32_t p = all ? 0 : number; p < (all ? sw->GetNPorts() : number + 1); ++p)
    {
        AddPort(switchName + "-" + std::to_string(p), sw->GetPort(static_cast<uint16_t>(p)));
    }
}

void
PortCapture::AddPort(const std::string& fileName, Ptr<Port> port)
{
    File file;
    file.path = m_folder + "/" + fileName + ".pcap";
    for (const File& other : m_files)
    {
        if (other.path == file.path)
        {
            throw InputError("pcap: port '" + fileName + "' is named twice");
        }
    }
    std::remove(file.path.c_str()); // an earlier run's must not pass for this one's
    file.pcap = CreateObject<PcapFileWrapper>();
    file.pcap->Open(file.path + ".tmp", std::ios::out | std::ios::binary);
    if (file.pcap->Fail())
    {
        throw InputError(file.path + ".tmp: cannot create: " + std::strerror(errno));
    }
    file.pcap->Init(DLT_EN10MB);
    const Callback<void, Ptr<const Packet>, Time, bool> sink(
        [pcap = file.pcap](Ptr<const Packet> packet, Time at, bool) { pcap->Write(at, packet); });
    NS_ABORT_MSG_UNLESS(port->TraceConnectWithoutContext("Sniffer", sink), "no such trace source");
    m_files.push_back(std::move(file));
}

void
PortCapture::Finish()
{
    for (const File& file : m_files)
    {
        const std::string tmp = file.path + ".tmp";
        file.pcap->Close();
        if (file.pcap->Fail() || std::rename(tmp.c_str(), file.path.c_str()) != 0)
        {
            throw InputError(tmp + ": cannot write: " + std::strerror(errno));
        }
    }
    m_files.clear();
}

} // namespace roce
} // namespace ns3
