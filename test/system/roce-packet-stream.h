// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PACKET_STREAM_H
#define ROCE_PACKET_STREAM_H

#include "ns3/event-id.h"
#include "ns3/packet.h"
#include "ns3/roce-network.h"
#include "ns3/roce-nic-packets.h"
#include "ns3/roce-packet-bytes.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace ns3::roce::test
{

/// Packets of ns-3 from one NIC to another at a constant rate, without a stack: no other traffic,
/// and what arrives is counted and thrown away. Give every NIC that sends or receives one of these.
class PacketStream : public PacketStack
{
  public:
    /// What is sent.
    struct Settings
    {
        uint32_t dst{0};
        double rateBps{0}; //!< of wire bytes; 0: it only receives
        uint8_t trafficClass{0};
        uint8_t ecn{ECN_ECT0};
        uint32_t bytes{1500}; //!< of each, behind the MAC header
        int64_t startPs{0};
        int64_t endPs{0};  //!< the last one begins before
        uint32_t flows{1}; //!< 5-tuples that take turns
    };

    /// @param nic has no stack yet; outlives this until Simulator::Destroy()
    PacketStream(Nic& nic, const Settings& settings)
        : m_nic(nic),
          m_settings(settings)
    {
        nic.SetStack(*this);
        if (settings.rateBps > 0)
        {
            m_event = Simulator::Schedule(PicoSeconds(settings.startPs), &PacketStream::Send, this);
        }
    }

    explicit PacketStream(Nic& nic)
        : PacketStream(nic, Settings())
    {
    }

    PacketStream(const PacketStream&) = delete;
    PacketStream& operator=(const PacketStream&) = delete;

    ~PacketStream() override
    {
        m_event.Cancel();
    }

    void Foresee(int64_t atPs) override
    {
        Simulator::Schedule(PicoSeconds(atPs) - Simulator::Now(), &PacketStream::Take, this);
    }

    uint64_t sent{0};
    uint64_t held{0}; //!< not sent, since the NIC had not sent the one before
    uint64_t taken{0};
    uint64_t marked{0};    //!< of these, with CE
    uint64_t reordered{0}; //!< of these, after a later one of their flow
    int64_t longestPs{0};  //!< from the NIC's queue to the end of the last link

  private:
    void Send()
    {
        const int64_t nowPs = Simulator::Now().GetTimeStep();
        m_nic.CatchUp(nowPs);
        if (m_nic.GetPackets()->IsWaiting(m_settings.trafficClass))
        {
            ++held;
        }
        else
        {
            const Ptr<Packet> packet = Create<Packet>(m_settings.bytes + ETHERNET_HEADER_BYTES);
            Frame* frame = FramePool::Alloc();
            frame->kind = FrameKind::PACKET;
            frame->packet = PeekPointer(packet);
            frame->packet->Ref();
            frame->frameBytes = packet->GetSize() + FCS_BYTES;
            frame->payloadBytes = static_cast<uint16_t>(m_settings.bytes);
            frame->src = m_nic.GetIndex();
            frame->dst = m_settings.dst;
            frame->trafficClass = m_settings.trafficClass;
            frame->entropy = static_cast<uint16_t>(sent % m_settings.flows);
            frame->srcQp = PacketBytes::NO_QP | frame->entropy;
            frame->psn = sent;
            frame->sentPs = nowPs;
            frame->ecn = m_settings.ecn;
            frame->ttl = 64;
            ++sent;
            m_nic.SendPacket(frame);
        }
        const double gapPs = m_nic.WireBytes(m_settings.bytes + ETHERNET_HEADER_BYTES + FCS_BYTES) *
                             8e12 / m_settings.rateBps;
        m_duePs = (m_duePs > 0 ? m_duePs : static_cast<double>(nowPs)) + gapPs;
        if (m_duePs < static_cast<double>(m_settings.endPs))
        {
            m_event = Simulator::Schedule(PicoSeconds(static_cast<int64_t>(m_duePs) - nowPs),
                                          &PacketStream::Send,
                                          this);
        }
    }

    void Take()
    {
        m_nic.CatchUp(Simulator::Now().GetTimeStep());
        while (Frame* frame = m_nic.GetPackets()->TakeArrived())
        {
            ++taken;
            marked += frame->ecn == ECN_CE;
            longestPs = std::max(longestPs, Simulator::Now().GetTimeStep() - frame->sentPs);
            uint64_t& next = m_next[uint64_t{frame->src} << 32 | frame->srcQp];
            reordered += frame->psn < next;
            next = std::max(next, frame->psn + 1);
            FramePool::Free(frame);
        }
    }

    Nic& m_nic;
    const Settings m_settings;
    EventId m_event;
    double m_duePs{0};
    std::map<uint64_t, uint64_t> m_next; //!< number, by flow
};

} // namespace ns3::roce::test

#endif /* ROCE_PACKET_STREAM_H */
