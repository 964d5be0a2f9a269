// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SWAPPED_DEVICES_H
#define ROCE_SWAPPED_DEVICES_H

// Comes before ns-3's own tests, which are compiled as they are: what they call a SimpleNetDevice
// is a RoceNetDevice, and what they call its channel a network of this module.

#include "ns3/csma-helper.h"
#include "ns3/data-rate.h"
#include "ns3/error-channel.h"
#include "ns3/error-model.h"
#include "ns3/internet-module.h"
#include "ns3/node-container.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/roce-net-channel.h"
#include "ns3/roce-net-device-helper.h"
#include "ns3/roce-net-device.h"
#include "ns3/roce-network.h"
#include "ns3/simple-channel.h"
#include "ns3/simple-net-device-helper.h"
#include "ns3/simple-net-device.h"
#include "ns3/test.h"
#include "ns3/traffic-control-module.h"

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce::test
{

class SwappedDevice;

/**
 * @brief In place of a SimpleChannel: one switch between the devices, half of the delay on either
 * side of it.
 *
 * Tests make devices and join them to channels one after the other, so the network is built when
 * the simulation starts, or the first packet is sent.
 */
class SwappedChannel : public RoceNetChannel
{
  public:
    static TypeId GetTypeId();

    ~SwappedChannel() override;

    /// One more device.
    void Join(const Ptr<SwappedDevice>& device);

    /// Give every device its NIC, once.
    void Build();

    /// As SimpleChannel::BlackList().
    void BlackList(Ptr<SwappedDevice> from, Ptr<SwappedDevice> to);

    /// @return whether what that address sends is kept from a device
    bool IsKeptFrom(const Address& from, const SwappedDevice& to) const;

    /// @return see SwappedErrorChannel
    virtual std::vector<Time> NextTimes();

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  private:
    Time m_delay;
    std::vector<Ptr<SwappedDevice>> m_joined;
    std::set<std::pair<const SwappedDevice*, const SwappedDevice*>> m_blackList;
    std::unique_ptr<Network> m_network;
};

/// In place of an ErrorChannel.
class SwappedErrorChannel : public SwappedChannel
{
  public:
    static TypeId GetTypeId();

    // Every second packet comes later.
    void SetJumpingTime(const Time& delay);
    void SetJumpingMode(bool isOn);

    // Every second packet comes twice.
    void SetDuplicateTime(const Time& delay);
    void SetDuplicateMode(bool isOn);

    /// @return when the receiver gets a packet that has arrived, from now on
    std::vector<Time> NextTimes() override;

  private:
    Time m_jump;
    Time m_again;
    bool m_isJumping{false};
    bool m_isDuplicating{false};
    uint64_t m_count{0};
};

/**
 * @brief In place of a SimpleNetDevice or a PointToPointNetDevice: a RoceNetDevice with what tests
 * do to the other one before there is a network, and with a filter for an error model.
 *
 * A rate is that of packets of 1,000 bytes, or what ROCE_TIMED_BYTES in the environment says,
 * without what Ethernet adds: other devices add nothing, and some tests count on it. Only the
 * device sends at this rate: the switch is as fast as may be. In PointToPointMode the stack does
 * not ask for addresses: the other device is the destination.
 */
class SwappedDevice : public RoceNetDevice
{
  public:
    static TypeId GetTypeId();

    void SetChannel(const Ptr<SwappedChannel>& channel);
    Ptr<Queue<Packet>> GetQueue() const;
    void SetReceiveErrorModel(Ptr<ErrorModel> model);

    /// Be the stack of a NIC of the built network.
    void Attach(const Ptr<Nic>& nic, std::size_t index);

    /// @return rate of the NIC
    DataRate GetLinkRate() const;

    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    bool IsMulticast() const override;
    bool IsPointToPoint() const override;
    bool NeedsArp() const override;
    Ptr<Channel> GetChannel() const override;
    void SetReceiveCallback(ReceiveCallback callback) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback callback) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocol) override;

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    bool IsLost(const Ptr<const Packet>& packet, const Address& from);

    Ptr<SwappedChannel> m_joined;
    Mac48Address m_given;
    Ptr<ErrorModel> m_errors;
    Ptr<const Packet> m_judged; //!< by the error model, which sees each packet once
    bool m_isLost{false};
    DataRate m_rate;
    bool m_isPointToPoint{false};
    TracedCallback<> m_linkChanges;
    TracedCallback<Ptr<const Packet>> m_phyRxDrop;
};

/// In place of SimpleNetDeviceHelper and CsmaHelper.
class SwappedHelper : public RoceNetDeviceHelper
{
  public:
    explicit SwappedHelper(bool isPointToPoint = false);

    template <typename... Ts>
    void SetQueue(std::string type, Ts&&... args)
    {
        QueueBase::AppendItemTypeIfNotPresent(type, "Packet");
        ObjectFactory queue(type);
        (void)std::initializer_list<int>{(queue.Set(std::forward<Ts>(args)...), 0)};
        SetQueueFactory(queue);
    }

    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);
    void SetChannelAttribute(const std::string& name, const AttributeValue& value);
    void SetNetDevicePointToPointMode(bool isPointToPoint);

    NetDeviceContainer Install(const Ptr<Node>& node) const;
    NetDeviceContainer Install(const Ptr<Node>& node, const Ptr<SwappedChannel>& channel) const;
    NetDeviceContainer Install(const NodeContainer& nodes) const;
    NetDeviceContainer Install(const NodeContainer& nodes,
                               const Ptr<SwappedChannel>& channel) const;
    NetDeviceContainer Install(const Ptr<Node>& a, const Ptr<Node>& b) const;

  private:
    void SetQueueFactory(const ObjectFactory& queue);

    ObjectFactory m_device;
    ObjectFactory m_channel;
};

/// In place of PointToPointHelper.
class SwappedPointToPointHelper : public SwappedHelper
{
  public:
    SwappedPointToPointHelper()
        : SwappedHelper(true)
    {
    }
};

/// @return an attribute of a SwappedDevice. @param name of that of another device
inline std::string
SwappedAttribute(const std::string& name)
{
    return name == "TxQueue" ? "FirstQueue" : name;
}

} // namespace ns3::roce::test

#define SimpleNetDevice roce::test::SwappedDevice
#define SimpleChannel roce::test::SwappedChannel
#define SimpleNetDeviceHelper roce::test::SwappedHelper
#define ErrorChannel roce::test::SwappedErrorChannel
#define CsmaHelper roce::test::SwappedHelper
#define PointToPointHelper roce::test::SwappedPointToPointHelper
#define GetAttributeFailSafe(name, value)                                                          \
    GetAttributeFailSafe(ns3::roce::test::SwappedAttribute(name), value)

#endif /* ROCE_SWAPPED_DEVICES_H */
