// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SHAPED_SCHEDULER_H
#define ROCE_SHAPED_SCHEDULER_H

#include "roce-place-heap.h"
#include "roce-token-bucket.h"

#include "ns3/nstime.h"
#include "ns3/roce-dwrr-scheduler.h"
#include "ns3/roce-port.h"
#include "ns3/roce-station-trace.h"

#include <vector>

namespace ns3::roce
{

/**
 * @brief Queues of a port for edge functions that hold back frames by key (destination, flow): each
 * class has a first-in-first-out queue for each key, drained at a rate of its own.
 *
 * Classes share the port as in DwrrScheduler, strict (control) classes first; frames of strict
 * classes, and those that the owner gives no key, are not shaped and have a queue of their class.
 *
 * *Rate.* A queue is a token bucket of depth Burst, in integer picoseconds without rounding that
 * adds up: the head may go at the time at which everything before it, in wire bytes, has been paid
 * for. A rate of the port's or more does not shape. Each departure asks the owner for the rate that
 * the next gap is made with; Repace() does it at once for a gap that runs.
 *
 * *Turns.* Queues whose heads may go take turns by frames, in the order in which they became
 * eligible. So the share of an oversubscribed port is max-min fair between queues, a slow queue is
 * behind its rate by one frame of each other queue at most, and a turn costs the same for any
 * number of queues. (The earliest eligible time first would divide an oversubscribed port by rates,
 * and a queue whose rate has just risen would wait for all the credit of others.)
 *
 * *Keys* are small numbers: a table as long as the greatest one leads to the queues, so that
 * nothing is searched.
 *
 * *Cost.* Queues that wait for their rate are in one heap for each class: O(log n). Queues are made
 * when their first frame comes and are forgotten, which changes no time, when they have been empty
 * for IdleTimeout and their bucket is full: at the next frame that comes in, before the owner is
 * asked for its key. Memory is taken for new queues only.
 *
 * *Held bytes* (GetLineBytes()) are those of a queue that waits for its rate, and those behind the
 * head of one that has just become eligible. A queue that may send again after its turn, or is not
 * shaped, waits for the line: it counts completely.
 */
class ShapedScheduler : public DwrrScheduler
{
  public:
    /// Key of frames that are not shaped.
    static constexpr uint32_t UNSHAPED = UINT32_MAX;

    /// Knows keys and rates. Must not call the scheduler back.
    class Owner
    {
      public:
        /**
         * @brief A frame of a class that is not strict comes in.
         * @return its key, or UNSHAPED
         */
        virtual uint32_t Classify(const Frame& frame, uint16_t port, int64_t nowPs) = 0;

        /**
         * @param key of a queue
         * @return rate of the queue from now on, bit/s of wire bytes; less than 1 kbit/s counts as
         * that
         */
        virtual uint64_t GetRateBps(uint32_t key, uint16_t port, int64_t nowPs) = 0;

        /// @brief A queue is made for a key, in one class.
        virtual void OnMade([[maybe_unused]] uint32_t key,
                            [[maybe_unused]] uint16_t port,
                            [[maybe_unused]] int64_t nowPs)
        {
        }

        /// @brief It is forgotten. @copydetails OnMade()
        virtual void OnForgotten([[maybe_unused]] uint32_t key,
                                 [[maybe_unused]] uint16_t port,
                                 [[maybe_unused]] int64_t nowPs)
        {
        }

      protected:
        ~Owner() = default;
    };

    static TypeId GetTypeId();

    ShapedScheduler();

    /**
     * @brief Set everything; nothing is queued yet. After CopySettings(). Until then nothing is
     * shaped.
     * @param owner lives until this is disposed of
     * @param port whose queues these are
     */
    void Configure(Owner* owner, const Port& port);

    /**
     * @brief The owner has another rate for a key: what is left of the gap before the head is
     * stretched or shortened.
     * @param key any; without a queue nothing happens
     * @return whether the port may send earlier: call Switch::Kick() then
     */
    bool Repace(uint32_t key, int64_t nowPs);

    /// @brief Forget queues that have been empty for long: the same happens when the next frame
    /// comes in. @param nowPs current time
    void Forget(int64_t nowPs);

    /// @return before this time Forget() has nothing to do, ps; queues that become empty later are
    /// due IdleTimeout after that
    int64_t NextForgetPs() const
    {
        return m_firstEmpty == NONE ? INT64_MAX : m_fifos[m_firstEmpty].emptiedPs + m_idlePs;
    }

    /// @return attribute IdleTimeout since Configure(), ps
    int64_t GetIdlePs() const
    {
        return m_idlePs;
    }

    /// @return bytes queued with that key, in all classes
    uint64_t GetKeyBytes(uint32_t key) const;

    /// @return the same with framing, as the rates are
    uint64_t GetKeyWireBytes(uint32_t key) const;

    /// @return bytes queued with any key
    uint64_t GetKeyedBytes() const
    {
        return m_keyedBytes;
    }

    /// @return key of the frame that Dequeue() returned last, or UNSHAPED
    uint32_t GetLastKey() const
    {
        return m_lastKey;
    }

    /// @return queues there are, empty ones that have not been forgotten included
    uint32_t GetQueues() const
    {
        return m_nQueues;
    }

    /// @return most queues at a time
    uint32_t GetPeakQueues() const
    {
        return m_peakQueues;
    }

    /// @return false: a frame must not overtake those that are held back
    bool IsWorkConserving() const override
    {
        return false;
    }

    int64_t NextEligiblePs(uint32_t pausedMask, int64_t nowPs) const override;
    std::string DescribeHeld(uint8_t trafficClass) const override;

    Frame* FindLast(uint8_t) const override
    {
        return nullptr; // a class has several lines
    }

    /// Signature of trace source Queue: key, bytes queued with it in its class.
    typedef void (*QueueCallback)(uint32_t key, uint64_t bytes, Time at);

  protected:
    void DoDispose() override;

  private:
    static constexpr uint32_t NONE = UINT32_MAX;

    enum class State : uint8_t
    {
        EMPTY,
        WAITING, //!< for its rate: in the heap
        READY,   //!< its head may go: in the ring
    };

    /// A queue.
    struct Fifo
    {
        FrameQueue frames;
        TokenBucket bucket; //!< the head may go when it says so; its rate is the port's at most
        int64_t emptiedPs{0};
        uint32_t key{UNSHAPED};
        uint32_t previous{NONE}; //!< in the list of empty ones
        uint32_t next{NONE};     //!< there, or in the ring
        State state{State::EMPTY};
        uint8_t trafficClass{0};
        bool isWhole{true}; //!< while READY: all of it waits for the line, not only the head
    };

    /// The queues of one class.
    struct Class
    {
        std::vector<uint32_t> byKey; //!< numbers, or NONE
        PlaceHeap waiting;           //!< those WAITING
        uint32_t first{NONE};        //!< the ring: those READY
        uint32_t last{NONE};
        uint64_t heldBytes{0};

        /// @return number of a key's queue, or NONE
        uint32_t Find(uint32_t key) const
        {
            return key < byKey.size() ? byKey[key] : NONE;
        }
    };

    void DoEnqueue(Frame* frame, int64_t nowPs) override;
    Frame* DoDequeue(uint32_t pausedMask, int64_t nowPs) override;

    uint64_t RateOf(uint32_t key, int64_t nowPs) const;
    bool IsLineRate(uint64_t rateBps) const;
    uint64_t HeldBytes(const Fifo& fifo) const;
    template <typename Change>
    void Update(Fifo& fifo, const Change& change);
    template <typename Visit>
    void ForQueuesOf(uint32_t key, const Visit& visit) const;
    uint32_t FindOrMake(uint32_t key, uint8_t trafficClass, int64_t nowPs);
    void Schedule(uint32_t number, int64_t nowPs);
    void Pay(Fifo& fifo, uint32_t frameBytes, int64_t nowPs);
    void Promote(int64_t nowPs);
    Frame* PopFrom(unsigned trafficClass, int64_t nowPs);
    void PushReady(uint32_t number);
    void NoteEmpty(uint32_t number, int64_t nowPs);
    void Unlink(uint32_t number);
    void Trace(const Fifo& fifo, int64_t nowPs);

    std::vector<Fifo> m_fifos; //!< the first N_CLASSES: of each class what is not shaped
    std::vector<uint32_t> m_free;
    std::array<Class, N_CLASSES> m_classes;
    uint32_t m_waitingMask{0};   //!< classes whose heap is not empty
    uint32_t m_keyedMask{0};     //!< classes that have had a key
    uint32_t m_shapedMask{0};    //!< classes that may be shaped
    uint32_t m_firstEmpty{NONE}; //!< longest empty
    uint32_t m_lastEmpty{NONE};  //!< emptied last
    uint32_t m_nQueues{0};
    uint32_t m_peakQueues{0};
    uint32_t m_lastKey{UNSHAPED};
    uint64_t m_keyedBytes{0};
    Owner* m_owner{nullptr};
    Ptr<const Port> m_port;
    uint32_t m_burstBytes{0}; //!< attribute Burst
    Time m_idleTimeout;       //!< attribute IdleTimeout
    int64_t m_idlePs{0};      //!< the same, since Configure()
    StationTrace<uint32_t, uint64_t, Time> m_queueTrace;
};

} // namespace ns3::roce

#endif /* ROCE_SHAPED_SCHEDULER_H */
