/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-port-capture.h"

#include "roce-input-error.h"
#include "roce-port-names.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/packet.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/roce-wake-timer.h"
#include "ns3/simulator.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

namespace ns3
{
namespace roce
{

namespace
{

constexpr uint32_t DLT_EN10MB = 1; //!< pcap's number of Ethernet; PcapHelper's is deprecated later

} // namespace

/// The open files.
class PortCapture::Files
{
  public:
    /**
     * @brief Open a file and write to it what a port sees.
     * @param path final name
     * @param port to be captured
     */
    void Add(const std::string& path, Ptr<Port> port);

    /// @brief See PortCapture::Finish().
    void Finish();

  private:
    /// One pcap file.
    struct File
    {
        std::string path;          //!< final name
        Ptr<PcapFileWrapper> pcap; //!< null when it is finished
        Ptr<Port> port;
    };

    std::vector<std::shared_ptr<File>> m_files;
};

void
PortCapture::Files::Add(const std::string& path, Ptr<Port> port)
{
    for (const std::shared_ptr<File>& other : m_files)
    {
        if (other->path == path)
        {
            throw InputError("pcap: " + path + " is named twice");
        }
    }
    std::remove(path.c_str()); // an earlier run's must not pass for this one's
    auto file = std::make_shared<File>(File{path, CreateObject<PcapFileWrapper>(), port});
    // A frame of 64 bytes lasts 1.7 ns at 400 Gbit/s: microseconds would tell nothing.
    file->pcap->SetAttribute("NanosecMode", BooleanValue(true));
    file->pcap->Open(path + ".tmp", std::ios::out | std::ios::binary);
    if (file->pcap->Fail())
    {
        throw InputError(path + ".tmp: cannot create: " + std::strerror(errno));
    }
    file->pcap->Init(DLT_EN10MB);
    const Callback<void, Ptr<const Packet>, Time, bool> sink(
        [file](Ptr<const Packet> packet, Time at, bool) {
            if (file->pcap)
            {
                file->pcap->Write(at, packet);
            }
        });
    NS_ABORT_MSG_UNLESS(port->TraceConnectWithoutContext("Sniffer", sink), "no such trace source");
    m_files.push_back(std::move(file));
}

void
PortCapture::Files::Finish()
{
    for (const std::shared_ptr<File>& file : m_files)
    {
        if (Station* station = file->port->GetOwner()) // null after the port's disposal
        {
            station->CatchUp(NowPs());
        }
    }
    // Taken out first: what cannot be written is told once.
    for (const std::shared_ptr<File>& file : std::exchange(m_files, {}))
    {
        const std::string tmp = file->path + ".tmp";
        const Ptr<PcapFileWrapper> pcap = std::exchange(file->pcap, nullptr);
        file->port = nullptr;
        pcap->Close();
        if (pcap->Fail() || std::rename(tmp.c_str(), file->path.c_str()) != 0)
        {
            throw InputError(tmp + ": cannot write: " + std::strerror(errno));
        }
    }
}

PortCapture::PortCapture()
    : m_files(std::make_shared<Files>())
{
    Simulator::ScheduleDestroy([files = m_files] { files->Finish(); });
}

PortCapture::PortCapture(Network& network,
                         const std::vector<std::string>& ports,
                         const std::string& folder)
    : PortCapture()
{
    for (const std::string& name : ports)
    {
        for (const NamedPort& named : FindPorts(network, name, "pcap"))
        {
            m_files->Add(folder + "/" + named.name + ".pcap", named.port);
        }
    }
}

void
PortCapture::EnablePcapInternal(std::string prefix,
                                Ptr<NetDevice> device,
                                bool,
                                bool explicitFilename)
{
    if (const Ptr<Port> port = DynamicCast<Port>(device))
    {
        m_files->Add(explicitFilename ? prefix : PcapHelper().GetFilenameFromDevice(prefix, device),
                     port);
    }
}

void
PortCapture::Finish()
{
    m_files->Finish();
}

} // namespace roce
} // namespace ns3
