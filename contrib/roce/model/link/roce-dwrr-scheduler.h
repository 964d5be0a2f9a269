/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_DWRR_SCHEDULER_H
#define ROCE_DWRR_SCHEDULER_H

#include "roce-egress-scheduler.h"

namespace ns3
{
namespace roce
{

/**
 * @ingroup roce
 * @brief Strict priority for the control classes, byte-deficit round robin between the others.
 *
 * Deficit round robin (Shreedhar and Varghese, SIGCOMM 1995): a class may send while its deficit
 * covers the frame; each visit adds weight times the quantum. So classes share by bytes, whatever
 * their frame sizes.
 */
class DwrrScheduler : public EgressScheduler
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief Set the share of a data class.
     * @param trafficClass 0..7
     * @param weight 1 or more
     */
    void SetWeight(uint8_t trafficClass, uint32_t weight);

  private:
    void DoEnqueue(Frame* frame, int64_t nowPs) override;
    Frame* DoDequeue(uint32_t pausedMask, int64_t nowPs) override;
    Frame* PopFrom(unsigned trafficClass);
    unsigned NextClass(uint32_t mask) const;

    std::array<FrameQueue, N_CLASSES> m_queues;
    std::array<uint64_t, N_CLASSES> m_deficitBytes{};
    std::array<uint32_t, N_CLASSES> m_weights{1, 1, 1, 1, 1, 1, 1, 1};
    uint32_t m_active{0};       //!< bit c: class c has frames
    uint32_t m_current{0};      //!< class whose turn it is
    uint32_t m_quantumBytes{0}; //!< attribute Quantum
    uint8_t m_strictMask{0};    //!< attribute StrictClasses
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_DWRR_SCHEDULER_H */
