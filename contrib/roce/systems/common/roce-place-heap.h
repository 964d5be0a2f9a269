// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PLACE_HEAP_H
#define ROCE_PLACE_HEAP_H

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Which of many numbered objects is due first, equal times by number. It knows the place of
 * each, so that a time can change at O(log n) and nothing out of date remains.
 * @tparam Due time, an integer of ps; or what counts comparisons (a test)
 */
template <typename Due>
class BasicPlaceHeap
{
  public:
    /// @return whether there is nothing
    bool IsEmpty() const
    {
        return m_heap.empty();
    }

    /// @return objects in it
    std::size_t GetSize() const
    {
        return m_heap.size();
    }

    /// @return number of the first
    uint32_t GetFirst() const
    {
        return m_heap.front().second;
    }

    Due GetFirstPs() const
    {
        return m_heap.front().first;
    }

    /// @brief Put in an object that is not there.
    void Push(uint32_t number, Due atPs)
    {
        if (number >= m_places.size())
        {
            m_places.resize(number + 1);
        }
        m_heap.emplace_back(atPs, number);
        SiftUp(m_heap.size() - 1);
    }

    /// @brief Take out the first.
    void Pop()
    {
        m_heap.front() = m_heap.back();
        m_heap.pop_back();
        if (!m_heap.empty())
        {
            SiftDown(0);
        }
    }

    /// @brief An object that is there has another time.
    void Move(uint32_t number, Due atPs)
    {
        m_heap[m_places[number]].first = atPs;
        SiftUp(m_places[number]);
        SiftDown(m_places[number]);
    }

  private:
    using Entry = std::pair<Due, uint32_t>;

    void Put(std::size_t place, const Entry& entry)
    {
        m_heap[place] = entry;
        m_places[entry.second] = static_cast<uint32_t>(place);
    }

    void SiftUp(std::size_t place)
    {
        const Entry entry = m_heap[place];
        for (; place && entry < m_heap[(place - 1) / 2]; place = (place - 1) / 2)
        {
            Put(place, m_heap[(place - 1) / 2]);
        }
        Put(place, entry);
    }

    void SiftDown(std::size_t place)
    {
        const Entry entry = m_heap[place];
        for (std::size_t child = 2 * place + 1; child < m_heap.size(); child = 2 * place + 1)
        {
            child += child + 1 < m_heap.size() && m_heap[child + 1] < m_heap[child];
            if (entry < m_heap[child])
            {
                break;
            }
            Put(place, m_heap[child]);
            place = child;
        }
        Put(place, entry);
    }

    std::vector<Entry> m_heap;
    std::vector<uint32_t> m_places; //!< by number; valid for those in the heap
};

using PlaceHeap = BasicPlaceHeap<int64_t>;

} // namespace ns3::roce

#endif /* ROCE_PLACE_HEAP_H */
