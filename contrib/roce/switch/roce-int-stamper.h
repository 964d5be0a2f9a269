// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_INT_STAMPER_H
#define ROCE_INT_STAMPER_H

#include "roce-switch-stage.h"

namespace ns3::roce
{

/**
 * @brief Appends an IntHop to every telemetry-capable frame at dequeue (HPCC, SIGCOMM 2019, section
 * 4.1).
 *
 * Packets of ns-3 (FrameKind::PACKET) get no record; data's records have their bytes, of every
 * class.
 *
 * Inside, the record is exact. Each hop adds BytesPerHop to the frame, which the following link and
 * the echo in the ACK are charged for. Bytes sent are wire bytes (framing included) before this
 * frame, so that a port sending without a gap shows exactly its rate.
 */
class IntStamper : public SwitchStage
{
  public:
    static TypeId GetTypeId();

    uint32_t GetHooks() const override
    {
        return DEQUEUE;
    }

    uint32_t GetKinds() const override
    {
        return 1U << static_cast<unsigned>(FrameKind::DATA);
    }

    std::optional<uint32_t> GetTelemetryBytes() const override
    {
        return m_bytesPerHop;
    }

    void Install(Switch& sw) override;
    Verdict OnDequeue(Frame& frame,
                      Port& out,
                      const EgressScheduler& queue,
                      int64_t nowPs) override;

  private:
    uint32_t m_txUnit{1};      //!< attribute TxUnit
    uint32_t m_queueUnit{1};   //!< attribute QueueUnit
    uint32_t m_bytesPerHop{0}; //!< attribute BytesPerHop
    uint64_t m_hopIdBase{0};   //!< node id << 16
};

} // namespace ns3::roce

#endif /* ROCE_INT_STAMPER_H */
