// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FLOW_SPEC_H
#define ROCE_FLOW_SPEC_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

/// The largest flow, bytes.
constexpr uint64_t MAX_FLOW_BYTES = 1000000000000000ULL;

struct RankJob;

/// Which single flows a flow waits for. One that its source receives is done when it has it all,
/// any other one when the sender has the last ACK.
struct FlowDependencies
{
    uint32_t key{0};             //!< the flow's own, unique in the run
    std::string name;            //!< for messages; may be empty
    std::vector<uint32_t> after; //!< keys of the flows that it waits for, each once
};

/**
 * @brief One flow to be: write sizeBytes from NIC src to NIC dst at startPs.
 *
 * NICs are numbered 0..n-1 in the order in which the topology made them.
 */
struct FlowSpec
{
    uint64_t id{0};          //!< unique; position in the run's flow list
    uint32_t src{0};         //!< index of the sending NIC
    uint32_t dst{0};         //!< index of the receiving NIC; differs from src
    uint64_t sizeBytes{0};   //!< message size; 0 is one message without payload
    int64_t startPs{0};      //!< when the message is posted, picoseconds
    uint8_t trafficClass{3}; //!< PFC class 0..7 of the data frames
    uint16_t srcPort{0};     //!< UDP source port (ECMP entropy); 0 means derived from the id
    uint8_t tag{0};          //!< user's mark: 0 background, 1 incast, ... (copied to flows.csv)
    /// Flows from src to dst of one class and one number above 0 are messages of one queue pair, in
    /// order of their starts; 0: it has a queue pair of its own. Those of each RankJob are apart
    uint32_t connection{0};
    uint16_t replyPort{0}; //!< UDP source port of its ACKs; 0 means that of the data
    uint8_t law{0}; //!< rate law: 0 the NIC's attributes say, others Network::AddLaw() or TcpFlows
    /// 0, or above 1: startPs counts from when the senders of all flows of the phase
    /// before have their last ACKs
    uint32_t phase{0};
    /// Null: none, and no flow waits for it. With flows to wait for, startPs counts from when the
    /// last of them is done
    std::shared_ptr<const FlowDependencies> dependencies{};
    std::shared_ptr<const RankJob> job{}; //!< not null: a rank sends it when it comes to it
    uint32_t rank{0};                     //!< of the job
    uint32_t op{0};                       //!< number of the rank's operation that sends it

    /// @return whether it waits for single flows
    bool IsDependent() const
    {
        return dependencies && !dependencies->after.empty();
    }

    /// @return whether its start is known before the run: it waits for no other flow
    bool IsScheduled() const
    {
        return phase <= 1 && !IsDependent() && !job;
    }
};

} // namespace ns3::roce

#endif /* ROCE_FLOW_SPEC_H */
