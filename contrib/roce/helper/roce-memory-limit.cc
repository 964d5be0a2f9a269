/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-memory-limit.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

namespace ns3
{
namespace roce
{

double
GetMemoryLimitBytes()
{
    double bytes =
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    for (const auto resource : {RLIMIT_AS, RLIMIT_DATA})
    {
        rlimit limit;
        if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        {
            bytes = std::min(bytes, static_cast<double>(limit.rlim_cur));
        }
    }
    return bytes;
}

void
CheckMemory(const std::string& who, double count, const std::string& what, double bytesEach)
{
    const double most = GetMemoryLimitBytes();
    if (count * bytesEach <= most)
    {
        return;
    }
    std::ostringstream text;
    text << std::fixed << std::setprecision(0) << who << ": " << std::ceil(count) << " " << what
         << ", expected at most " << std::floor(most / bytesEach) << ": each takes at least "
         << bytesEach << " B, and there are " << std::setprecision(1) << most / 1e9
         << " GB of memory";
    throw InputError(text.str());
}

} // namespace roce
} // namespace ns3
