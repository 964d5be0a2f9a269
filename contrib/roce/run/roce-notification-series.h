// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NOTIFICATION_SERIES_H
#define ROCE_NOTIFICATION_SERIES_H

#include "ns3/roce-frame.h"

#include <cstdint>

namespace ns3::roce
{

/// @brief How notifications.csv calls a mechanism's notifications, and what it reads in them.
struct NotificationForm
{
    uint32_t mechanism; //!< Frame::msn of frames of kind NOTIFICATION
    const char* name;   //!< as column kind has it
    /// @return the rate that a notification of this mechanism names, bit/s. Null: it names none
    uint64_t (*rateBps)(const Frame& notification){nullptr};

    /// @brief Add one, before a run. @return true, for the initialisation of a static variable
    static bool Register(const NotificationForm& form);
};

} // namespace ns3::roce

#endif /* ROCE_NOTIFICATION_SERIES_H */
