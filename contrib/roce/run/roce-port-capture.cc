// SPDX-License-Identifier: GPL-2.0-only
#include "roce-port-capture.h"

#include "roce-port-names.h"
#include "roce-watching.h"

#include "ns3/boolean.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-mpi-ranks.h"
#include "ns3/roce-wake-timer.h"
#include "ns3/roce-wire-format.h"
#include "ns3/simulator.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <set>
#include <unistd.h>
#include <utility>

namespace ns3::roce
{

namespace
{

constexpr uint32_t DLT_EN10MB = 1; //!< pcap's number of Ethernet; PcapHelper's is deprecated later

} // namespace

/// The open files.
class PortCapture::Files
{
  public:
    /// Of a run's processes, the one that has the port writes.
    enum class Of
    {
        THIS_PROCESS,
        FIRST_PROCESS, //!< of several: makes the file
        OTHER_PROCESS, //!< of several
    };

    /**
     * @brief Write to a file what a port sees.
     * @param port to be captured
     * @param finalPath its name from Finish() on
     */
    void Add(Ptr<Port> port, const std::string& path, const std::string& finalPath, Of process);

    /// @throw InputError if it is taken already. @param name of a file to be
    void Claim(const std::string& name);

    /// @brief See PortCapture::Finish().
    void Finish();

    /// @brief Close the files and leave them under their present names.
    void Abandon();

  private:
    /// One pcap file.
    struct File
    {
        std::string path;          //!< where it is written
        std::string finalPath;     //!< its name afterwards
        Ptr<PcapFileWrapper> pcap; //!< null when it is finished
        Ptr<Port> port;
        bool isOpen{false}; //!< with several processes, once there is a frame
    };

    static void Open(File& file);
    static void Write(File& file, const Frame& frame, Time at);

    std::set<std::string> m_names;
    std::vector<std::shared_ptr<File>> m_files;
};

void
PortCapture::Files::Claim(const std::string& name)
{
    if (!m_names.insert(name).second)
    {
        throw InputError("pcap: " + name + " is named twice");
    }
}

void
PortCapture::Files::Open(File& file)
{
    file.pcap->Open(file.path, std::ios::out | std::ios::binary);
    if (file.pcap->Fail())
    {
        throw InputError(file.path + ": cannot create: " + std::strerror(errno));
    }
    file.pcap->Init(DLT_EN10MB);
    file.isOpen = true;
}

/// In the thread that runs the port's station. Not by the trace source Sniffer, whose packets of
/// ns-3 threads would wait for.
void
PortCapture::Files::Write(File& file, const Frame& frame, Time at)
{
    if (!file.pcap)
    {
        return;
    }
    if (!file.isOpen)
    {
        if (access(file.path.c_str(), W_OK) != 0)
        {
            throw InputError(file.path + ": cannot write: " + std::strerror(errno) +
                             "; expected a folder that all processes share");
        }
        Open(file);
    }
    const std::vector<uint8_t> bytes = WireFormat::Serialize(frame);
    file.pcap->Write(at, bytes.data(), static_cast<uint32_t>(bytes.size()));
}

void
PortCapture::Files::Add(Ptr<Port> port,
                        const std::string& path,
                        const std::string& finalPath,
                        Of process)
{
    auto file =
        std::make_shared<File>(File{path, finalPath, CreateObject<PcapFileWrapper>(), port});
    // A frame of 64 bytes lasts 1.7 ns at 400 Gbit/s: microseconds would tell nothing.
    file->pcap->SetAttribute("NanosecMode", BooleanValue(true));
    if (process != Of::OTHER_PROCESS)
    {
        Open(*file);
    }
    if (process == Of::FIRST_PROCESS)
    {
        file->pcap->Close();
        file->isOpen = false;
    }
    for (const char* source : {"TxBegin", "RxEnd"})
    {
        ConnectTrace<const Frame&, Time>(*port, source, [file](const Frame& frame, Time at) {
            Write(*file, frame, at);
        });
    }
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
    // Taken out first: a write error is reported once.
    for (const std::shared_ptr<File>& file : std::exchange(m_files, {}))
    {
        const Ptr<PcapFileWrapper> pcap = std::exchange(file->pcap, nullptr);
        file->port = nullptr;
        if (!file->isOpen)
        {
            continue; // another process writes it
        }
        pcap->Close();
        if (pcap->Fail() || (file->path != file->finalPath &&
                             std::rename(file->path.c_str(), file->finalPath.c_str()) != 0))
        {
            throw InputError(file->path + ": cannot write: " + std::strerror(errno));
        }
    }
}

void
PortCapture::Files::Abandon()
{
    for (const std::shared_ptr<File>& file : std::exchange(m_files, {}))
    {
        file->pcap = nullptr;
        file->port = nullptr;
    }
}

PortCapture::PortCapture()
    : m_files(std::make_shared<Files>()),
      m_exceptions(std::uncaught_exceptions())
{
    Simulator::ScheduleDestroy([files = m_files] { files->Finish(); });
}

PortCapture::PortCapture(Network& network,
                         const std::vector<std::string>& ports,
                         RunWriter* writer,
                         const std::string& folder)
    : PortCapture()
{
    const Files::Of process = !MpiRanks::Get() ? Files::Of::THIS_PROCESS
                              : writer         ? Files::Of::FIRST_PROCESS
                                               : Files::Of::OTHER_PROCESS;
    for (const std::string& name : ports)
    {
        for (const NamedPort& named : FindPorts(network, name, "pcap"))
        {
            const std::string file = named.name + ".pcap";
            m_files->Claim(file);
            const std::string path =
                writer ? writer->AddFile(file) : RunFolder::TmpPathOf(folder, file);
            m_files->Add(named.port, path, path, process); // the writer renames it
        }
    }
}

PortCapture::~PortCapture()
{
    if (std::uncaught_exceptions() > m_exceptions)
    {
        m_files->Abandon();
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
        const std::string path =
            explicitFilename ? prefix : PcapHelper().GetFilenameFromDevice(prefix, device);
        m_files->Claim(path);
        m_files->Add(port, path + ".tmp", path, Files::Of::THIS_PROCESS);
    }
}

void
PortCapture::Finish()
{
    m_files->Finish();
    if (MpiRanks* const ranks = MpiRanks::Get())
    {
        ranks->Gather(""); // the first process reads what others have written
    }
}

} // namespace ns3::roce
