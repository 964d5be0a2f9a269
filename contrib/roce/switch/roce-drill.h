// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DRILL_H
#define ROCE_DRILL_H

#include "roce-path-policy.h"

#include "ns3/roce-late-random.h"
#include "ns3/roce-with-parameters.h"

#include <vector>

namespace ns3::roce
{

/// Parameters of Drill.
struct DrillParams
{
    uint32_t samples, memory;

    static const ParameterTable<DrillParams>& Table();
};

/**
 * @brief DRILL (Ghorbani et al., SIGCOMM 2017): each frame takes the port that is free first, of
 * Samples random ones and the Memory best of the last time.
 *
 * Unlike there, queues count in time, what is being sent, too, and all ways are alike (DRILL forms
 * groups where links have failed). Frames overtake each other: receivers have to bear it
 * (SelectiveRepeat[ReorderPackets=64], PacketTimers). A port whose link is down has no queue, and
 * attracts frames until routing knows (Network::SetReroute()).
 */
class Drill : public WithParameters<Drill, PathPolicy, DrillParams>
{
  public:
    uint32_t Choose(const Question& question) override;

    bool IsPerPacket() const override
    {
        return true;
    }

    int64_t AssignStreams(int64_t stream) override;

  private:
    /// A way that was looked at; samples come first.
    struct Seen
    {
        int64_t waitPs;
        std::size_t turn, path;
    };

    void DoInstall(Switch& sw) override;
    void Look(const Question& question, std::size_t path);

    LateRandom m_random;
    std::vector<uint32_t> m_order;             //!< a permutation of the ways
    std::vector<std::vector<uint16_t>> m_best; //!< ports, by the first one to choose from
    std::vector<Seen> m_seen;                  //!< scratch
};

} // namespace ns3::roce

#endif /* ROCE_DRILL_H */
