// SPDX-License-Identifier: GPL-2.0-only
#include "roce-wrcc-header.h"

#include <algorithm>

namespace ns3::roce
{

namespace
{

/// Append the low n bytes of an integer, most significant first.
void
Put(std::vector<uint8_t>& out, uint32_t value, unsigned n)
{
    while (n-- > 0)
    {
        out.push_back(static_cast<uint8_t>(value >> (8 * n)));
    }
}

} // namespace

const FrameExtension WrccHeader::EXTENSION{"wrcc",
                                           {12, 12, 0, 0},
                                           true,
                                           [](const void* value, std::vector<uint8_t>& out) {
                                               const WrccHeader& header =
                                                   *static_cast<const WrccHeader*>(value);
                                               Put(out, header.domainId, 2);
                                               Put(out, header.fbdp, 2);
                                               Put(out, header.fairRateMbps, 4);
                                               Put(out, header.rttUs, 4);
                                           }};

const FrameExtension WrccFcnp::EXTENSION{"wrcc-fcnp",
                                         {0, 0, 0, 12},
                                         false,
                                         [](const void* value, std::vector<uint8_t>& out) {
                                             const WrccFcnp& fcnp =
                                                 *static_cast<const WrccFcnp*>(value);
                                             Put(out, fcnp.domainId, 2);
                                             Put(out, fcnp.fbdp, 2);
                                             Put(out, 0, 1);
                                             Put(out, fcnp.psn, 3);
                                             Put(out, fcnp.fairRateMbps, 4);
                                         }};

uint32_t
WrccMbps(double bps)
{
    return static_cast<uint32_t>(std::clamp(bps / 1e6, 1.0, 4294967295.0));
}

} // namespace ns3::roce
