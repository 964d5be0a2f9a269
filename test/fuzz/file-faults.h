// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FUZZ_FILE_FAULTS_H
#define ROCE_FUZZ_FILE_FAULTS_H

#include <cstdint>
#include <string>

/**
 * @brief Faults of the file system at a chosen operation: the C library's functions on files that
 * this program defines itself count their calls, and fail or kill the process when told to.
 *
 * Standard streams are left alone. The count is shared with processes forked later.
 */
class FileFaults
{
  public:
    /// Count from 0 again, nothing is to fail; before fork().
    static void Reset();

    /**
     * @brief Begin to count.
     * @param fault N:kill or N:ERRNO as a number, for the Nth operation (from 1); empty: only count
     */
    static void Arm(const std::string& fault);

    /// @return operations so far
    static uint64_t Count();
};

#endif /* ROCE_FUZZ_FILE_FAULTS_H */
