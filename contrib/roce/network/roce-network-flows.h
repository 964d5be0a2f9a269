// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NETWORK_FLOWS_H
#define ROCE_NETWORK_FLOWS_H

#include "roce-flow-order.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Flows that wait for what their own sender receives, as the ranks of a collective do: no
 * barrier, a slow rank delays only those that need what it sends.
 *
 * A flow with FlowSpec::step s is the s-th piece that its destination receives (several may have
 * the same number). A flow with FlowSpec::after a starts startPs after its source has received all
 * pieces up to number a, whatever other ranks do. So the messages of a rank are used in their
 * order, even if a later one is complete first. Its flows also start in the order of `after`. Each
 * FlowSpec::channel counts for itself. Ranks are NICs, or hosts with several.
 */
class FlowSteps : public FlowOrder
{
  public:
    /// Which rank a NIC belongs to, and what ranks are in messages.
    struct Ranks
    {
        const char* what;         //!< "NIC" or "host"
        std::vector<uint32_t> of; //!< by NIC
    };

    /**
     * @param flows all flows of the run
     * @param ranks see there
     * @param marginPs longest delay of a NIC's link, picoseconds
     * @throw InputError if a flow waits for pieces of which its source receives none, or has a
     * phase, too
     */
    FlowSteps(const std::vector<FlowSpec>& flows, Ranks ranks, int64_t marginPs);

    /// @param flows some flows. @return whether any of them has a step or waits for one
    static bool IsUsed(const std::vector<FlowSpec>& flows);

    std::string GetWhat() const override
    {
        return "flows with steps";
    }

    bool Keeps(const FlowSpec& flow) const override
    {
        return flow.after > 0;
    }

    void Connect(Nic& nic) override;
    void Add(WaitingFlow flow) override;
    int64_t GetStartPs(const FlowSpec& flow) const override;
    std::string Describe() const override;

  private:
    /// What a rank receives in one step.
    struct Step
    {
        uint64_t flows{0};
        uint64_t left{0};   //!< not received
        int64_t lastPs{-1}; //!< last arrival so far
    };

    /// One rank, in one channel.
    struct Rank
    {
        std::map<uint32_t, Step> steps;                       //!< to come, by number
        std::map<uint32_t, std::vector<WaitingFlow>> waiting; //!< by FlowSpec::after
        int64_t receivedPs{0};  //!< when the last step that is complete was
        int64_t lastStartPs{0}; //!< of its flows
    };

    /// What a flow's arrival counts for.
    struct Place
    {
        Rank* rank;
        uint32_t step;
    };

    void OnReceived(uint64_t cookie, Time at);
    void StartUpTo(Rank& rank, uint32_t after);
    Rank& RankOf(uint32_t nic, uint32_t channel);

    Ranks m_rankOf;
    int64_t m_marginPs;
    std::map<std::pair<uint32_t, uint32_t>, Rank> m_ranks; //!< by rank and channel
    std::unordered_map<uint64_t, Place> m_placeOf;         //!< by flow id
    std::unordered_map<uint64_t, int64_t> m_startPsOf; //!< by flow id, of those that have waited
};

struct NetworkParts;

/// The flows of a network, at their NICs or waiting for others. See the functions of Network with
/// the same names.
class NetworkFlows
{
  public:
    /// @param parts outlive this
    explicit NetworkFlows(const NetworkParts& parts)
        : m_parts(parts)
    {
    }

    /// @brief See Network::ChooseNics().
    void SetRanksAreHosts()
    {
        m_ranksAreHosts = true;
    }

    /// @brief See Network::InstallFlows().
    void Install(const std::vector<FlowSpec>& flows);

    /// @brief See Network::AddFlowOrder().
    void AddOrder(std::unique_ptr<FlowOrder> order);

    int64_t GetStartPs(const FlowSpec& flow) const;
    int64_t GetLastWaitedStartPs() const;
    std::string DescribeWaiting() const;

    /// @return whether some flows wait for others
    bool HasWaiting() const
    {
        return !m_orders.empty();
    }

    /// @return last start of the flows that wait for none
    int64_t GetLastScheduledPs() const
    {
        return m_lastStartPs;
    }

  private:
    /// src, dst, FlowSpec::connection, class
    using ConnectionKey = std::tuple<uint32_t, uint32_t, uint32_t, uint8_t>;

    struct Connection
    {
        uint32_t dstQp;
        Ptr<FlowApplication> application; //!< has its sending queue pair
        uint64_t first;                   //!< flow
        uint16_t srcPort;
        uint16_t replyPort;
        uint8_t law;
    };

    void CheckFlow(const FlowSpec& flow) const;
    uint32_t Reserve(const FlowSpec& flow) const;
    const Connection& FindConnection(const FlowSpec& flow, const Ptr<FlowApplication>& application);
    FlowOrder* FindOrder(const FlowSpec& flow) const;

    const NetworkParts& m_parts;
    std::map<ConnectionKey, Connection> m_connections;
    std::vector<std::unique_ptr<FlowOrder>> m_orders; //!< by which flows wait for others
    int64_t m_lastStartPs{0};                         //!< of flows that wait for none
    bool m_ranksAreHosts{false};                      //!< those of FlowSteps, and not NICs
};

} // namespace ns3::roce

#endif /* ROCE_NETWORK_FLOWS_H */
