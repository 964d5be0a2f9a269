// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NIC_SENDER_H
#define ROCE_NIC_SENDER_H

#include "roce-message-costs.h"
#include "roce-qp-scheduler.h"
#include "roce-retransmission-timers.h"

#include "ns3/roce-fetch.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

class Nic;
class TransportProfile;

/**
 * @brief The sending half of a NIC: its queue pairs, which of them sends next, and what ACKs, CNPs,
 * notifications and timeouts do to them.
 */
class NicSender
{
  public:
    /// @param nic whose half it is
    explicit NicSender(Nic& nic);

    /**
     * @brief Open a queue pair.
     * @param profile what it is made of
     * @param path to the receiver
     * @param config addresses and what the NIC's attributes say; the rest is filled in here
     * @param nowPs current time
     * @return the queue pair
     */
    QueuePair* Open(const TransportProfile& profile,
                    const PathInfo& path,
                    QueuePair::Config config,
                    int64_t nowPs);

    /**
     * @brief Post an RDMA WRITE.
     * @param qp of this NIC
     * @param bytes length
     * @param cookie returned by trace source MessageCompleted
     * @param nowPs current time
     */
    void Post(QueuePair* qp, uint64_t bytes, uint64_t cookie, int64_t nowPs);

    /// @param qpn number. @return the queue pair, or null once it is closed
    QueuePair* Get(uint32_t qpn) const
    {
        return qpn < m_queuePairs.size() ? m_queuePairs[qpn].get() : nullptr;
    }

    /// @param qpn number. @return Get(), with every Retune() taken over
    QueuePair* GetRetuned(uint32_t qpn) const
    {
        QueuePair* qp = Get(qpn);
        if (qp)
        {
            TakeOver(*qp);
        }
        return qp;
    }

    /// @return queue pairs ever opened
    uint32_t GetN() const
    {
        return static_cast<uint32_t>(m_queuePairs.size());
    }

    /// @return queue pairs open now
    uint32_t GetOpen() const
    {
        return m_open;
    }

    /// @return whether some queue pair is ready
    bool HasReady() const
    {
        return m_scheduler.HasReady();
    }

    /// @return when the first pacing gap ends or needs a check, or NEVER_PS
    int64_t NextPacingPs() const
    {
        return m_scheduler.NextTimerPs();
    }

    /// @return when a timeout needs a check or a message's cost is paid, or NEVER_PS
    int64_t NextTimerPs() const
    {
        return m_costs ? std::min(m_timeouts.NextPs(), m_costs->NextPs()) : m_timeouts.NextPs();
    }

    /// @brief How classes share the port. @param strict see QpScheduler @param weights the same
    void SetClasses(uint8_t strict, const std::array<uint32_t, N_CLASSES>& weights)
    {
        m_scheduler.SetClasses(strict, weights);
    }

    /// @brief Messages cost something from now on. @param settings what
    void SetCosts(const MessageCosts::Settings& settings);

    /// @return whether messages cost anything
    bool HasCosts() const
    {
        return m_costs != nullptr;
    }

    /// @brief The NIC has a packet to send. @param trafficClass see QpScheduler::AddGuest()
    void AddGuest(unsigned trafficClass)
    {
        m_scheduler.AddGuest(trafficClass);
    }

    /**
     * @brief Send a data frame or a packet, if one may be sent.
     * @param paused classes that must not send
     * @param atPs start of its transmission
     * @return whether one was sent
     */
    bool SendNext(uint32_t paused, int64_t atPs);

    /// @brief An ACK or NAK has arrived. @param frame taken over. @param nowPs current time
    void OnAck(Frame* frame, int64_t nowPs);

    /// @brief A CNP has arrived. @param frame taken over. @param nowPs current time
    void OnCnp(Frame* frame, int64_t nowPs);

    /// @brief A notification has arrived. @param frame taken over. @param nowPs current time
    void OnNotification(Frame* frame, int64_t nowPs);

    /// @brief Do what is due by NextTimerPs(). @param atPs current time
    void RunTimers(int64_t atPs);

    /**
     * @brief Give open queue pairs the live parameters of a prototype, and pace them again. Those
     * without unacknowledged messages are left out: they get the changes they have missed, as of
     * their times, when they are used next, or when MAX_RETUNINGS are kept for them.
     * @param interDc of which queue pairs, those with FlowSpec::law 0
     * @param law prototype
     * @param nowPs current time
     */
    void Retune(bool interDc, const CongestionControl& law, int64_t nowPs);

    /**
     * @brief Say in one line why a queue pair is not sending.
     * @param qp of this NIC
     * @param nowPs current time
     * @return text
     */
    std::string Explain(const QueuePair& qp, int64_t nowPs) const;

    /// @brief Forget all queue pairs.
    void Clear();

    /// @brief Prefetch what has been used last, if anything is still under way.
    void Fetch() const
    {
        if (IsBusy())
        {
            FetchBytes(m_last, sizeof(QueuePair));
            FetchLine(m_queuePairs.data() + m_queuePairs.size() - 1);
        }
    }

    /// @brief Later, prefetch its rate law.
    void FetchLaw() const
    {
        if (IsBusy())
        {
            FetchBytes(&m_last->GetCc(), LAW_BYTES);
            FetchLine(&m_last->GetRecovery());
        }
    }

  private:
    /// Most that are kept. Merging them would make the state depend on whether somebody has looked
    /// at the queue pair.
    static constexpr std::size_t MAX_RETUNINGS = 256;

    static constexpr std::size_t LAW_BYTES = 320; //!< of a rate law, or so

    /// @return whether the queue pair that has sent last is likely to be used soon
    bool IsBusy() const
    {
        return m_last && !m_busy.empty();
    }

    /// Parameters for queue pairs that are not busy.
    struct Retuning
    {
        Ptr<CongestionControl> law;
        int64_t atPs;
        bool interDc;
    };

    /// @brief Give a queue pair the changes it has missed. @param qp any
    void TakeOver(QueuePair& qp) const
    {
        if (qp.retunings != m_retunings.size())
        {
            CatchUpRetunings(qp);
        }
    }

    void RunTimeouts(int64_t atPs);
    static bool IsRetuned(const QueuePair& qp, bool interDc);
    void CatchUpRetunings(QueuePair& qp) const;
    void Restart(QueuePair& qp, int64_t nowPs) const;
    void SetBusy(QueuePair& qp, bool busy);
    QueuePair* Pick(uint32_t paused, int64_t atPs);
    bool SendGuest(int64_t atPs);
    int64_t OthersDuePs(const QueuePair& qp, int64_t atPs) const;
    void AfterFeedback(QueuePair* qp, int64_t nowPs);
    bool CloseIfDone(QueuePair* qp);

    Nic& m_nic;
    QueuePairList m_queuePairs; //!< by number; null once closed
    QpScheduler m_scheduler;
    RetransmissionTimers m_timeouts;
    std::unique_ptr<MessageCosts> m_costs; //!< null: messages cost nothing
    std::vector<MessageRecord> m_done;     //!< scratch
    std::vector<QueuePair*> m_busy;        //!< those with unacknowledged messages
    std::vector<Retuning> m_retunings;     //!< in order of time; empty while all are busy
    uint32_t m_open{0};
    QueuePair* m_last{nullptr}; //!< has sent last; for Fetch()
};

} // namespace ns3::roce

#endif /* ROCE_NIC_SENDER_H */
