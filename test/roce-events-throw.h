/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_EVENTS_THROW_H
#define ROCE_EVENTS_THROW_H

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace ns3
{
namespace roce
{
namespace test
{

/// For tests whose events throw: ns-3 does not free such an event, and what is allocated in this
/// thread while there is one of these is not looked for at the end.
struct EventsThrow
{
#ifdef __SANITIZE_ADDRESS__
    EventsThrow()
    {
        __lsan_disable();
    }

    ~EventsThrow()
    {
        __lsan_enable();
    }
#endif
};

} // namespace test
} // namespace roce
} // namespace ns3

#endif /* ROCE_EVENTS_THROW_H */
