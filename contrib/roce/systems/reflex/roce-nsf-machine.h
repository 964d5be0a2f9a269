// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NSF_MACHINE_H
#define ROCE_NSF_MACHINE_H

#include <cstdint>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief Feedback state of one flow in Reflex's near-source feedback (paper, III-C and Fig. 5).
 *
 * Only data arrivals change it; it has no timers. With over = delay > threshold (strict) and due =
 * at least an interval since the last pseudo-ACK:
 *
 * | state   | over | next                      | pseudo-ACK          |
 * |---------|------|---------------------------|---------------------|
 * | Silent  | no   | Silent                    | none, or a probe    |
 * | Silent  | yes  | Active                    | if due              |
 * | Active  | yes  | Active                    | if due              |
 * | Active  | no   | Cooling, counter = nCool  | if due              |
 * | Cooling | yes  | Active                    | if due              |
 * | Cooling | no   | Cooling; at 0 Silent      | see CoolingMode     |
 *
 * The paper does not say what happens over the threshold in Cooling: back to Active, as from
 * Silent, and the counter starts again with the next Cooling.
 */
class NsfMachine
{
  public:
    /// States of a flow.
    enum State : uint8_t
    {
        SILENT,
        ACTIVE,
        COOLING,
    };

    /// What the counter of Cooling counts.
    enum class CoolingMode : uint8_t
    {
        PER_PSEUDO_ACK,     //!< pseudo-ACKs sent: the sender sees nCool samples
        PER_PACKET_GATED,   //!< data packets, as the paper has it; pseudo-ACKs if due. At line rate
                            //!< Cooling is over before one is due
        PER_PACKET_UNGATED, //!< data packets, each with a pseudo-ACK
    };

    /// Parameters, the same for all flows of a switch.
    struct Config
    {
        int64_t thresholdPs;     //!< T_src_thresh
        int64_t intervalPs;      //!< T_interval
        int64_t probeIntervalPs; //!< between pseudo-ACKs in Silent; 0: none there
        uint32_t nCool;          //!< N_cool; 0: no Cooling
        CoolingMode cooling;     //!< see CoolingMode
    };

    /**
     * @brief A data packet of the flow has come.
     * @param config parameters
     * @param delayPs its T_src
     * @param nowPs current time
     * @return whether a pseudo-ACK is to be sent for it
     */
    bool OnData(const Config& config, int64_t delayPs, int64_t nowPs);

    /// @return state now
    State GetState() const
    {
        return m_state;
    }

    /// @return rest of the counter, in Cooling
    uint32_t GetCount() const
    {
        return m_count;
    }

  private:
    bool Cool(const Config& config, bool due);

    State m_state{SILENT};
    uint32_t m_count{0};
    int64_t m_lastPs{INT64_MIN / 2}; //!< last pseudo-ACK
};

} // namespace ns3::roce

#endif /* ROCE_NSF_MACHINE_H */
