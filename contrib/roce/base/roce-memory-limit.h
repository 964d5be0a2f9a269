// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MEMORY_LIMIT_H
#define ROCE_MEMORY_LIMIT_H

#include <string>

namespace ns3::roce
{

/**
 * @param groups contents of /proc/self/cgroup
 * @param root folder where control groups are mounted, /sys/fs/cgroup
 * @return bytes of memory that the control groups of a process and all groups above them allow it,
 * of version 1 or 2; infinity without a limit
 */
double GetGroupLimitBytes(const std::string& groups, const std::string& root);

/// @return bytes of memory this process may use: the machine's, or less by a limit on it (ulimit -v
/// or -d, control groups as of containers and batch systems)
double GetMemoryLimitBytes();

/**
 * @brief Refuse what does not fit into memory, before it is made.
 * @param who begins the message, for example "all-to-all workload"
 * @param count number of what is to be made
 * @param what it is, for example "flows"
 * @param bytesEach memory of each, at the least
 * @throw InputError with the numbers if together they need more than GetMemoryLimitBytes()
 */
void CheckMemory(const std::string& who, double count, const std::string& what, double bytesEach);

} // namespace ns3::roce

#endif /* ROCE_MEMORY_LIMIT_H */
