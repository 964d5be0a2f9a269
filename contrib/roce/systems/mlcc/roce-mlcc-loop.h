// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MLCC_LOOP_H
#define ROCE_MLCC_LOOP_H

#include "roce-mlcc-params.h"

#include "ns3/roce-congestion-control.h"

namespace ns3::roce
{

/**
 * @brief A rate law for one segment of a path, as MLCC has at both ends: between sender and
 * sender-side external switch, and between receiver-side external switch and receiver.
 *
 * The law gets packets that have passed the segment as if their ACKs had come from its end, and has
 * the segment's round trip, the path's part within the own datacenter, for its base RTT, whatever
 * Hpcc::BaseRtt or PowerTcp::BaseRtt say. If it needs CNPs, its receiver's feedback makes them
 * here, at its own interval.
 */
class MlccLoop
{
  public:
    /// @param innerCc name of a law. @return a prototype with the defaults of its class, but see
    /// OfSegment()
    static Ptr<CongestionControl> MakeLaw(MlccInnerCc innerCc);

    /**
     * @param law a prototype
     * @return a copy without a round trip or a first window of its own: these are for whole paths,
     * and the segment has others
     */
    static Ptr<CongestionControl> OfSegment(const CongestionControl& law);

    /// @param prototype a law. @throw InputError unless it can steer a segment: it has no extension
    /// of its own in data, and detects congestion by telemetry, marks or time stamps
    static void Check(const CongestionControl& prototype);

    /**
     * @brief Begin at the line rate.
     * @param prototype the law
     * @param path of the flow, as seen from this end
     */
    void Start(const CongestionControl& prototype, const PathInfo& path, int64_t nowPs);

    /// @brief A data frame has gone into the segment. @param sent it; its extension is not used
    void OnSend(const SendInfo& sent)
    {
        SendInfo plain = sent;
        plain.extension = {};
        m_law->OnSend(plain);
    }

    /// @brief Frames have passed the segment. @param report like an ACK from its end
    void OnReport(const AckInfo& report)
    {
        m_law->OnAck(report);
    }

    /// @brief A marked frame has passed the segment.
    void OnMark(int64_t nowPs);

    /// @brief The sender goes back. @param psn next to be sent
    void Rewind(uint64_t psn, int64_t nowPs);

    /// @return the law; after Start()
    CongestionControl& GetLaw() const
    {
        return *m_law;
    }

    /// @return base RTT of the segment, ps; after Start()
    int64_t GetRttPs() const
    {
        return m_law->GetPath().baseRttPs;
    }

    /// @return the law's rate, or its window spread over the RTT if that is less, bit/s
    uint64_t GetRateBps() const;

    /// @brief Take over live parameters. @param prototype of the same class @param nowPs current
    /// time
    void Retune(const CongestionControl& prototype, int64_t nowPs)
    {
        m_law->Retune(prototype, nowPs);
    }

  private:
    Ptr<CongestionControl> m_law;
    Ptr<ReceiverFeedback> m_feedback; //!< null: the law needs no marks
};

} // namespace ns3::roce

#endif /* ROCE_MLCC_LOOP_H */
