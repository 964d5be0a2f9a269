// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MESSAGE_QUEUES_H
#define ROCE_MESSAGE_QUEUES_H

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Receives or messages that wait for their counterpart, first in first out for each source
 * and tag. Most queues hold one or none, and there may be many.
 *
 * @tparam T copyable
 */
template <typename T>
class MessageQueues
{
  public:
    using Key = std::pair<uint32_t, uint64_t>; //!< source and tag

    /// @param value the last of its queue from now on
    void Push(const Key& key, const T& value)
    {
        uint32_t place = m_free;
        if (place == NONE)
        {
            place = static_cast<uint32_t>(m_nodes.size());
            m_nodes.push_back({value, NONE});
        }
        else
        {
            m_free = m_nodes[place].next;
            m_nodes[place] = {value, NONE};
        }
        const auto [found, isNew] = m_queues.try_emplace(key, Queue{place, place});
        if (!isNew)
        {
            m_nodes[found->second.last].next = place;
            found->second.last = place;
        }
    }

    /// @return the first of a queue, or null
    const T* Peek(const Key& key) const
    {
        const auto found = m_queues.find(key);
        return found == m_queues.end() ? nullptr : &m_nodes[found->second.first].value;
    }

    /// @brief Take out the first. @param key of a queue that is not empty @return it
    T Pop(const Key& key)
    {
        const auto found = m_queues.find(key);
        const uint32_t place = found->second.first;
        const uint32_t next = m_nodes[place].next;
        if (next == NONE)
        {
            m_queues.erase(found);
        }
        else
        {
            found->second.first = next;
        }
        m_nodes[place].next = m_free;
        m_free = place;
        return m_nodes[place].value;
    }

    /// @brief Look at the first of each queue, in any order. @param see called with key and value
    template <typename F>
    void ForEach(F&& see) const
    {
        for (const auto& [key, queue] : m_queues)
        {
            see(key, m_nodes[queue.first].value);
        }
    }

  private:
    static constexpr uint32_t NONE = UINT32_MAX;

    struct Node
    {
        T value;
        uint32_t next;
    };

    struct Queue
    {
        uint32_t first;
        uint32_t last;
    };

    struct Hash
    {
        std::size_t operator()(const Key& key) const
        {
            return (uint64_t{key.first} << 32 ^ key.second) * 0x9e3779b97f4a7c15U;
        }
    };

    std::vector<Node> m_nodes;
    uint32_t m_free{NONE}; //!< first node that is not in use
    std::unordered_map<Key, Queue, Hash> m_queues;
};

} // namespace ns3::roce

#endif /* ROCE_MESSAGE_QUEUES_H */
