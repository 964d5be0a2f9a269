// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_STATION_HANDLE_H
#define ROCE_STATION_HANDLE_H

#include "ns3/ptr.h"
#include "ns3/roce-wake-timer.h"

#include <type_traits>

namespace ns3::roce
{

/**
 * @brief A NIC or a switch as it is seen from outside. Each access first brings the station up to
 * date (Station::CatchUp).
 *
 * It turns into a Ptr, for ns-3's functions. Code that keeps that Ptr until a later event must call
 * CatchUp() again; code that keeps the handle need not.
 *
 * @tparam T Nic or Switch
 */
template <typename T>
class StationHandle
{
  public:
    /// @param station its owner outlives the handle
    explicit StationHandle(T* station)
        : m_station(station)
    {
    }

    /// @return the station, caught up
    T* operator->() const
    {
        m_station->CatchUp(NowPs());
        return m_station;
    }

    /// @return the station, caught up
    T& operator*() const
    {
        return *operator->();
    }

    /**
     * @tparam B T or a base of it, such as Port of a Nic
     * @return the station, caught up until now
     */
    template <typename B, typename = std::enable_if_t<std::is_convertible_v<T*, B*>>>
    operator Ptr<B>() const
    {
        return Ptr<B>(operator->());
    }

    /**
     * @param handle what ns-3's function of this name is asked for
     * @return the station, caught up until now
     */
    friend T* PeekPointer(const StationHandle& handle)
    {
        return handle.operator->();
    }

    /// @return the station as it is, for what does not change with time: ids, names, parameters
    T* Peek() const
    {
        return m_station;
    }

  private:
    T* m_station;
};

} // namespace ns3::roce

#endif /* ROCE_STATION_HANDLE_H */
