// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PORT_CAPTURE_H
#define ROCE_PORT_CAPTURE_H

#include "roce-run-writer.h"

#include "ns3/roce-network.h"
#include "ns3/trace-helper.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Writes what ports send and receive to pcap files, one for each port, for Wireshark.
 *
 * NICs and switch ports are NetDevices, so EnablePcap() and EnablePcapAll() are those of ns-3's
 * other helpers; before the run or from an event during it:
 * @code
 *   PortCapture capture;
 *   capture.EnablePcap("out/run", network.GetNic(3));                // out/run-NODE-0.pcap
 *   capture.EnablePcap("out/run", network.GetSwitch(0)->GetPort(2)); // out/run-NODE-2.pcap
 *   capture.EnablePcap("out/run", network.GetNodes());               // or EnablePcapAll("out/run")
 *   Simulator::Run();
 *   capture.Finish();
 * @endcode
 * `promiscuous` makes no difference. Devices of other kinds are passed over.
 *
 * Link type Ethernet, without FCS; whole frames, unless PcapFileWrapper::CaptureSize says less.
 * Time stamps in whole nanoseconds (the rest is cut off), in order of time: the start of the
 * transmission of a frame sent, the end of arrival of a frame received. Pause frames are there,
 * too; frames lost on the link are in the file of the sender only.
 *
 * Files have names ending in `.tmp` until Finish() or Simulator::Destroy(): a run that dies leaves
 * an earlier file of that name as it was.
 */
class PortCapture : public PcapHelperForDevice
{
  public:
    PortCapture();
    /// If an exception ends the run, the files keep their `.tmp` names.
    ~PortCapture() override;

    /**
     * @param network built; outlives the capture
     * @param ports `nic3` gives nic3.pcap, `dc0-leaf1:2` (switch port) gives dc0-leaf1-2.pcap,
     *        `dc0-leaf1` means all ports of the switch, `all` all NICs and switches
     * @param writer of the run: the files are part of its result and get their names with it. Null:
     *        of several processes, the first one has it
     * @param folder of that run, if there is no writer
     * @throw InputError for an unknown port, one named twice, or a file that cannot be made
     */
    PortCapture(Network& network,
                const std::vector<std::string>& ports,
                RunWriter* writer,
                const std::string& folder);
    PortCapture(const PortCapture&) = delete;
    PortCapture& operator=(const PortCapture&) = delete;

    /**
     * @brief Close the files and give them their final names (a RunWriter's: close only). After the
     * run, when the files are to end at the present time exactly; otherwise Simulator::Destroy()
     * does it. By all processes.
     * @throw InputError if one could not be written
     */
    void Finish();

  private:
    class Files;

    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> device,
                            bool promiscuous,
                            bool explicitFilename) override;

    std::shared_ptr<Files> m_files; //!< the simulator's end knows them, too
    int m_exceptions;               //!< under way when this was made
};

} // namespace ns3::roce

#endif /* ROCE_PORT_CAPTURE_H */
