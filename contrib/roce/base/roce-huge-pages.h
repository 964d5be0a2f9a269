// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_HUGE_PAGES_H
#define ROCE_HUGE_PAGES_H

#include <cstddef>

namespace ns3::roce
{

/**
 * @brief Large networks in few pages.
 *
 * A hop of a frame touches some dozen places anywhere in memory. With pages of 4 KiB and more than
 * a few hundred MiB most of their addresses are not in the processor's TLB. Linux gives pages of 2
 * MiB to programs that ask (madvise(2)), if /sys/kernel/mm/transparent_hugepage/enabled says
 * madvise or always; else, and elsewhere, nothing happens. Contents and results do not depend on
 * it.
 */
struct HugePages
{
    static constexpr std::size_t BYTES = std::size_t{2} << 20; //!< of a page

    /**
     * @brief Ask for huge pages between two addresses.
     * @param begin start of a mapped memory range
     * @param end first address after it
     * @return bytes that could be asked for: whole pages between them, 0 if the system refuses
     */
    static std::size_t Ask(void* begin, void* end);

    /**
     * @brief Ask for huge pages for malloc()'s heap so far, if it is large.
     *
     * Written memory is moved, and huge pages are asked for later allocations, too (with glibc;
     * memory that is not written to is not used).
     * @return see Ask()
     */
    static std::size_t AskForHeap();
};

} // namespace ns3::roce

#endif /* ROCE_HUGE_PAGES_H */
