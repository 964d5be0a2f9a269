/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_PORT_CAPTURE_H
#define ROCE_PORT_CAPTURE_H

#include "roce-network.h"

#include "ns3/pcap-file-wrapper.h"

#include <string>
#include <vector>

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief Writes what chosen ports send and receive to pcap files, one for each port.
 *
 * Link type Ethernet, time stamps in microseconds, in order of time: the start of the transmission
 * of a frame sent, the end of arrival of a frame received. Pause frames are there, too.
 *
 * Files have names ending in `.tmp` until Finish(), so that a run that dies leaves no final name.
 */
class PortCapture
{
  public:
    /**
     * @param network built; outlives the capture
     * @param ports `nic3` gives nic3.pcap, `dc0-leaf1:2` (switch port) gives dc0-leaf1-2.pcap,
     *        `dc0-leaf1` means all ports of the switch
     * @param folder where the files go; must exist
     * @throw InputError for an unknown port, one named twice, or a file that cannot be made
     */
    PortCapture(Network& network, const std::vector<std::string>& ports, const std::string& folder);
    PortCapture(const PortCapture&) = delete;
    PortCapture& operator=(const PortCapture&) = delete;

    /**
     * @brief Close the files and give them their final names. After the run.
     * @throw InputError if one could not be written
     */
    void Finish();

  private:
    /// One pcap file.
    struct File
    {
        std::string path; //!< final name
        Ptr<PcapFileWrapper> pcap;
    };

    void AddPort(const std::string& fileName, Ptr<Port> port);

    std::string m_folder;
    std::vector<File> m_files;
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_PORT_CAPTURE_H */
