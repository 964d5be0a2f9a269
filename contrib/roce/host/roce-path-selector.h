// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PATH_SELECTOR_H
#define ROCE_PATH_SELECTOR_H

#include "roce-congestion-control.h"

#include "ns3/object.h"
#include "ns3/roce-hash.h"

#include <cstdint>

namespace ns3::roce
{

class Deployment;

/**
 * @brief Which path the next frame of a sending queue pair takes: the entropy (UDP source port)
 * that switches hash.
 *
 * Packets of ns-3 (FrameKind::PACKET) are no business of it: switches hash their 5-tuple.
 *
 * The NIC makes one prototype for its attribute PathSelector and Fork()s it for each queue pair,
 * unless it is static: then every frame has the flow's own entropy and there is no object.
 */
class PathSelector : public Object
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    PathSelector() = default;
    ~PathSelector() override = default;

    /// @return a copy with the same parameters, for one more queue pair
    virtual Ptr<PathSelector> Fork() const = 0;

    /// @return whether every frame of a flow takes the flow's own entropy
    virtual bool IsStatic() const
    {
        return false;
    }

    /// @return whether each frame takes another path, loss or not
    virtual bool IsPerPacket() const
    {
        return false;
    }

    /**
     * @brief Asked once before a run, of the prototype.
     * @param deployment what runs together in the network
     * @param interDc for flows between datacenters, or for the others
     * @throw InputError if this path selector makes no sense there
     */
    virtual void Check([[maybe_unused]] const Deployment& deployment,
                       [[maybe_unused]] bool interDc) const
    {
    }

    /// @return whether data must be ECN-capable, whatever the rate law says
    virtual bool NeedsEcn() const
    {
        return false;
    }

    /// @return whether data must carry a time stamp, whatever the rate law says
    virtual bool NeedsTimestamp() const
    {
        return false;
    }

    /**
     * @brief The queue pair has been made.
     * @param path what is known of the path of its own entropy
     * @param entropy its own
     * @param seed of its random choices
     * @throw InputError for parameters that make no sense
     */
    void Start(const PathInfo& path, uint16_t entropy, uint64_t seed)
    {
        m_entropy = entropy;
        m_random = seed;
        m_moves = 0;
        DoStart(path);
    }

    /**
     * @brief A frame is about to be sent.
     * @param nowPs start of its transmission
     * @param inflightBytes wire bytes outstanding before it
     * @return its entropy
     */
    virtual uint16_t Select(int64_t nowPs, uint64_t inflightBytes) = 0;

    /// @brief An ACK or NAK with news has arrived. @param ack its contents
    virtual void OnAck([[maybe_unused]] const AckInfo& ack)
    {
    }

    /**
     * @brief A packet is lost, and the loss recovery knows its path. Followed by OnAck() with
     * isLoss or OnTimeout().
     * @param entropy of its last transmission
     * @param nowPs current time
     */
    virtual void OnLoss([[maybe_unused]] uint16_t entropy, [[maybe_unused]] int64_t nowPs)
    {
    }

    /**
     * @brief A packet is lost that is no longer needed, since a code has replaced it: nothing is
     * repeated, and nothing else is notified.
     * @param entropy of its last transmission
     * @param nowPs current time
     */
    virtual void OnCoveredLoss([[maybe_unused]] uint16_t entropy, [[maybe_unused]] int64_t nowPs)
    {
    }

    /// @brief The retransmission timeout has run out. @param nowPs current time
    virtual void OnTimeout([[maybe_unused]] int64_t nowPs)
    {
    }

    /// @return times the flow has been moved to another path
    uint64_t GetMoves() const
    {
        return m_moves;
    }

  protected:
    /// @brief Subclass part of Start(). @param path what is known of the path
    virtual void DoStart([[maybe_unused]] const PathInfo& path)
    {
    }

    /// @return 64 random bits (SplitMix64, Steele et al., OOPSLA 2014)
    uint64_t Draw()
    {
        m_random += 0x9e3779b97f4a7c15ULL;
        return Mix64(m_random);
    }

    /// @return an entropy of the dynamic port range
    uint16_t DrawEntropy()
    {
        return static_cast<uint16_t>(0xc000 | (Draw() >> 50));
    }

    /// @brief Take another path from now on.
    void Move()
    {
        m_entropy = DrawEntropy();
        ++m_moves;
    }

    uint16_t m_entropy{0}; //!< of the present path
    uint64_t m_random{0};  //!< state of Draw()
    uint64_t m_moves{0};   //!< see GetMoves()
};

/// @brief ECMP: every frame of a flow has the flow's own entropy, so they stay in order.
class FlowHash : public PathSelector
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    Ptr<PathSelector> Fork() const override;

    bool IsStatic() const override
    {
        return true;
    }

    uint16_t Select(int64_t nowPs, uint64_t inflightBytes) override;
};

} // namespace ns3::roce

#endif /* ROCE_PATH_SELECTOR_H */
