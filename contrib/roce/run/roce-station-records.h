// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_STATION_RECORDS_H
#define ROCE_STATION_RECORDS_H

#include "roce-time-order.h"
#include "roce-watching.h"

#include "ns3/roce-byte-stream.h"
#include "ns3/roce-network.h"
#include "ns3/roce-rank-exchange.h"
#include "ns3/roce-run-watcher.h"
#include "ns3/roce-scoped-value.h"
#include "ns3/roce-wake-timer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Records of many stations on their way to one file: sinks of trace sources add them while
 * stations run, in any thread or process, and get them back in the order of TimeOrder.
 *
 * Memory is bounded by what happens within the time by which stations are late, and with several
 * processes between some of their meetings. The first process gets the records of all.
 *
 * @tparam T a record
 */
template <typename T>
class StationRecords final : public RunWatcher
{
  public:
    /// What becomes of records.
    struct Use
    {
        /// Takes the next one. Called by the first process only.
        std::function<void(int64_t atPs, const T& record)> write;
        /// Nothing happens before a time any more: adds what is only known then. May be empty.
        std::function<void(int64_t untilPs)> settle;
        /// Appends a record to bytes for another process, which unpack takes back. Empty: as it is.
        std::function<void(const T& record, std::string& bytes)> pack;
        /// See pack.
        std::function<T(ByteReader& bytes)> unpack;
    };

    /// @param network built; outlives this @param use see Use
    StationRecords(const Network& network, Use use)
        : m_network(network),
          m_use(std::move(use)),
          m_latePs(GetLargestSlackPs(network))
    {
    }

    /**
     * @brief Add a record.
     * @param key see TimeOrder: those of a key come from one station
     * @param record it
     */
    void Push(int64_t atPs, uint64_t key, const T& record)
    {
        if (!m_network.GetParallelRun())
        {
            m_order.Push(atPs, key, record);
            if (m_order.IsFull() && !m_isReleasing)
            {
                Release(NowPs() - m_latePs);
            }
            return;
        }
        Shelf& shelf = m_shelves[key * 0x9e3779b97f4a7c15ULL >> (64 - SHELF_BITS)];
        const std::lock_guard<std::mutex> lock(shelf.mutex);
        shelf.items.push_back({atPs, key, record});
    }

    /// @brief Put what has been added into order. While no thread is at work; by all processes.
    void Collect()
    {
        RankExchange* const ranks = m_network.GetRanks();
        std::string own;
        for (Shelf& shelf : m_shelves)
        {
            for (const Item& item : shelf.items)
            {
                ranks ? Pack(item, own) : m_order.Push(item.atPs, item.key, item.record);
            }
            shelf.items.clear();
        }
        for (const std::string& bytes : ranks ? ranks->Gather(own) : std::vector<std::string>())
        {
            for (ByteReader reader(bytes); ranks->GetRank() == 0 && !reader.IsEmpty();)
            {
                const auto atPs = reader.Get<int64_t>();
                const auto key = reader.Get<uint64_t>();
                m_order.Push(atPs, key, m_use.unpack ? m_use.unpack(reader) : Plain(reader));
            }
        }
    }

    /// @brief Write the rest. After the run, with the network caught up; by all processes.
    void Finish()
    {
        Release(INT64_MAX);
    }

    void OnSettled(const ParallelRun& run, int64_t untilPs) override
    {
        if (&run != m_network.GetParallelRun())
        {
            return;
        }
        // Processes do not know whether another one has many: they exchange now and then.
        const bool isShared = m_network.GetRanks();
        if (!isShared)
        {
            Collect();
        }
        if (isShared ? ++m_meetings % MEETINGS == 0 : m_order.IsFull())
        {
            Release(untilPs);
        }
    }

  private:
    /// With more than a few of them threads do not wait for each other.
    static constexpr unsigned SHELF_BITS = 6;
    static constexpr uint64_t MEETINGS = 16; //!< of processes, from exchange to exchange

    struct Item
    {
        int64_t atPs;
        uint64_t key;
        T record;
    };

    /// Records of some keys, in the order in which their stations have added them.
    struct alignas(64) Shelf
    {
        std::mutex mutex;
        std::vector<Item> items;
    };

    static T Plain(ByteReader& reader)
    {
        if constexpr (std::is_trivially_copyable_v<T>)
        {
            T record;
            reader(record);
            return record;
        }
        return T();
    }

    void Pack(const Item& item, std::string& bytes) const
    {
        ByteWriter writer(bytes);
        writer(item.atPs)(item.key);
        m_use.pack ? m_use.pack(item.record, bytes) : void(writer(item.record));
    }

    void Release(int64_t untilPs)
    {
        const ScopedValue<bool> releasing(m_isReleasing, true, false);
        if (m_use.settle)
        {
            m_use.settle(untilPs);
        }
        Collect();
        m_order.Release(untilPs, m_use.write);
    }

    const Network& m_network;
    const Use m_use;
    const int64_t m_latePs; //!< in one thread, stations are late by at most that
    std::array<Shelf, 1 << SHELF_BITS> m_shelves; //!< added by several threads
    TimeOrder<T> m_order;
    uint64_t m_meetings{0};
    bool m_isReleasing{false};
};

} // namespace ns3::roce

#endif /* ROCE_STATION_RECORDS_H */
