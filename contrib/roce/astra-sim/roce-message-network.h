// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MESSAGE_NETWORK_H
#define ROCE_MESSAGE_NETWORK_H

#include "ns3/event-id.h"
#include "ns3/roce-rank-job.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

class Network;

/**
 * @brief Sends and receives of ranks as callbacks, for simulators of applications that have a
 * network interface of this kind, such as astra-sim's. For one thread and one process.
 *
 * Callbacks are called at the exact times, which NowPs() gives. A rank's callbacks see its time
 * grow. If NICs are not Eager, the callbacks of a rank run within its NIC, and Simulator::Now() may
 * be past their time; those of different ranks are not in the order of time, as ranks learn of each
 * other by messages only. If NICs are Eager, all callbacks are in the order of time. Ranks with
 * several NICs need that.
 *
 * A rank has all NICs of its host. With several, a message is divided evenly over those of the
 * sender, and each part goes to the NIC of the same number at the receiver. Two NICs keep one queue
 * pair per direction.
 *
 * A rank calls within its own callbacks; before the run, in events of the simulator and with Eager
 * NICs within any.
 */
class MessageNetwork
{
  public:
    using Call = std::function<void()>;

    /// What may be chosen.
    struct Options
    {
        uint32_t ranks{0};
        std::vector<uint32_t> hosts; //!< of each rank; empty: 0, 1, 2, ...
        /// Eager NICs have the sender's last ACK itself, others the time when it would come if
        /// nothing delayed it
        RankJob::ReceiveAt receiveAt{RankJob::ReceiveAt::LAST_BYTE};
    };

    /// What has been done.
    struct Totals
    {
        uint64_t sent{0};     //!< messages
        uint64_t received{0}; //!< messages that have arrived
        uint64_t matched{0};  //!< of these, by a receive
        uint64_t bytes{0};    //!< of messages sent
    };

    /**
     * @param network built, without flows; outlives this, and is not divided
     * @param options see there
     * @throw InputError for hosts that are unknown or named twice, and for several NICs of a host
     * that are not Eager, or more than another one has
     */
    MessageNetwork(Network& network, const Options& options);
    ~MessageNetwork();
    MessageNetwork(const MessageNetwork&) = delete;
    MessageNetwork& operator=(const MessageNetwork&) = delete;

    /**
     * @brief Send a message.
     * @param src rank that sends
     * @param dst another rank
     * @param bytes length; 0 is allowed
     * @param tag any number
     * @param sent called when the sender has the last ACK; may be empty
     * @throw InputError for an unknown rank, src itself, or more than MAX_FLOW_BYTES
     */
    void Send(uint32_t src, uint32_t dst, uint64_t bytes, uint64_t tag, Call sent);

    /**
     * @brief Receive a message: the first of this source, tag and length that no receive has yet.
     * It may be there already.
     * @param dst rank that receives
     * @param src rank that sends
     * @param bytes length
     * @param tag of the message
     * @param received called when it has arrived, see Options::receiveAt; may be empty
     * @throw InputError for an unknown rank
     */
    void Receive(uint32_t dst, uint32_t src, uint64_t bytes, uint64_t tag, Call received);

    /// @brief Call a rank later. @param rank is called. @param delayPs 0 or more @param call the
    /// callback
    void Schedule(uint32_t rank, int64_t delayPs, Call call);

    /// @return time of the callback that is running, or the simulator's, picoseconds
    int64_t NowPs() const;

    /// @return number of ranks
    uint32_t GetNRanks() const
    {
        return static_cast<uint32_t>(m_ranks.size());
    }

    /// @return counters
    const Totals& GetTotals() const
    {
        return m_totals;
    }

    /// @return what the first rank that waits for a message waits for, in one line; empty if none
    /// does
    std::string Describe() const;

  private:
    class Rank;
    class AtNic;

    /// A message under way.
    struct Message
    {
        uint32_t src{0};
        uint32_t dst{0};
        uint64_t bytes{0};
        uint64_t tag{0};
        Call sent;
        std::size_t toArrive{0}; //!< parts
        std::size_t toAck{0};    //!< parts
    };

    void Start();
    void Check(uint32_t rank, uint32_t other);
    void Do(uint32_t rank, int64_t delayPs, Call call);
    void Post(uint64_t number);
    void OnReceived(uint64_t number, AtNic& nic, int64_t atPs);
    void OnCompleted(uint64_t number, int64_t atPs);
    void Arrive(uint64_t number, int64_t atPs);
    void Forget(uint64_t number);
    AtNic& NicOf(uint32_t rank, std::size_t number) const;

    Network& m_network;
    RankJob::ReceiveAt m_receiveAt;
    std::size_t m_nicsPerRank{0};
    bool m_isEager{false};    //!< callbacks are events of the simulator
    bool m_hasBegun{false};   //!< the run
    Rank* m_running{nullptr}; //!< whose callback it is, or null
    std::vector<std::unique_ptr<Rank>> m_ranks;
    std::vector<std::unique_ptr<AtNic>> m_atNics; //!< by rank and NIC
    std::vector<Message> m_messages;
    std::vector<uint64_t> m_free; //!< numbers of messages
    Totals m_totals;
    EventId m_begin;
};

} // namespace ns3::roce

#endif /* ROCE_MESSAGE_NETWORK_H */
