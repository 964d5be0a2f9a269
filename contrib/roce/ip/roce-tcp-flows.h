// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TCP_FLOWS_H
#define ROCE_TCP_FLOWS_H

#include "roce-net-device.h"

#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/object.h"
#include "ns3/roce-flow-spec.h"
#include "ns3/roce-queue-pair.h"
#include "ns3/sequence-number.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class Socket;
class TcpSocketBase;

} // namespace ns3

namespace ns3::roce
{

class Network;

/**
 * @brief Flows that ns-3's TCP carries, over RoceNetDevices of the network: each is a connection
 * of its own, opened at its start.
 *
 * The sender hands the bytes to its socket as fast as that takes them, and closes it with the last
 * one. What a host sends and receives for a flow has the flow's traffic class (with ns-3.37 a SYN
 * the lowest one of all TCP flows), and ways of its own: ECMP sees TCP's ports. Without payload, a
 * flow is done when the connection is there.
 *
 * A full segment fills the device's Mtu. The sender's buffer holds 4 MiB or, for longer paths, four
 * times what fills the path; the receiver's half as much again. Other defaults of ns3::TcpSocket
 * than ns-3's own come first.
 */
class TcpFlows : public Object
{
  public:
    /// FlowSpec::law of the first TCP law: numbers below are Network::AddLaw()'s.
    static constexpr uint8_t FIRST_LAW = 128;

    /// A flow under way.
    struct Open
    {
        FlowSpec spec;
        uint64_t packets{0};        //!< segments with payload so far, sent once
        uint64_t retransmitted{0};  //!< segments sent again
        uint64_t deliveredBytes{0}; //!< at the receiver's application
        Time rto;                   //!< its socket's timeout at present
        std::string failure;        //!< why it never ends; empty: it may
    };

    /// @return the object TypeId
    static TypeId GetTypeId();

    TcpFlows();
    ~TcpFlows() override;

    /// @return whether TCP carries a flow
    static bool IsTcp(const FlowSpec& flow)
    {
        return flow.law >= FIRST_LAW;
    }

    /**
     * @brief Give all hosts devices, stacks and addresses, and schedule the flows. Once.
     * @param network built; outlives the run
     * @param flows those that IsTcp() are installed
     * @param laws TcpCongestionOps, by FlowSpec::law from FIRST_LAW on
     * @throw InputError for a flow that waits for others or others for it, that shares a
     * connection, or whose NICs have no device; and as RoceNetDeviceHelper::Install()
     */
    void Install(Network& network,
                 const std::vector<FlowSpec>& flows,
                 const std::vector<ObjectFactory>& laws);

    /// @return flows under way, by id
    std::vector<Open> GetOpen() const;

    /// @return payload at receivers' applications so far
    uint64_t CountDeliveredBytes() const;

    /// @return a number that grows when any flow makes progress
    uint64_t GetProgress() const
    {
        return m_progress;
    }

  private:
    /// A flow, from its installation to its end.
    struct Flow : Open
    {
        Ptr<TcpSocketBase> sender; //!< null: it has not begun
        Ptr<Socket> listener;
        Ptr<Socket> receiver;
        uint64_t leftBytes{0};   //!< not in the sender's socket yet
        uint64_t bufferBytes{0}; //!< to send
        bool isDone{false};      //!< the sender has the last ACK
        bool isClosed{false};    //!< the sender's socket: no more bytes follow
        SequenceNumber32 sent;   //!< up to here, if there is a packet
    };

    void Check(const FlowSpec& flow) const;
    Ptr<TcpSocketBase> MakeSocket(const Flow& flow, uint32_t nic, uint16_t port) const;
    void Begin(Flow& flow);
    void OnAccepted(Flow& flow, const Ptr<Socket>& socket);
    void OnData(Flow& flow);
    void OnSegment(Flow& flow, uint32_t bytes, SequenceNumber32 from);
    void Send(Flow& flow);
    void Fail(Flow& flow, const std::string& why);
    void Complete(Flow& flow);

    Network* m_network{nullptr};
    std::vector<Flow> m_flows;                 //!< stays where it is
    std::vector<ObjectFactory> m_laws;         //!< see Install()
    std::vector<Ptr<RoceNetDevice>> m_devices; //!< by NIC; null: none
    uint64_t m_progress{0};                    //!< see GetProgress()
    TracedCallback<const MessageRecord&> m_completed;
    TracedCallback<uint64_t, Time> m_received;
};

} // namespace ns3::roce

#endif /* ROCE_TCP_FLOWS_H */
