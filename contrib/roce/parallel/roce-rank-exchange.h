// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RANK_EXCHANGE_H
#define ROCE_RANK_EXCHANGE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace ns3::roce
{

/**
 * @brief The processes that run a simulation together, on one machine or several, as seen by one of
 * them. They are numbered; all call the same functions in the same order.
 */
class RankExchange
{
  public:
    virtual ~RankExchange() = default;

    /// @return number of this process
    virtual unsigned GetRank() const = 0;

    /// @return number of processes, at least 2
    virtual unsigned GetN() const = 0;

    /**
     * @brief Send bytes to all processes.
     * @param own bytes of this process
     * @return those of each process, by its number
     */
    virtual std::vector<std::string> Gather(const std::string& own) = 0;

    /**
     * @brief Send a few numbers to all processes and bytes to each.
     * @param [in,out] numbers of this process; as many everywhere. Then those of all processes, by
     * number of the process
     * @param toEach bytes for each process, by its number; none for itself
     * @return bytes from each process, by its number
     */
    virtual std::vector<std::string> Swap(std::vector<int64_t>& numbers,
                                          const std::vector<std::string>& toEach) = 0;

    /**
     * @brief Make one list of those of all processes.
     * @tparam T a number, or a structure without pointers
     * @param own list of this process
     * @return all lists, in order of processes
     */
    template <typename T>
    std::vector<T> Join(const std::vector<T>& own)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        std::vector<T> all;
        for (const std::string& bytes :
             Gather(std::string(reinterpret_cast<const char*>(own.data()), own.size() * sizeof(T))))
        {
            const std::size_t first = all.size();
            all.resize(first + bytes.size() / sizeof(T));
            if (!bytes.empty())
            {
                std::memcpy(static_cast<void*>(all.data() + first), bytes.data(), bytes.size());
            }
        }
        return all;
    }

    /**
     * @brief Add up.
     * @param own numbers of this process; as many everywhere
     * @return their sums over all processes
     */
    std::vector<uint64_t> Sum(const std::vector<uint64_t>& own)
    {
        const std::vector<uint64_t> all = Join(own);
        std::vector<uint64_t> sums(own.size());
        for (std::size_t i = 0; i < all.size(); ++i)
        {
            sums[i % sums.size()] += all[i];
        }
        return sums;
    }

    /// @param own number of this process @return the largest of all processes
    int64_t Largest(int64_t own)
    {
        const std::vector<int64_t> all = Join(std::vector<int64_t>{own});
        return *std::max_element(all.begin(), all.end());
    }
};

} // namespace ns3::roce

#endif /* ROCE_RANK_EXCHANGE_H */
