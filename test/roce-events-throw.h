// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_EVENTS_THROW_H
#define ROCE_EVENTS_THROW_H

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace ns3::roce::test
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

} // namespace ns3::roce::test

#endif /* ROCE_EVENTS_THROW_H */
