// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NDT_CONTROLLER_H
#define ROCE_NDT_CONTROLLER_H

#include "ns3/roce-edge-flow-table.h"

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

namespace ns3::roce
{

/**
 * @brief State of Reflex's near-destination throttling at one external switch: which flows are
 * congested, which queue their packets go to, and when the Controlled queues are suspended (Reflex
 * paper, section III-D). Knows nothing of frames, ports and the simulator.
 *
 * A flow is known from its first packet until it has been silent for Settings::flowTimeoutPs; it is
 * active at a port while it has enqueued there within Settings::activeWindowPs. Each packet costs
 * O(1), apart from a sweep of the table at most once per flowTimeoutPs.
 */
class NdtController
{
  public:
    /// Which flows count for a suspension.
    enum class Counted : uint8_t
    {
        CONGESTED,
        IN_CONTROLLED,
        BOTH, //!< congested flows with packets in Controlled
    };

    /// Parameters; see the attributes of ReflexNdt.
    struct Settings
    {
        int64_t thresholdPs;      //!< congested above this RTT
        bool throttle;            //!< false: everything goes to Normal, no suspension
        bool orderGuard;          //!< recovered flows empty Controlled first
        bool symmetricOrderGuard; //!< congested flows empty Normal first
        bool pause;               //!< Controlled may be suspended
        bool switchScope;         //!< one ratio for the switch, not for each port
        Counted counted;          //!< flows that the ratio is of
        double alpha;             //!< suspended above this ratio
        int64_t maxPausePs;       //!< longest suspension
        int64_t activeWindowPs;   //!< see the class comment
        int64_t flowTimeoutPs;    //!< see the class comment
    };

    /// Counters, summed over all flows and ports.
    struct Counters
    {
        uint64_t flows{0};            //!< entered into the table
        uint64_t congestedFlows{0};   //!< of these, congested at some time
        uint64_t isolatedFlows{0};    //!< of these, with a packet in Controlled at some time
        uint64_t episodes{0};         //!< transitions to congested
        uint64_t controlled{0};       //!< packets put into Controlled
        uint64_t legacyControlled{0}; //!< of these, of flows that had recovered
        uint64_t pauses{0};           //!< suspensions begun
        uint64_t pauseTimeouts{0};    //!< suspensions ended by maxPausePs
        uint64_t pausedPs{0};         //!< time of all suspensions that have ended
        uint64_t tablePeak{0};        //!< most flows in the table at a time
    };

    /// Is notified of changes. Must not call back.
    class Listener
    {
      public:
        /// @param key flow. @param congested its state from now on.
        virtual void OnState(uint64_t key, bool congested, int64_t nowPs) = 0;

        /**
         * @brief Controlled is suspended or resumed.
         * @param group port; 0 with Settings::switchScope, which means all ports
         * @param begins suspended
         * @param ratio of active flows that are congested
         * @param byTimeout resumed because maxPausePs has passed
         */
        virtual void OnSuspension(uint16_t group,
                                  bool begins,
                                  double ratio,
                                  bool byTimeout,
                                  int64_t nowPs) = 0;

      protected:
        ~Listener() = default;
    };

    /**
     * @brief Set everything and forget all flows.
     * @param nPorts ports are numbered from 0
     * @param listener lives as long as this
     */
    void Configure(const Settings& settings, uint16_t nPorts, Listener* listener);

    /**
     * @brief A data packet is about to enter the queues of a port.
     * @param key flow
     * @param nowPs current time, never less than before
     * @return whether it goes to Controlled
     */
    bool OnEnqueue(uint64_t key, uint16_t port, int64_t nowPs);

    /**
     * @brief A data packet has left the queues of a port.
     * @param key flow
     */
    void OnDequeue(uint64_t key, uint16_t port, bool controlled);

    /**
     * @brief An acknowledgement has brought a sample: only here states change and suspensions
     * begin, and end unless they time out.
     *
     * A suspension begins at ports that the flow has used and may end at any.
     * @param key flow
     * @param rttPs time since its data was sent from here
     * @return whether the flow is known; if not, nothing is done
     */
    bool OnAck(uint64_t key, int64_t rttPs, int64_t nowPs);

    /// @return when OnTimeout() must be called to end a suspension, or NEVER_PS
    int64_t GetNextTimeoutPs() const
    {
        return m_nextTimeoutPs;
    }

    /// @brief End the suspensions that have lasted long enough. @param nowPs GetNextTimeoutPs()
    void OnTimeout(int64_t nowPs);

    /// @param key flow. @return whether it is known and congested
    bool IsCongested(uint64_t key) const;

    /// @return whether its Controlled is suspended
    bool IsPaused(uint16_t port) const
    {
        return m_groups[GroupOf(port)].pausedSincePs >= 0;
    }

    /// @return flows in the table
    std::size_t GetTableSize() const
    {
        return m_flows.size();
    }

    const Counters& GetCounters() const
    {
        return m_counters;
    }

  private:
    using Hook = boost::intrusive::list_base_hook<
        boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

    /// A flow at a port. As a list element: its activity (of the whole flow with switchScope).
    struct Lane : public Hook
    {
        uint16_t port{0};
        uint32_t normal{0};     //!< packets in Normal
        uint32_t controlled{0}; //!< packets in Controlled
        int64_t lastPs{0};      //!< last enqueue
        bool counted{false};    //!< part of Group::counted
    };

    struct Flow
    {
        std::list<Lane> lanes; //!< of ports used so far: usually one
        int64_t lastSeenPs{0};
        uint32_t queued{0};     //!< packets in all queues
        uint32_t controlled{0}; //!< of these, in Controlled
        bool congested{false};
        bool everCongested{false};
        bool everIsolated{false};
    };

    using Activity = boost::intrusive::list<Lane, boost::intrusive::constant_time_size<false>>;

    /// A port, or with switchScope the switch.
    struct Group
    {
        Activity byLast;     //!< active flows, the longest silent first
        uint32_t active{0};  //!< length of byLast
        uint32_t counted{0}; //!< of these, the ones that count for a suspension
        int64_t pausedSincePs{-1};
        bool mustSend{false}; //!< after a timeout: no suspension before a packet of Controlled
    };

    uint16_t GroupOf(uint16_t port) const
    {
        return m_settings.switchScope ? 0 : port;
    }

    using Flows = std::unordered_map<uint64_t, Flow>;

    Flow& Find(uint64_t key, int64_t nowPs);
    bool IsForgotten(const Flow& flow, int64_t nowPs) const;
    Flows::iterator Erase(Flows::iterator it);
    Lane& ActivityOf(Flow& flow, Lane& lane) const;
    void Touch(Group& group, Lane& activity, int64_t nowPs);
    void Forget(Group& group, Lane& activity);
    void Recount(Flow& flow, Lane& activity);
    void Sweep(int64_t nowPs);
    double Ratio(Group& group, int64_t nowPs);
    void Evaluate(uint16_t index, bool mayBegin, int64_t nowPs);
    void EndPause(uint16_t index, double ratio, bool byTimeout, int64_t nowPs);

    Settings m_settings{};
    Listener* m_listener{nullptr};
    Counters m_counters;
    std::vector<Group> m_groups;
    Flows m_flows;
    uint32_t m_nPaused{0};
    int64_t m_nextTimeoutPs{0};
    int64_t m_lastSweepPs{0};
};

} // namespace ns3::roce

#endif /* ROCE_NDT_CONTROLLER_H */
