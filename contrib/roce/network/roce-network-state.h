// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NETWORK_STATE_H
#define ROCE_NETWORK_STATE_H

#include <cstdint>

namespace ns3::roce
{

/**
 * @brief How far a Network is, and which of its functions may be called then.
 *
 * It is running as soon as simulated time has gone on since it was built.
 */
class NetworkState
{
  public:
    /// In this order, but for FAILED, which is Build() that has thrown.
    enum class Phase : uint8_t
    {
        OPEN,
        FAILED,
        BUILDING,
        BUILT,
        RUNNING,
        ENDED, //!< after Simulator::Destroy(): nodes, NICs and switches are gone
    };

    /// @brief The next step is done. @param phase any but RUNNING
    void Set(Phase phase);

    /// @return how far it is
    Phase Get() const;

    /**
     * @brief A function that adds something is called.
     * @param function its name, for the message: "AddHost()"
     * @throw InputError unless the network is open
     */
    void ExpectOpen(const char* function) const;

    /**
     * @brief A function is called that needs all that Build() makes.
     * @throw InputError unless the network is built (or under construction) and not ended
     */
    void ExpectBuilt(const char* function) const;

    /**
     * @brief A function is called that is for the time between Build() and the run.
     * @throw InputError at any other time
     */
    void ExpectNotRunning(const char* function) const;

    /**
     * @brief A function is called that looks at NICs, switches or links.
     * @throw InputError if these are gone
     */
    void ExpectThere(const char* function) const
    {
        if (__builtin_expect(m_phase == Phase::ENDED, 0))
        {
            Refuse(function, "after Simulator::Destroy(), expected before");
        }
    }

  private:
    [[noreturn]] static void Refuse(const char* function, const char* why);

    Phase m_phase{Phase::OPEN};
    int64_t m_builtPs{0};
};

} // namespace ns3::roce

#endif /* ROCE_NETWORK_STATE_H */
