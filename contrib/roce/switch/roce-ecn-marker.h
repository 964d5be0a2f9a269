// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_ECN_MARKER_H
#define ROCE_ECN_MARKER_H

#include "roce-port-set.h"
#include "roce-switch-stage.h"

#include "ns3/random-variable-stream.h"
#include "ns3/roce-with-parameters.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

/// @brief The RED marking curve of DCQCN (Zhu et al., SIGCOMM 2015, figure 5). Plain arithmetic.
struct EcnCurve
{
    uint64_t kminBytes{0}; //!< at or below: never
    uint64_t kmaxBytes{0}; //!< above: always
    double pmax{0};        //!< probability at kmax

    /// @return whether there is a queue that it marks at
    bool CanMark() const
    {
        return kminBytes < UINT64_MAX;
    }

    /// @return kmin <= kmax and 0 <= pmax <= 1
    bool IsValid() const
    {
        return kminBytes <= kmaxBytes && pmax >= 0 && pmax <= 1;
    }

    /**
     * @param queueBytes instantaneous queue length
     * @return marking probability, 0..1; jumps from pmax to 1 just above kmax
     */
    double Probability(uint64_t queueBytes) const
    {
        return queueBytes <= kminBytes  ? 0
               : queueBytes > kmaxBytes ? 1
                                        : pmax * static_cast<double>(queueBytes - kminBytes) /
                                              static_cast<double>(kmaxBytes - kminBytes);
    }

    /**
     * @brief Draw a random number if the probability is neither 0 nor 1.
     * @param queueBytes instantaneous queue length
     * @param random uniform on [0, 1)
     * @return whether to mark
     */
    bool Draw(uint64_t queueBytes, UniformRandomVariable& random) const
    {
        if (queueBytes <= kminBytes)
        {
            return false;
        }
        const double p = Probability(queueBytes);
        return p >= 1 || random.GetValue() < p;
    }
};

/// A port that marks nothing.
constexpr EcnCurve NO_ECN_CURVE{UINT64_MAX, UINT64_MAX, 0};

/// Parameters of EcnMarker.
struct EcnMarkerParams
{
    uint64_t kminBytes;
    uint64_t kmaxBytes;
    double kminFraction;
    double kmaxFraction; //!< 0: kminBytes and kmaxBytes count
    double pmax;
    uint64_t referenceRateBps; //!< 0: the same for all ports
    bool markAtEnqueue;
    PortSet ports;      //!< those that mark
    uint32_t classMask; //!< traffic classes that are marked
    bool dropNotEct;    //!< packets of ns-3 that cannot be marked
    std::string rateMap;
    std::map<uint64_t, EcnCurve> curves; //!< of rateMap, by port rate in bit/s

    static const ParameterTable<EcnMarkerParams>& Table();
};

/**
 * @brief Marks CE at dequeue by the length of the frame's egress queue; ECN-capable frames only.
 * Packets of ns-3 (FrameKind::PACKET) that are not ECN-capable are dropped there with the same
 * probability, for the reason "red".
 *
 * Thresholds are given for a reference rate and scale with the port's rate: 100 KB and 400 KB at 25
 * Gbit/s, Pmax 0.2, are those the HPCC paper's simulator uses for DCQCN. At ports with an egress
 * limit (Switch::EgressLimit) they can be shares of it instead.
 */
class EcnMarker : public WithParameters<EcnMarker, SwitchStage, EcnMarkerParams>
{
  public:
    EcnMarker();

    uint32_t GetHooks() const override
    {
        return m_parameters.Get()->markAtEnqueue ? MARK : DEQUEUE;
    }

    uint32_t GetKinds() const override
    {
        return LOAD_KINDS;
    }

    bool MarksEcn() const override
    {
        return true;
    }

    uint64_t GetMarkAllBytes(uint16_t port) const override
    {
        const EcnCurve& curve = m_curves.at(port);
        return curve.CanMark() ? curve.kmaxBytes : 0;
    }

    void Install(Switch& sw) override;

    /**
     * @copydoc SwitchStage::Retune()
     *
     * Curves are made again, those of SetCurve(), too.
     */
    void Retune(const SwitchStage& prototype, int64_t nowPs) override;
    int64_t AssignStreams(int64_t stream) override;
    Verdict OnEnqueue(Frame& frame,
                      Port& out,
                      const EgressScheduler& queue,
                      int64_t nowPs) override;
    Verdict OnDequeue(Frame& frame,
                      Port& out,
                      const EgressScheduler& queue,
                      int64_t nowPs) override;

    /// @return the effective curve at that port
    const EcnCurve& GetCurve(uint16_t port) const
    {
        return m_curves.at(port);
    }

    /// @return the effective parameters, after Install()
    const EcnMarkerParams& GetParameters() const
    {
        return *m_p;
    }

    /**
     * @brief Set the curve of one port (for tuners and per-port studies).
     * @param curve kmin <= kmax, 0 <= pmax <= 1
     */
    void SetCurve(uint16_t port, const EcnCurve& curve);

    /**
     * @brief Read attribute RateMap.
     * @param text see there
     * @return the curves by port rate, bit/s
     * @throw InputError naming the entry that is wrong
     */
    static std::map<uint64_t, EcnCurve> ParseRateMap(const std::string& text);

    void Count(std::map<std::string, uint64_t>& counters) const override
    {
        counters["ecnMarked"] += m_marked;
    }

    /// @return frames marked so far that were not marked when they came
    uint64_t GetMarked() const
    {
        return m_marked;
    }

    /// @return wire bytes of the frames marked there so far, those that were marked before included
    uint64_t GetMarkedBytes(uint16_t port) const
    {
        return m_markedBytes.at(port);
    }

  private:
    static EcnCurve CurveOf(const EcnMarkerParams& p, const Switch& sw, uint16_t port);
    static std::vector<EcnCurve> CurvesOf(const EcnMarkerParams& p, const Switch& sw);
    Verdict MarkOrDrop(Frame& frame, const Port& out, uint64_t queueBytes);
    bool IsChosen(const Frame& frame, const Port& out, uint64_t queueBytes) const;
    Verdict DropIfChosen(const Frame& frame, const Port& out, uint64_t queueBytes);

    Switch* m_at{nullptr}; //!< where it is installed
    std::vector<EcnCurve> m_curves;
    Ptr<UniformRandomVariable> m_random;
    uint64_t m_marked{0};
    uint8_t m_reason{0};                 //!< for drops; 0 before the first one
    std::vector<uint64_t> m_markedBytes; //!< by port
};

} // namespace ns3::roce

#endif /* ROCE_ECN_MARKER_H */
