// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MESSAGE_RANK_H
#define ROCE_MESSAGE_RANK_H

#include "roce-message-network.h"

#include "ns3/roce-flow-application.h"
#include "ns3/roce-host-program.h"
#include "ns3/roce-network.h"
#include "ns3/roce-nic.h"
#include "ns3/roce-wake-timer.h"

#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <utility>

namespace ns3::roce
{

/// What a rank has been asked for.
class MessageNetwork::Rank
{
  public:
    explicit Rank(MessageNetwork& net)
        : m_net(net)
    {
    }

    /// Messages of a source, tag and length.
    using Key = std::tuple<uint32_t, uint64_t, uint64_t>;

    /// Receives that wait for a message, or messages that wait for a receive.
    struct Queue
    {
        std::deque<Call> receives;
        uint64_t messages{0};
    };

    std::map<Key, Queue> queues; //!< none is empty

    /// @brief Have something done. @param atPs not before what the rank has done so far
    void Push(int64_t atPs, Call call)
    {
        m_agenda.emplace(atPs, std::move(call));
        if (m_net.m_isEager)
        {
            m_timer.Arm(0, NextPs());
        }
    }

    /// @brief Called by the timer, if NICs are Eager.
    void OnWake(int64_t nowPs)
    {
        Run(nowPs);
        m_timer.Arm(0, NextPs());
    }

    int64_t NextPs() const
    {
        return m_agenda.empty() ? NEVER_PS : m_agenda.begin()->first;
    }

    /// @return time of the callback that is running
    int64_t GetNowPs() const
    {
        return m_nowPs;
    }

    void Run(int64_t atPs)
    {
        m_net.m_running = this;
        while (NextPs() <= atPs)
        {
            m_nowPs = m_agenda.begin()->first;
            const Call call = std::move(m_agenda.begin()->second);
            m_agenda.erase(m_agenda.begin());
            if (call)
            {
                call();
            }
        }
        m_net.m_running = nullptr;
    }

  private:
    MessageNetwork& m_net;
    std::multimap<int64_t, Call> m_agenda; //!< what is due at the same time is in order
    int64_t m_nowPs{0};
    WakeTimer<Rank> m_timer{this};
};

/// A rank at one of its NICs.
class MessageNetwork::AtNic final : public HostProgram
{
  public:
    /// @param number of the NIC at its host
    AtNic(MessageNetwork& net, Rank& rank, Nic* nic, std::size_t number)
        : m_net(net),
          m_rank(rank),
          m_nic(nic),
          m_number(number)
    {
    }

    ~AtNic() override
    {
        if (m_net.m_hasBegun)
        {
            m_nic->SetProgram(nullptr);
        }
    }

    Nic& GetNic() const
    {
        return *m_nic;
    }

    std::size_t GetNumber() const
    {
        return m_number;
    }

    /// @brief Learn of messages from now on, and do what is due.
    void Start()
    {
        m_nic->SetProgram(this);
    }

    /// @brief Send a part of a message. @param dst the NIC that receives it
    void Post(const AtNic& dst, uint64_t bytes, uint64_t number)
    {
        const FlowSpec flow = MakeFlow(dst, bytes);
        const auto [found, isNew] = m_qps.try_emplace(flow.dst, 0);
        if (isNew)
        {
            const Network& network = m_net.m_network;
            const bool isInterDc =
                network.GetDatacenter(flow.src) != network.GetDatacenter(flow.dst);
            const uint32_t dstQp = dst.m_nic->ReserveQp(flow.src, m_nic->GetProfile(isInterDc));
            const uint16_t entropy = FlowApplication::Entropy(flow);
            found->second =
                m_nic->OpenQp(flow.dst, dstQp, flow.trafficClass, entropy, false)->GetQpn();
        }
        m_nic->Post(m_nic->GetQp(found->second), bytes, number);
    }

    /// @param dst the NIC that receives a message from here @param bytes its length
    /// @return how long after its last byte the last ACK is here, if nothing delays that
    int64_t GetAckPs(const AtNic& dst, uint64_t bytes)
    {
        const FlowSpec flow = MakeFlow(dst, bytes);
        const auto [found, isNew] = m_ackPs.try_emplace(flow.dst, 0);
        if (isNew)
        {
            const IdealFct::Result ideal = m_net.m_network.GetIdeal(flow);
            found->second = ideal.senderFctPs - ideal.receiverFctPs;
        }
        return found->second;
    }

  private:
    FlowSpec MakeFlow(const AtNic& dst, uint64_t bytes) const
    {
        FlowSpec flow;
        flow.src = m_nic->GetIndex();
        flow.dst = dst.m_nic->GetIndex();
        flow.sizeBytes = bytes;
        flow.connection = 1;
        return flow;
    }

    void OnReceived(uint64_t cookie, int64_t atPs) override
    {
        m_net.OnReceived(cookie, *this, atPs);
    }

    void OnCompleted(const MessageRecord& record) override
    {
        m_net.OnCompleted(record.cookie, record.completedPs);
    }

    int64_t NextPs() const override
    {
        return m_net.m_isEager ? NEVER_PS : m_rank.NextPs();
    }

    void Run(int64_t atPs) override
    {
        m_rank.Run(atPs);
    }

    MessageNetwork& m_net;
    Rank& m_rank;
    Nic* m_nic;
    std::size_t m_number;
    std::map<uint32_t, uint32_t> m_qps;  //!< number by receiving NIC
    std::map<uint32_t, int64_t> m_ackPs; //!< by receiving NIC
};

} // namespace ns3::roce

#endif /* ROCE_MESSAGE_RANK_H */
