// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TAIL_CONTEST_H
#define ROCE_TAIL_CONTEST_H

#include "ns3/roce-frame.h"

#include <cstdint>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Which of the frames that came in at the same time gets the last place of a full drop-tail
 * queue.
 *
 * If the frame that goes last in the queue came in while the refused one did, a real switch, which
 * takes in frames by pieces, may as well have refused that one; without this, who is a picosecond
 * earlier would lose nothing for as long as the senders keep their pace (Floyd and Jacobson, On
 * traffic phase effects in packet-switched gateways, 1992). Each of the frames that want the place
 * gets it with the same probability.
 */
class TailContest
{
  public:
    /// @param nPorts egress ports of the switch
    void SetUp(uint16_t nPorts)
    {
        m_rounds.resize(nPorts);
    }

    /**
     * @brief One more frame wants the place. If it gets it, the two exchange places, as if they had
     * come in the other order.
     * @param last last in the queue, of the same size
     * @param frame refused
     * @param key random number
     * @param keepsMark stages mark what is queued: the mark of the place stays there
     */
    void Run(Frame& last, Frame& frame, uint16_t outPort, uint64_t key, bool keepsMark);

  private:
    /// Those that have wanted one place.
    struct Round
    {
        const Frame* holder{nullptr}; //!< last in the queue
        int64_t arrivedPs{-1};        //!< when it arrived
        uint32_t refused{0};          //!< how many others there were
    };

    std::vector<Round> m_rounds; //!< the last one, by egress port
};

} // namespace ns3::roce

#endif /* ROCE_TAIL_CONTEST_H */
