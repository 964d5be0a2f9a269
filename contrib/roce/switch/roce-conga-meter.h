// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_CONGA_METER_H
#define ROCE_CONGA_METER_H

#include "roce-routing.h"
#include "roce-switch-stage.h"

#include "ns3/roce-frame-extension.h"

#include <cstdint>
#include <vector>

namespace ns3::roce
{

/// @brief What data and ACKs carry from leaf to leaf, 6 bytes.
struct CongaTag
{
    uint16_t port;     //!< where it left the first leaf
    uint16_t toldPort; //!< of the last leaf, or NO_PORT: news of the way that begins there
    uint8_t level;     //!< highest on the way so far
    uint8_t toldLevel; //!< see toldPort

    static const FrameExtension EXTENSION;
};

/**
 * @brief How congested the links of a switch are, and the ways from its leaf to others: CONGA's
 * estimators (DRE) and tables (Alizadeh et al., SIGCOMM 2014, section 3). Conga puts one into each
 * of its switches.
 *
 * A switch counts the bytes that a port sends; an eighth goes every eighth of Tau, so that the
 * count over what the link carries in Tau is its use. Data and ACKs gather the highest of the way.
 * The last leaf notes it and tells the first one in what goes the other way, one port after the
 * other, changed ones first.
 */
class CongaMeter : public SwitchStage
{
  public:
    static constexpr uint8_t LEVELS = 8; //!< 3 bits

    static TypeId GetTypeId();

    /// @param tauPs time that the use of links is averaged over @param agePs when news are too old
    CongaMeter(int64_t tauPs, int64_t agePs);

    uint32_t GetHooks() const override
    {
        return ARRIVAL | DEQUEUE;
    }

    void Install(Switch& sw) override;
    Verdict OnArrival(Frame& frame, Port& in, int64_t nowPs) override;
    Verdict OnDequeue(Frame& frame,
                      Port& out,
                      const EgressScheduler& queue,
                      int64_t nowPs) override;

    /// @return use of a link, 0 to LEVELS - 1
    uint8_t GetLevel(uint16_t port, int64_t nowPs);

    /**
     * @param dst NIC at another leaf
     * @param port of this leaf
     * @return what that leaf has told of the way, 0 to LEVELS - 1; 0 if nothing or long ago
     */
    uint8_t GetToldLevel(uint32_t dst, uint16_t port, int64_t nowPs) const;

  private:
    /// CONGA's DRE.
    struct Estimator
    {
        uint64_t bytes{0};
        uint64_t fullBytes{1}; //!< if the link is fully used
        int64_t atPs{0};       //!< decayed until then
    };

    /// Of a way from here to another leaf.
    struct Told
    {
        uint8_t level{0};
        int64_t atPs{0};
    };

    /// Of a way from another leaf to here.
    struct Heard
    {
        uint8_t level{0};
        bool isThere{false};
        bool isNew{false}; //!< to be told
    };

    /// Another leaf.
    struct Leaf
    {
        std::vector<Told> told;   //!< by port of this switch
        std::vector<Heard> heard; //!< by port of that leaf
        std::size_t next{0};      //!< of heard, to be told
    };

    /// @return whether a NIC is at this leaf
    bool IsHere(uint32_t nic) const
    {
        return m_routing->GetRackOf(nic) == m_routing->GetOwnRack();
    }

    void Tell(Leaf& leaf, CongaTag& tag);

    const int64_t m_tauPs;
    const int64_t m_agePs;
    const Routing* m_routing{nullptr}; //!< of the switch
    std::vector<Estimator> m_ports;
    std::vector<Leaf> m_leaves; //!< by rack, if this is a leaf
};

} // namespace ns3::roce

#endif /* ROCE_CONGA_METER_H */
