// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NET_DEVICE_HELPER_H
#define ROCE_NET_DEVICE_HELPER_H

#include "ns3/net-device-container.h"
#include "ns3/object-factory.h"
#include "ns3/trace-helper.h"

#include <string>

namespace ns3::roce
{

class Network;

/**
 * @brief Gives hosts RoceNetDevices, so that ns-3's stacks run over the network:
 *
 * @code
 * NetDeviceContainer devices = RoceNetDeviceHelper().Install(network);
 * InternetStackHelper().Install(network.GetHostNodes());
 * Ipv4AddressHelper("10.0.0.0", "255.0.0.0").Assign(devices);
 * @endcode
 *
 * EnablePcap(), EnableAscii() and so on are those of ns-3's other helpers.
 */
class RoceNetDeviceHelper : public PcapHelperForDevice, public AsciiTraceHelperForDevice
{
  public:
    RoceNetDeviceHelper();

    /// @brief Set an attribute of the devices to come. @param name of it @param value for it
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Give every NIC a device, in the order of NICs.
     * @param network built; has no devices yet, and neither threads nor processes
     * @return the devices
     * @throw InputError otherwise
     */
    NetDeviceContainer Install(Network& network);

  private:
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> device,
                            bool promiscuous,
                            bool explicitFilename) override;
    void EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                             std::string prefix,
                             Ptr<NetDevice> device,
                             bool explicitFilename) override;

    ObjectFactory m_factory;
};

} // namespace ns3::roce

#endif /* ROCE_NET_DEVICE_HELPER_H */
