// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MLCC_NEAR_SOURCE_H
#define ROCE_MLCC_NEAR_SOURCE_H

#include "ns3/nstime.h"
#include "ns3/roce-datacenter-edge.h"
#include "ns3/roce-edge-flow-table.h"
#include "ns3/roce-stage-of.h"
#include "ns3/roce-station-trace.h"

#include <map>
#include <memory>
#include <vector>

namespace ns3::roce
{

/// Parameters of MlccNearSource.
struct MlccNearSourceParams
{
    int64_t minIntervalPs; //!< 0: a notification for each packet
    bool includesWanHop;
    uint32_t controlClass;

    static const ParameterTable<MlccNearSourceParams>& Table();
};

/**
 * @brief MLCC at the sender's external switch (MLCC, section 3.2.1): telemetry of the datacenter's
 * switches in data that leave it goes back to the sender at once.
 *
 * Each data frame of an MLCC sender (it has an MlccHeader) that starts on the WAN loses its INT
 * records, and the sender gets a Switch-INT with them (MlccSwitchInt), charged as an ACK that
 * brings them. (The paper has them in a CNP, of which the 16 reserved bytes would take two.) So the
 * WAN part begins with empty telemetry. The same for a CE mark and a time stamp, for senders whose
 * law uses those: marks of this datacenter end here. A Switch-INT acknowledges nothing.
 *
 * Packets of ns-3 (FrameKind::PACKET) are in the records as load, and get no Switch-INT; their
 * marks stay.
 *
 * With SwitchIntMinInterval a flow's frames in between are only emptied; a mark that one of them
 * had is reported by the next Switch-INT.
 *
 * IntStamper, where the switch has one, comes first, so that the queue of the WAN port is among the
 * records: otherwise nothing would control it (the paper names only the switches before). With
 * SwitchIntIncludeWanHop=false a Switch-INT leaves when the data frame arrives, which is the
 * paper's text.
 */
class MlccNearSource : public StageOf<MlccNearSource, MlccNearSourceParams>
{
  public:
    static TypeId GetTypeId();

    // inherited from SwitchStage
    uint32_t GetHooks() const override;

    uint32_t GetKinds() const override
    {
        return 1U << static_cast<unsigned>(FrameKind::DATA);
    }

    void Check(const Deployment& deployment) const override;

    /**
     * @brief Begin.
     * @throw InputError for a bad attribute, or a switch without WAN port
     */
    void Install(Switch& sw) override;

    /**
     * @param counters mlcc...: SwitchInts, SwitchIntBytes (MAC header to FCS), SwitchIntsSuppressed
     * (frames within SwitchIntMinInterval), NearMarksCleared
     */
    void Count(std::map<std::string, uint64_t>& counters) const override;
    Verdict OnArrival(Frame& frame, Port& in, int64_t nowPs) override;
    Verdict OnDequeue(Frame& frame,
                      Port& out,
                      const EgressScheduler& queue,
                      int64_t nowPs) override;

    /// Signature of trace source SwitchInt: the flow's sending NIC and queue pair, the data's PSN,
    /// hop records.
    typedef void (
        *SwitchIntCallback)(uint32_t nic, uint32_t qp, uint64_t psn, uint32_t hops, Time at);

  private:
    void OnRetune(const MlccNearSourceParams& before, int64_t nowPs) override;

    /// State of a flow whose sender gets at most one INT message per SwitchIntMinInterval.
    struct Flow
    {
        int64_t toldPs{INT64_MIN / 2};
        bool marked{false}; //!< a mark has not been reported yet
    };

    void SetFlowTimeout();
    bool IsServed(const Frame& data) const;
    void Tell(Frame& data, int64_t nowPs);
    void Empty(Frame& data) const;

    Switch* m_at{nullptr}; //!< where it is installed
    DatacenterEdge m_edge;
    std::vector<bool> m_isWan; //!< by port
    uint32_t m_hopBytes{0};    //!< of a record on the wire
    EdgeFlowTable<Flow> m_flows;
    uint64_t m_told{0};
    uint64_t m_toldBytes{0};
    uint64_t m_suppressed{0};
    uint64_t m_cleared{0};
    StationTrace<uint32_t, uint32_t, uint64_t, uint32_t, Time> m_switchIntTrace;
};

} // namespace ns3::roce

#endif /* ROCE_MLCC_NEAR_SOURCE_H */
