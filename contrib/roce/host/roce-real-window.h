// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_REAL_WINDOW_H
#define ROCE_REAL_WINDOW_H

namespace ns3::roce
{

/**
 * @brief A rate law whose window is a real number, but which sends whole packets.
 *
 * CongestionControl::GetWindowBytes() is the rounded window, one packet at least. A rate computed
 * from a window needs the number itself: of 1.9 packets, a whole one is about half.
 */
class RealWindow
{
  public:
    virtual ~RealWindow() = default;

    /// @return current window, wire bytes; after CongestionControl::Start()
    virtual double GetRealWindowBytes() const = 0;
};

} // namespace ns3::roce

#endif /* ROCE_REAL_WINDOW_H */
