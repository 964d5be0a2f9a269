// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_CUT_DIRECTION_H
#define ROCE_CUT_DIRECTION_H

#include "ns3/roce-link.h"
#include "ns3/roce-partition.h"
#include "ns3/roce-port.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

/// Frames on their way from one partition to another, in one direction of a link.
struct Parcel
{
    /// @brief Append them to the frames on the link. @param donePs the receiver has run so far
    void Deliver(int64_t donePs) const;

    Link::Direction* onLink;
    Frame* head;
    Frame* tail;
    int64_t firstPs; //!< when the first one arrives
    int64_t lastPs;
    uint64_t frames;
};

/// @brief What is sent on a link between two partitions, until the window ends.
class CutDirection final : public FrameSink
{
  public:
    static constexpr unsigned ELSEWHERE = UINT32_MAX; //!< a partition of another process

    /**
     * @param link that is cut
     * @param end the sending one
     * @param from partition of the sending station
     * @param to number of the receiving partition, or ELSEWHERE
     */
    CutDirection(Link& link, unsigned end, Partition& from, unsigned to);
    ~CutDirection() override;
    CutDirection(const CutDirection&) = delete;
    CutDirection& operator=(const CutDirection&) = delete;

    void Take(Frame* frame) override;

    /// @return number of the receiving partition, or ELSEWHERE
    unsigned GetTo() const
    {
        return m_to;
    }

    /// @return what has been sent, at least one frame, which is handed over
    Parcel Seal();

    /**
     * @brief Append what has been sent to bytes for another process: how many frames, and these.
     * @param out appended to
     * @return when the first one arrives there
     */
    int64_t Pack(std::string& out);

    /// @brief Stop the program if a frame comes too late. @param atPs when it arrives @param donePs
    /// the receiver has run so far
    static void CheckArrival(int64_t atPs, int64_t donePs);

  private:
    Ptr<Link> m_link; //!< it and the port are used as long as this lives
    Ptr<Port> m_port;
    Link::Direction& m_onLink;
    Link::Direction m_sent;
    Partition& m_from;
    const unsigned m_to;
};

/**
 * @brief What a partition has sent to others in a window. It writes, then they read.
 *
 * Parcels for the same receiver lie together. The memory is kept from round to round.
 */
class alignas(128) Outbox
{
  public:
    /**
     * @brief The window has ended: take what has been sent, in place of what was here.
     * @param sent directions with frames, none of them ELSEWHERE
     * @param partitions how many receivers there may be
     * @return when the first of all frames arrives
     */
    int64_t Fill(const std::vector<CutDirection*>& sent, unsigned partitions);

    /// @brief Deliver what is there for a partition. @param to it @param donePs it has run so far
    void DeliverTo(unsigned to, int64_t donePs) const;

    /// @brief Free frames that a partition is not going to get. @param to it
    void Discard(unsigned to);

  private:
    std::vector<Parcel> m_parcels;  //!< by receiver
    std::vector<uint32_t> m_begins; //!< of each receiver's parcels, and the end
};

} // namespace ns3::roce

#endif /* ROCE_CUT_DIRECTION_H */
