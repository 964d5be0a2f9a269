/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-port-capture.h"

#include "roce-input-error.h"
#include "roce-port-names.h"

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

} // namespace

PortCapture::PortCapture(Network& network,
                         const std::vector<std::string>& ports,
                         const std::string& folder)
    : m_folder(folder)
{
    for (const std::string& name : ports)
    {
        for (const NamedPort& named : FindPorts(network, name, "pcap"))
        {
            AddPort(named.name, named.port);
        }
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
