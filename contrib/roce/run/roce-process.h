// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PROCESS_H
#define ROCE_PROCESS_H

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief Set-up of a process before it opens any file, and at its end.
 */
struct Process
{
    /**
     * @brief Call it first; a second call does nothing. Standard streams that are closed are opened
     * on /dev/null: else the next file opened would get the output. A file that reaches the limit
     * of its size (SIGXFSZ) is a write error instead of a silent death. When the process ends by
     * exit(), FlushOutput() is called.
     */
    static void Begin();

    /**
     * @brief Write out standard output. If that cannot be written, say so on standard error, once.
     * @return whether all of it has been written
     */
    static bool FlushOutput();
};

} // namespace ns3::roce

#endif /* ROCE_PROCESS_H */
