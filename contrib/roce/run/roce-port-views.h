// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PORT_VIEWS_H
#define ROCE_PORT_VIEWS_H

#include "ns3/roce-network.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief What holds frames up at the ports of a network, those of other processes included.
 */
class PortViews
{
  public:
    /// @param network outlives this
    explicit PortViews(const Network& network)
        : m_network(network)
    {
    }

    /// @brief Get the state of ports of other processes. By all processes; with one it is free.
    void Gather();

    /// @param port one @param trafficClass class @return whether it must not send the class
    bool IsPaused(Port& port, uint8_t trafficClass) const
    {
        return Look(port).paused >> trafficClass & 1;
    }

    /// @param port one @param trafficClass class @return bytes that wait there, if it is a switch's
    uint64_t GetQueuedBytes(Port& port, uint8_t trafficClass) const
    {
        return Look(port).queuedBytes[trafficClass];
    }

    /// @param port one @param trafficClass class @return what the port of a switch holds back, text
    std::string DescribeHeld(Port& port, uint8_t trafficClass) const
    {
        return Look(port).held[trafficClass];
    }

    /// @param port of a switch @param trafficClass class @return whether it has an XOFF outstanding
    bool HasXoff(Port& port, uint8_t trafficClass) const
    {
        return Look(port).xoff >> trafficClass & 1;
    }

    /// @param port of a switch @param trafficClass class @return bytes held that came in there
    uint64_t GetIngressBytes(Port& port, uint8_t trafficClass) const
    {
        return Look(port).ingressBytes[trafficClass];
    }

    /// @param port any @return the switch it belongs to, or null for a NIC's
    static Switch* SwitchOf(const Port& port)
    {
        return dynamic_cast<Switch*>(port.GetOwner());
    }

  private:
    /// Of a port.
    struct View
    {
        uint32_t paused{0}; //!< classes
        uint32_t xoff{0};   //!< classes
        std::array<uint64_t, N_CLASSES> queuedBytes{};
        std::array<uint64_t, N_CLASSES> ingressBytes{};
        std::array<std::string, N_CLASSES> held;
    };

    /// @param port one @return its state now, or at Gather() if another process has it
    View Look(Port& port) const;
    static View LookHere(Port& port);
    /// For either direction. @param stream ByteWriter or ByteReader @param view written or read
    template <typename S, typename V>
    static void Visit(S& stream, V& view);

    const Network& m_network;
    std::map<std::pair<uint32_t, uint32_t>, View> m_others; //!< by node and interface
};

} // namespace ns3::roce

#endif /* ROCE_PORT_VIEWS_H */
