// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RANK_ENGINE_H
#define ROCE_RANK_ENGINE_H

#include "roce-rank-job.h"

#include "ns3/event-id.h"
#include "ns3/roce-flow-order.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

class Network;

/**
 * @brief Runs the ranks of jobs at the NICs of a network, which send the flows of
 * RankJob::MakeFlows(); and those that wait for others by themselves (FlowJob).
 *
 * A rank with one NIC is part of it (HostProgram): it learns of messages at their exact times, and
 * sends at once. So results do not depend on threads and processes, and need no margin. A rank with
 * several NICs is outside of stations, in events that all processes have, and learns of messages
 * later, by the longest delay of a NIC's link and 1 ps, since NICs do not run in step: what follows
 * counts from the exact time, but nothing is sent before. Ranks that share a NIC, or messages
 * within a host, are together; those messages take RankJob::GetInsidePs(). A send above
 * RankCosts::eagerBytes is done when its sender has the last ACK.
 */
class RankEngine : public FlowOrder
{
  public:
    /// @param flows some flows. @return whether a rank sends any of them
    static bool IsUsed(const std::vector<FlowSpec>& flows);

    /**
     * @brief Install flows, but those of TCP, with an engine if any wait for others or are sent by
     * ranks.
     * @param network built
     * @param flows all flows of the run, ids from 0
     * @return the engine, which belongs to the network; or null
     * @throw InputError as Network::InstallFlows() and FlowJob::Make()
     */
    static RankEngine* Install(Network& network, const std::vector<FlowSpec>& flows);

    /**
     * @param network built; Network::SetFlowOrder() gets the engine
     * @param flows all flows of the run, ids from 0
     * @throw InputError as FlowJob::Make()
     */
    RankEngine(const Network& network, const std::vector<FlowSpec>& flows);
    ~RankEngine() override;

    void Connect(Nic& nic) override;
    void Add(const FlowSpec& flow,
             uint32_t dstQp,
             const Ptr<FlowApplication>& application) override;
    int64_t GetStartPs(const FlowSpec& flow) const override;
    int64_t GetLastStartPs() const override;
    std::string Describe() const override;

    /// @return the jobs, in the order of their first flows, without a FlowJob
    const std::vector<std::shared_ptr<const RankJob>>& GetJobs() const
    {
        return m_jobs;
    }

    /// @brief Note when operations start and are done. Before the run.
    void KeepLogs();

    /// @param job number. @return what its ranks did, of all processes once Finish() was called;
    /// null without KeepLogs()
    const RankLog* GetLog(std::size_t job) const
    {
        return m_logs.empty() ? nullptr : &m_logs.at(job);
    }

    /**
     * @brief After the run, have ranks compute what is left of them, without the network.
     * Called by all processes.
     * @param job number
     * @return when each rank of a job was done, picoseconds; -1: never
     */
    std::vector<int64_t> Finish(std::size_t job);

  private:
    class Rank;
    class Place;
    class AtNic;
    class Outside;
    class Apart;

    /// A flow, its ranks and its start.
    struct Entry
    {
        FlowSpec flow;
        uint32_t dstQp{0};
        Ptr<FlowApplication> application; //!< of its source
        Rank* sender{nullptr};            //!< null: no rank knows of it
        Rank* receiver{nullptr};
        int64_t startPs{-1}; //!< if a rank starts it; -1: not yet
    };

    void AddJob(const std::shared_ptr<const RankJob>& job, const std::vector<Entry*>& flows);
    void Start();
    void OnCompleted(const MessageRecord& record);
    void OnReceived(uint64_t cookie, Time at);
    Rank* FindRank(uint64_t cookie, const Place& place, bool isSender) const;
    std::string DescribeFlows(const Rank& rank) const;

    const Network& m_network;
    std::vector<std::shared_ptr<const RankJob>> m_jobs;
    std::deque<std::vector<std::unique_ptr<Rank>>> m_ranks; //!< by job
    std::vector<RankLog> m_logs;                            //!< by job; empty: not kept
    std::vector<std::unique_ptr<AtNic>> m_atNic;            //!< by NIC; null: no rank is there
    std::unique_ptr<Outside> m_outside;
    std::unique_ptr<Apart> m_apart;
    std::vector<Entry> m_flows;               //!< by id
    std::shared_ptr<const RankJob> m_flowJob; //!< its ranks are the last of m_ranks; or null
    EventId m_begin;                          //!< of the programs
};

} // namespace ns3::roce

#endif /* ROCE_RANK_ENGINE_H */
