// SPDX-License-Identifier: GPL-2.0-only
#include "roce-tail-contest.h"

#include <utility>

namespace ns3::roce
{

void
TailContest::Run(Frame& last, Frame& frame, uint16_t outPort, uint64_t key, bool keepsMark)
{
    Round& round = m_rounds[outPort];
    if (round.holder != &last || round.arrivedPs != last.timePs)
    {
        round = {&last, last.timePs, 0};
    }
    ++round.refused;
    if (key % (round.refused + 1) == 0)
    {
        std::swap(last, frame);
        std::swap(last.next, frame.next);
        if (keepsMark && last.ecn != ECN_NOT_ECT && frame.ecn != ECN_NOT_ECT)
        {
            std::swap(last.ecn, frame.ecn);
        }
        round.arrivedPs = last.timePs;
    }
}

} // namespace ns3::roce
