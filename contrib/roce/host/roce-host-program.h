// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_HOST_PROGRAM_H
#define ROCE_HOST_PROGRAM_H

#include <cstdint>

namespace ns3::roce
{

struct MessageRecord;

/**
 * @brief What runs at a NIC's host and sends when others are done: see Nic::SetProgram().
 *
 * It is called within the station, in its thread, at the exact times, which Simulator::Now() may be
 * past. So it touches nothing but itself and that NIC, where Run() may open queue pairs and post.
 */
class HostProgram
{
  public:
    virtual ~HostProgram() = default;

    /// @brief The host has a message. Run() follows at the same time. @param cookie see
    /// Nic::Post()
    virtual void OnReceived(uint64_t cookie, int64_t atPs) = 0;

    /// @brief The host sees a completion. Run() follows at the same time.
    virtual void OnCompleted(const MessageRecord& record) = 0;

    /// @return when Run() is wanted next, or NEVER_PS
    virtual int64_t NextPs() const = 0;

    /// @brief Do what is due, all of it. @param atPs present time
    virtual void Run(int64_t atPs) = 0;
};

} // namespace ns3::roce

#endif /* ROCE_HOST_PROGRAM_H */
