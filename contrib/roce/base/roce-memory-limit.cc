// SPDX-License-Identifier: GPL-2.0-only
#include "roce-memory-limit.h"

#include "roce-input-error.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <limits>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

namespace ns3::roce
{

namespace
{

/// The least number in a file and in those of its name in the folders above it, as far up as root.
double
LeastUpwards(const std::string& root, std::string group, const std::string& file)
{
    double least = std::numeric_limits<double>::infinity();
    while (true)
    {
        std::ifstream in(root + group + "/" + file);
        if (double bytes; in >> bytes) // "max": none
        {
            least = std::min(least, bytes);
        }
        const std::size_t slash = group.rfind('/');
        if (slash == std::string::npos)
        {
            return least;
        }
        group.erase(slash);
    }
}

} // namespace

double
GetGroupLimitBytes(const std::string& groups, const std::string& root)
{
    double bytes = std::numeric_limits<double>::infinity();
    std::istringstream lines(groups);
    for (std::string line; std::getline(lines, line);)
    {
        // NUMBER:CONTROLLER,...:/PATH; version 2 has no controllers.
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos)
        {
            continue;
        }
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        const std::string group = line.substr(second + 1);
        if (controllers == ",,")
        {
            bytes = std::min({bytes,
                              LeastUpwards(root, group, "memory.max"),
                              LeastUpwards(root + "/unified", group, "memory.max")});
        }
        else if (controllers.find(",memory,") != std::string::npos)
        {
            bytes = std::min(bytes, LeastUpwards(root + "/memory", group, "memory.limit_in_bytes"));
        }
    }
    return bytes;
}

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
    std::ostringstream groups;
    groups << std::ifstream("/proc/self/cgroup").rdbuf();
    return std::min(bytes, GetGroupLimitBytes(groups.str(), "/sys/fs/cgroup"));
}

void
CheckMemory(const std::string& who, double count, const std::string& what, double bytesEach)
{
    constexpr double SMALL_BYTES = 16 << 20; // for which no file is asked
    if (count * bytesEach <= SMALL_BYTES)
    {
        return;
    }
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

} // namespace ns3::roce
