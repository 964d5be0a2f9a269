// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MLCC_H
#define ROCE_MLCC_H

#include "roce-mlcc-loop.h"
#include "roce-mlcc-params.h"

#include "ns3/nstime.h"
#include "ns3/roce-congestion-control.h"
#include "ns3/roce-station-trace.h"

#include <memory>

namespace ns3::roce
{

/**
 * @brief MLCC's sender (Micro Loop Congestion Control, ICPP 2025) for flows between datacenters:
 * the smaller one of two rates.
 *
 * - R_NS, of the loop to the sender-side external switch (section 3.2): each data frame that leaves
 *   the datacenter makes that switch (MlccNearSource) send a Switch-INT with the telemetry so far.
 *   An inner law, Hpcc by default, gets it like an ACK, with the loop's RTT.
 * - Rbar_DQM, of the receiver (MlccCredit, section 3.3): each ACK, NAK and MlccUpdate brings it.
 *
 * R = min(R_NS, Rbar_DQM), equation 10; the line rate before the first feedback. There is no window
 * but InterInflightCap; the rate alone limits. The receiver-side external switch (MlccReceiverSide)
 * has a queue for each flow, which it empties at R_credit.
 *
 * A Switch-INT acknowledges nothing. The inner law's once-per-RTT steps are gated by the PSNs that
 * Switch-INTs bring; a NAK or a timeout sets the gate back (see Hpcc). If the inner law needs ECN
 * marks, those of Switch-INTs count, as CNPs at the inner law's own interval; if it needs RTTs,
 * these are the times since the frames were sent.
 *
 * Flows within a datacenter have a law of their own (`--cc=Hpcc --interCc=Mlcc`).
 */
class Mlcc : public CongestionControl
{
  public:
    static TypeId GetTypeId();

    Ptr<CongestionControl> Fork() const override;
    Ptr<ReceiverFeedback> MakeFeedback() const override;
    const FrameExtension* GetDataExtension() const override;
    Ptr<const CongestionControl> GetInnerLaw() const override;
    bool NeedsTelemetry() const override;
    bool NeedsTimestamp() const override;
    bool IsEcnCapable() const override;
    bool NeedsEcn() const override;
    void Check(const Deployment& deployment, bool interDc) const override;
    void OnSend(const SendInfo& sent) override;
    void OnAck(const AckInfo& ack) override;
    void OnNotification(const Notification& notification) override;
    void OnTimeout(int64_t nowPs) override;
    void Advance(int64_t nowPs) override;
    int64_t NextRateChangePs() const override;
    void Retune(const CongestionControl& prototype, int64_t nowPs) override;

    /**
     * @copydoc CongestionControl::GetVariables()
     *
     * r_ns_bps, rbar_dqm_bps, r_credit_bps, c_r: the latter three as of the last ACK.
     */
    void GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const override;

    /**
     * @brief Use a law that InnerCc does not name, or one with other attributes. Of a prototype.
     * @param law prototype, copied: see MlccLoop::OfSegment(); null: as InnerCc says
     * @throw InputError see MlccLoop::Check()
     */
    void SetInnerLaw(Ptr<const CongestionControl> law);

    /**
     * @return the parameters from the current attributes
     * @throw InputError if an attribute is out of range
     */
    const MlccParams& GetParams() const
    {
        return *m_parameters.Get();
    }

    /// @return R_NS, bit/s
    uint64_t GetNearBps() const
    {
        return m_nearBps;
    }

    /// @return Rbar_DQM of the last ACK, bit/s; the line rate before the first
    uint64_t GetDqmBps() const
    {
        return m_dqmBps;
    }

    /// Signature of trace sources NearRate and DqmRate: the rate in bit/s, when.
    typedef void (*RateCallback)(uint64_t rateBps, Time at);

  private:
    void DoStart(int64_t nowPs) override;
    const Ptr<const CongestionControl>& FindInnerLaw() const;
    void TakeOver();              //!< the window, from m_p
    void TakeNear(int64_t nowPs); //!< R_NS, from the inner law
    void SetDqm(uint64_t rateBps, int64_t nowPs);
    void Read(const ExtensionView& extension, int64_t nowPs); //!< what the receiver says
    void Publish();                                           //!< set the rate

    Parameters<MlccParams> m_parameters;          //!< attributes
    std::shared_ptr<const MlccParams> m_p;        //!< effective since Start() or Retune()
    Ptr<const CongestionControl> m_given;         //!< by SetInnerLaw(), or null
    mutable Ptr<const CongestionControl> m_inner; //!< prototype as of m_innerOf
    mutable MlccInnerCc m_innerOf{};

    MlccLoop m_near;
    uint64_t m_nearBps{0};
    uint64_t m_dqmBps{0};
    uint64_t m_creditBps{0}; //!< of the last ACK
    uint64_t m_nextPsn{0};   //!< to be sent next
    uint64_t m_ackedPsn{0};  //!< all below are acknowledged
    uint16_t m_epoch{0};     //!< of the last ACK
    StationTrace<uint64_t, Time> m_nearTrace;
    StationTrace<uint64_t, Time> m_dqmTrace;
};

} // namespace ns3::roce

#endif /* ROCE_MLCC_H */
