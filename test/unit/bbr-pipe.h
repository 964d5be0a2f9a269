// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_BBR_PIPE_H
#define ROCE_BBR_PIPE_H

#include "roce-law-fixture.h"

#include "ns3/roce-bbr.h"

#include <algorithm>
#include <deque>

namespace ns3::roce::test
{

constexpr uint32_t FRAME = 1000;

/// The sender's line is 100 Gbit/s, the path takes 100 us: BDP 1.25 MB, 1250 frames.
const PathInfo PIPE_PATH = MakePath(G100, 100 * US, FRAME);

/// Opens the state.
struct OpenBbr : public Bbr
{
    using Bbr::m_phase;
    using Bbr::m_recovering;
    using Bbr::m_rounds;
    using Bbr::m_state;
};

/// @return RTprop, ps; 0 before the first sample
inline int64_t
RtPropPs(const Bbr& bbr)
{
    return std::llround(Variable(bbr, "rt_prop_ns") * 1000);
}

/// A sender, a queue in front of a slower link, and ACKs after 100 us less its own time.
class Pipe
{
  public:
    explicit Pipe(const Attributes& attributes = {}, int64_t frameTimePs = 800000)
        : cc(MakeLaw<OpenBbr>(attributes, PIPE_PATH)),
          frameTimePs(frameTimePs) // 10 Gbit/s: BDP 125 frames
    {
    }

    /// Until the given time or until a condition holds after an ACK; false if it never did.
    template <typename F>
    bool RunUntil(int64_t endPs, F&& done)
    {
        while (true)
        {
            const bool send = posted && inflight < cc->GetWindowBytes();
            const int64_t sendPs = send ? std::max(now, nextSendPs) : NEVER_PS;
            const int64_t ackPs = acks.empty() ? NEVER_PS : acks.front().atPs;
            now = std::min(std::max(now, std::min(sendPs, ackPs)), endPs);
            if (std::min(sendPs, ackPs) >= endPs)
            {
                return false;
            }
            if (sendPs < ackPs)
            {
                Send();
                continue;
            }
            Ack();
            if (done())
            {
                return true;
            }
        }
    }

    void Run(int64_t endPs)
    {
        RunUntil(endPs, []() { return false; });
    }

    /// Until BBR is in a state.
    bool RunTo(BbrState state, int64_t endPs)
    {
        return RunUntil(endPs, [&]() { return cc->m_state == state; });
    }

    /// Bytes in the queue, with the one that leaves it.
    double Queue() const
    {
        return static_cast<double>(std::max<int64_t>(freePs - now, 0)) /
               static_cast<double>(frameTimePs) * FRAME;
    }

    Ptr<OpenBbr> cc;
    int64_t frameTimePs;
    int64_t now{0};
    uint64_t inflight{0};
    uint64_t posted{UINT64_MAX}; //!< frames to send
    uint64_t acked{0};           //!< frames
    bool lossNext{false};        //!< the next ACK tells of a loss
    int64_t extraPs{0};          //!< more propagation delay

  private:
    struct Due
    {
        int64_t atPs;
        int64_t sentPs;
    };

    void Send()
    {
        roce::test::Send(*cc, now, FRAME);
        --posted;
        inflight += FRAME;
        nextSendPs =
            now + static_cast<int64_t>(FRAME * 8e12 / static_cast<double>(cc->GetRateBps()));
        freePs = std::max(freePs, now) + frameTimePs;
        acks.push_back({freePs - frameTimePs + 100 * US + extraPs, now});
    }

    void Ack()
    {
        AckInfo ack;
        ack.nowPs = now;
        ack.rttPs = now - acks.front().sentPs;
        ack.ackedBytes = FRAME;
        ack.ackedPackets = 1;
        inflight -= FRAME;
        ack.inflightBytes = inflight;
        ack.hasMore = posted > 0;
        ack.isLoss = lossNext;
        lossNext = false;
        acks.pop_front();
        ++acked;
        cc->OnAck(ack);
    }

    std::deque<Due> acks;
    int64_t nextSendPs{0};
    int64_t freePs{0};
};

} // namespace ns3::roce::test

#endif /* ROCE_BBR_PIPE_H */
