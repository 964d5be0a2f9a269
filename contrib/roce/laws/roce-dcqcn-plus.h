// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DCQCN_PLUS_H
#define ROCE_DCQCN_PLUS_H

#include "roce-dcqcn-params.h"
#include "roce-dcqcn.h"

#include "ns3/roce-receiver-feedback.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::roce
{

/**
 * @brief DCQCN+'s parameters. DCQCN's parameters that it does not have are fixed at the one
 * possible value.
 */
struct DcqcnPlusParams : DcqcnParams
{
    int64_t scanPeriodPs; //!< at the receiver, whose least time between two CNPs is DcqcnParams'

    static const ParameterTable<DcqcnPlusParams>& Table();
};

/// @brief Contents of DCQCN+'s CNPs, 8 bytes, big-endian on the wire in this order.
struct DcqcnPlusHeader
{
    uint32_t flows; //!< N: entries of the receiver's table
    uint32_t tauNs; //!< tau: how long it takes to visit each of them once

    static const FrameExtension EXTENSION;
};

class DcqcnPlusFeedback;

/**
 * @brief DCQCN+'s table of flows that have been marked lately, one for each NIC (PARALEON's second
 * simulator, rdma-hw.cc).
 *
 * Entries are visited in turn, one every ScanPeriod; new ones are added at the end. A visited entry
 * with a mark since its last CNP, if that was more than MinTimeBetweenCnps ago, has a CNP sent; one
 * whose last CNP was more than 200 us ago is removed. So a receiver sends at most one CNP in
 * ScanPeriod, however many flows there are. The first visit to a table that was empty comes a
 * ScanPeriod later.
 *
 * Visits that do nothing cost nothing: the timer waits for the next one that does.
 */
class DcqcnPlusTable : public NicFeedback
{
  public:
    /**
     * @brief A flow is marked for the first time since its last CNP.
     * @param flow of this NIC
     */
    void OnMark(DcqcnPlusFeedback& flow, int64_t nowPs);

    /// @brief Use these from the next visit on. The table's are those that were set last.
    void SetParams(const std::shared_ptr<const DcqcnPlusParams>& params, int64_t nowPs);

    /// @return entries
    std::size_t GetN() const
    {
        return m_flows.size();
    }

    void OnTimer(int64_t nowPs, NicReplySink& sink) override;

  private:
    void SkipVisits(int64_t untilPs); //!< those that do nothing, up to and including this time
    int64_t NextActionPs() const;     //!< first visit that does something, or NEVER_PS
    void Visit(int64_t nowPs, NicReplySink& sink);

    std::shared_ptr<const DcqcnPlusParams> m_p;
    std::vector<Ptr<DcqcnPlusFeedback>> m_flows;
    std::size_t m_next{0}; //!< index of the next visit
    int64_t m_visitPs{0};  //!< and when
};

/// @brief DCQCN+'s notification point for one flow: reports marks to the table of its NIC.
class DcqcnPlusFeedback : public ReceiverFeedback
{
  public:
    static TypeId GetTypeId();

    DcqcnPlusFeedback();

    /// @brief Use other than the default parameters. Of a prototype.
    void Configure(std::shared_ptr<const DcqcnPlusParams> params)
    {
        m_p = std::move(params);
    }

    Ptr<ReceiverFeedback> Fork() const override;
    void OnData(const Frame& data, int64_t nowPs, ReplySink& sink) override;
    void Retune(const ReceiverFeedback& prototype, int64_t nowPs) override;

    bool CanRetuneLate() const override
    {
        return !m_isListed; // the table visits those that are
    }

  private:
    friend class DcqcnPlusTable;

    std::shared_ptr<const DcqcnPlusParams> m_p;
    DcqcnPlusTable* m_table{nullptr}; //!< of the NIC; null before the first mark
    uint32_t m_qpn{0};                //!< own number
    bool m_isListed{false};           //!< has an entry in the table
    bool m_isMarked{false};           //!< since the last CNP
    int64_t m_lastCnpPs{0};           //!< valid while it is listed
};

/**
 * @brief DCQCN+ (Gao et al., ICNP 2018) as the authors of PARALEON have it in their second
 * simulator: DCQCN whose periods and steps follow the size of the incast.
 *
 * Each CNP carries the number of congested flows at its receiver, N, and the time that the receiver
 * takes to visit each of them once, tau (DcqcnPlusFeedback). A CNP raises alpha, cuts (`Rt = Rc ;
 * Rc = max(MinRate, Rc (1 - alpha / 2)) ; T = 0`) and sets
 *
 *   X = max(50 us, tau, time of a full frame at Rc before the cut).
 *
 * Alpha decays by its gain every X, and every 2 X the rate increases:
 *
 *   T < F: fast recovery;  T = F: Rt += min(Rc / 5, line / 50), or min(Rc / 10, line / 100) once
 *   alpha <= 0.1;  T > F: Rt += min(Rc, max(1, T - 4 F + 1) line / 100);
 *   Rt = min(Rt, line) ; Rc = (Rt + Rc) / 2 ; T = T + 1.
 *
 * Alpha counts as of just before the increase, as in an event list where the increase, which was
 * scheduled first, precedes alpha's tick of the same time. A CNP without N and tau counts as tau =
 * 0.
 */
class DcqcnPlus : public LawOf<DcqcnPlus, DcqcnPlusParams, DcqcnReactionPoint>
{
  public:
    Ptr<ReceiverFeedback> MakeFeedback() const override;
    void OnCnp(const CnpInfo& cnp) override;
    void GetVariables(int64_t nowPs, std::vector<ControlVariable>& variables) const override;

  protected:
    void TakeOver() override;
    double GetStep(Phase phase, int64_t atPs) const override;

    /// @return false: a few steps lead to the line rate
    bool Jump(uint64_t&) override
    {
        return false;
    }

  private:
    void DoStart(int64_t nowPs) override;
    void OnRetune(const DcqcnPlusParams& before, int64_t nowPs) override;

    uint32_t m_flows{0}; //!< N of the last CNP
    int64_t m_tauPs{0};  //!< tau of the last CNP
};

} // namespace ns3::roce

#endif /* ROCE_DCQCN_PLUS_H */
