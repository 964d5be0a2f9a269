// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RANK_RUNNER_H
#define ROCE_RANK_RUNNER_H

#include "roce-message-queues.h"
#include "roce-rank-log.h"
#include "roce-rank-program.h"

#include "ns3/roce-time.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3::roce
{

/// The network of LogGP: no link is shared, and only the ends of messages wait for each other.
struct LogGpParams
{
    int64_t latencyPs{0}; //!< L: of a message's first byte
    int64_t gapPs{0};     //!< g: least time between the starts of two messages of a NIC
    int64_t bytePs{0};    //!< G: for each byte but the first, at each end
};

/// What messages cost ranks.
struct RankCosts
{
    int64_t overheadPs{0};  //!< o: of the CPU, for each send and each arrival, picoseconds
    uint64_t eagerBytes{0}; //!< S: a send of up to so many bytes is done when its CPU is
    /// There is no network, and messages cost this
    std::optional<LogGpParams> ideal{};
};

/// Where the messages of ranks go.
class RankNetwork
{
  public:
    /// @brief A rank begins to send: its CPU is at work until overheadPs later. @param op its
    /// number
    virtual void Send(uint32_t rank, uint32_t op, int64_t atPs) = 0;

    /// @brief A receive has got a message. @param from its sender @param op number of the send
    virtual void OnMatched(uint32_t from, uint32_t op, int64_t atPs) = 0;

    /// @return number of something new, 2^32 or more, above all before; things of one time go in
    /// this order
    virtual uint64_t MakeNumber() = 0;

  protected:
    ~RankNetwork() = default;
};

/**
 * @brief One rank of a RankProgram at work: dependencies, which operation a CPU takes next,
 * which receive a message matches. It knows no simulator; whoever owns it calls it in the order of
 * time.
 */
class RankRunner
{
  public:
    /**
     * @param program checked; outlives this
     * @param rank number
     * @param costs of its messages
     * @param network outlives this
     */
    RankRunner(const RankProgram& program,
               uint32_t rank,
               const RankCosts& costs,
               RankNetwork& network);
    RankRunner(const RankRunner&) = delete;
    RankRunner& operator=(const RankRunner&) = delete;

    /// @param log of the rank, with a place for each operation, or null; outlives this
    void SetLog(std::vector<RankOpTimes>* log)
    {
        m_log = log;
    }

    /// When something is due, and its number (RankNetwork::MakeNumber()).
    using Due = std::pair<int64_t, uint64_t>;

    /// @return what is due first; NEVER_PS: nothing
    Due GetFirst() const
    {
        return m_agenda.empty() ? Due{NEVER_PS, 0}
                                : Due{m_agenda.top().atPs, m_agenda.top().number};
    }

    /// @brief Do what is due first.
    void RunFirst();

    /// @brief A message is there: all of it, or on the ideal network its first byte.
    /// @param from its sender @param op number of the send
    void Arrive(uint32_t from, uint32_t op, int64_t atPs)
    {
        m_agenda.push({atPs, m_network.MakeNumber(), from, op});
    }

    /// @brief A send of more than eagerBytes is done. @param op number
    void OnSent(uint32_t op, int64_t atPs)
    {
        if (m_program.ranks[m_rank].ops[op].bytes > m_costs.eagerBytes)
        {
            Done(op, atPs);
            Release();
        }
    }

    /// @return whether all operations are done
    bool IsDone() const
    {
        return m_nDone == m_ops.size();
    }

    /// @return when the last operation was done, or will be; 0 if none is
    int64_t GetEndPs() const
    {
        return m_endPs;
    }

    /// An operation that waits.
    struct Waiting
    {
        const RankOp* op{nullptr}; //!< null: there is none
        uint32_t left{0};          //!< how many of those that it waits for are not done
        uint32_t all{0};
    };

    /// @return the first operation that waits for others
    Waiting FindWaiting() const;

    /// @return which operation is not done, and how many; empty if all are
    std::string Describe() const;

  private:
    /// Who waits, for what is left of which.
    struct State
    {
        uint32_t left{0};       //!< what it waits for
        uint32_t afterDone{0};  //!< place in m_waiters of the first that waits for its end
        uint32_t afterStart{0}; //!< the same, for its start
        bool isDone{false};
        int64_t readyPs{0}; //!< latest of what it has waited for
    };

    static constexpr uint32_t OWN = UINT32_MAX;      //!< Item::from: an operation of the rank
    static constexpr uint32_t WAKE = UINT32_MAX - 1; //!< the same: op is a resource that is free

    /// Something to do.
    struct Item
    {
        int64_t atPs;
        uint64_t number;
        uint32_t from; //!< sender of a message, or OWN or WAKE
        uint32_t op;

        bool operator<(const Item& other) const // the top is the first
        {
            return std::make_pair(other.atPs, other.number) < std::make_pair(atPs, number);
        }
    };

    /// A CPU, or an end of a NIC.
    struct Resource
    {
        int64_t freePs{0};
        bool isHeld{false};                 //!< until an operation is done: RankOp::holdsUntil
        std::map<uint64_t, Item> waiting{}; //!< in their order
    };

    /// A message without its receive.
    struct Unexpected
    {
        uint64_t number;
        int64_t endPs; //!< its CPU is at work on it until then
        uint32_t op;
    };

    using Key = MessageQueues<Unexpected>::Key;

    /// A receive without its message.
    struct Posted
    {
        uint64_t number;
        uint32_t op;
    };

    void LinkWaiters();
    void Release();
    Resource& At(uint32_t place);
    bool IsByNumber(const Item& item) const;
    const Item* FindFirst(const Resource& resource) const;
    uint64_t KeyOf(const Item& item) const;
    void PushWake(uint32_t place, int64_t atPs);
    void Wait(uint32_t place, const Item& item);
    void Wake(const Item& item);
    void Process(const Item& item);
    void Start(const Item& item);
    void StartReceive(const Item& item);
    void TakeMessage(const Item& item);
    bool FindUnexpected(const RankOp& op, Key& source) const;
    bool FindPosted(const Key& message, uint32_t& op);
    void Matched(uint32_t op, const Key& source, uint32_t send, int64_t atPs);
    void Hold(uint32_t op);
    void Started(uint32_t op, int64_t atPs);
    void Done(uint32_t op, int64_t atPs);
    void Advance(uint32_t first, uint32_t end, int64_t atPs);
    uint32_t FindBusy(const Item& item, int64_t atPs);
    uint32_t CpuOf(uint16_t stream) const;
    uint32_t CpuOfMessage(const RankOp& send) const;
    uint32_t NicOf(uint16_t nic, bool isReceiver) const;

    const RankProgram& m_program;
    const uint32_t m_rank;
    const RankCosts m_costs;
    RankNetwork& m_network;
    const std::vector<RankOp>& m_ops;
    std::vector<State> m_states;     //!< by operation, and one more
    std::vector<uint32_t> m_waiters; //!< operations
    std::vector<uint32_t> m_ready;   //!< operations that wait for nothing any more
    std::priority_queue<Item> m_agenda;
    std::array<std::deque<Resource>, 3> m_resources; //!< CPUs, sending and receiving ends of NICs
    std::unordered_map<uint32_t, std::vector<uint32_t>> m_holds; //!< resources, by operation
    MessageQueues<Posted> m_posted;
    MessageQueues<Unexpected> m_unexpected;
    bool m_hasAny{false}; //!< a receive is from any source or of any tag
    std::size_t m_nDone{0};
    int64_t m_endPs{0};
    std::vector<RankOpTimes>* m_log{nullptr};
};

} // namespace ns3::roce

#endif /* ROCE_RANK_RUNNER_H */
