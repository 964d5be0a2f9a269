// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DOOR_STAGE_H
#define ROCE_DOOR_STAGE_H

#include "ns3/roce-parameters.h"
#include "ns3/roce-reply-builder.h"
#include "ns3/roce-switch-stage.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

namespace ns3::roce::test
{

/// Parameters of DoorStage.
struct DoorStageParams
{
    uint64_t thresholdBytes;
    int64_t holdPs;
    int64_t intervalPs;
    static const ParameterTable<DoorStageParams>& Table();
};

/// For ToRs: holds the first data frame of each flow, tells senders of long queues, counts hops.
class DoorStage : public SwitchStage
{
  public:
    static TypeId GetTypeId();
    uint32_t GetHooks() const override;
    uint32_t GetKinds() const override;
    void Install(Switch& sw) override;
    void Count(std::map<std::string, uint64_t>& counters) const override;
    void OnTimer(int64_t nowPs) override;
    Verdict OnEnqueue(Frame& frame,
                      Port& out,
                      const EgressScheduler& queue,
                      int64_t nowPs) override;
    Verdict OnDequeue(Frame& frame,
                      Port& out,
                      const EgressScheduler& queue,
                      int64_t nowPs) override;

  private:
    /// A frame that waits.
    struct Held
    {
        int64_t untilPs;
        Frame* frame;
        uint16_t port;
    };

    Parameters<DoorStageParams> m_parameters;
    std::shared_ptr<const DoorStageParams> m_p;
    ReplyBuilder m_replies;
    Switch* m_switch{nullptr};
    std::deque<Held> m_held;                        //!< in the order of their times
    std::unordered_map<uint64_t, int64_t> m_toldPs; //!< by flow; when it was told last
    uint64_t m_notified{0};
    uint64_t m_holds{0};
};

} // namespace ns3::roce::test

#endif /* ROCE_DOOR_STAGE_H */
