// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PORT_VIEWS_H
#define ROCE_PORT_VIEWS_H

#include "ns3/roce-network.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace ns3::roce
{

/// @brief What holds frames up at the ports of a network, those of other processes included.
class PortViews
{
  public:
    /// Of a port.
    struct View
    {
        uint32_t paused{0};                            //!< classes that it must not send
        uint32_t xoff{0};                              //!< classes; a switch's: XOFF is outstanding
        std::array<uint64_t, N_CLASSES> queuedBytes{}; //!< a switch's: bytes that wait there
        std::array<uint64_t, N_CLASSES> ingressBytes{}; //!< a switch's: held, and came in there
        std::array<std::string, N_CLASSES> held;        //!< what a scheduler holds back, text

        /// @return whether there is nothing to be seen
        bool IsEmpty() const;
    };

    /// @param network outlives this
    explicit PortViews(const Network& network)
        : m_network(network)
    {
    }

    /// @brief Look at all ports. By all processes.
    void Gather();

    /// @return its state at Gather()
    const View& Of(const Port& port) const
    {
        static const View nothing;
        const auto found = m_views.find(KeyOf(port));
        return found == m_views.end() ? nothing : found->second;
    }

    /// @return the switch it belongs to, or null for a NIC's
    static Switch* SwitchOf(const Port& port)
    {
        return dynamic_cast<Switch*>(port.GetOwner());
    }

  private:
    /// Node and interface.
    using Key = std::pair<uint32_t, uint32_t>;

    static Key KeyOf(const Port& port);
    static View LookHere(Port& port);
    /// For either direction. @param stream ByteWriter or ByteReader @param view written or read
    template <typename S, typename V>
    static void Visit(S& stream, V& view);

    const Network& m_network;
    std::map<Key, View> m_views; //!< of ports that something is held up at
};

} // namespace ns3::roce

#endif /* ROCE_PORT_VIEWS_H */
