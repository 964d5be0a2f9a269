// SPDX-License-Identifier: GPL-2.0-only
#include "roce-test-erasure.h"

#include "ns3/boolean.h"

namespace ns3::roce::test
{

NS_OBJECT_ENSURE_REGISTERED(TestErasure);

TypeId
TestErasure::GetTypeId()
{
    static const TypeId tid = TypeId("ns3::roce::TestErasure")
                                  .SetParent<UnoErasure>()
                                  .AddConstructor<TestErasure>()
                                  .AddAttribute("Bytes",
                                                "Carry real bytes and compare them",
                                                BooleanValue(false),
                                                MakeBooleanAccessor(&TestErasure::m_bytes),
                                                MakeBooleanChecker());
    return tid;
}

std::string
TestErasure::BytesIfPossible()
{
    return ErasureVerifier::IsAvailable() ? "Bytes=true" : "Bytes=false";
}

TestErasure::TestErasure(const UnoErasure& plain, bool bytes)
    : UnoErasure(plain),
      m_sender(bytes ? std::make_shared<ErasureVerifier::Sender>() : nullptr)
{
}

Ptr<LossRecovery>
TestErasure::ForQueuePair(const PathInfo& path, int64_t rtoFloorPs)
{
    const Ptr<LossRecovery> plain = UnoErasure::ForQueuePair(path, rtoFloorPs);
    const auto coded = DynamicCast<UnoErasure>(plain);
    return coded ? Ptr<LossRecovery>(new TestErasure(*coded, m_bytes), false) : plain;
}

std::unique_ptr<ReceiverQp>
TestErasure::MakeReceiver(const PathInfo& path) const
{
    std::unique_ptr<ReceiverQp> plain = UnoErasure::MakeReceiver(path);
    if (const auto* coded = dynamic_cast<const UnoErasureReceiver*>(plain.get()))
    {
        return std::make_unique<TestErasureReceiver>(*coded, m_bytes);
    }
    return plain;
}

void
TestErasure::OnSend(QueuePair& qp, Frame& frame, uint32_t inflightBytes, int64_t nowPs)
{
    UnoErasure::OnSend(qp, frame, inflightBytes, nowPs);
    if (m_sender)
    {
        m_sender->OnSend(frame);
    }
}

QueuePair::AckResult
TestErasure::OnAck(QueuePair& qp, const Frame& ack, int64_t nowPs, std::vector<MessageRecord>& done)
{
    const QueuePair::AckResult result = UnoErasure::OnAck(qp, ack, nowPs, done);
    if (m_sender)
    {
        m_sender->Retire(qp.GetUna());
    }
    return result;
}

TestErasureReceiver::TestErasureReceiver(const UnoErasureReceiver& plain, bool bytes)
    : UnoErasureReceiver(plain),
      m_verifier(bytes ? std::make_unique<ErasureVerifier::Receiver>() : nullptr)
{
}

ReceiverQp::Action
TestErasureReceiver::OnData(const Frame& frame,
                            uint32_t ackEveryN,
                            int64_t nowPs,
                            std::vector<uint64_t>& done)
{
    if (frame.psn >= expectedPsn)
    {
        const BlockPlace place = CodeHeaderOf(frame).place;
        uint64_t& arrived = m_arrived[frame.psn - place.index];
        const int before = __builtin_popcountll(arrived);
        arrived |= 1ULL << place.index;
        const uint64_t data = ~0ULL >> (64 - place.data);
        m_rebuilt += before < place.data && __builtin_popcountll(arrived) == place.data &&
                     (arrived & data) != data;
        if (m_verifier)
        {
            m_verifier->Take(frame);
        }
    }
    const Action action = UnoErasureReceiver::OnData(frame, ackEveryN, nowPs, done);
    m_arrived.erase(m_arrived.begin(), m_arrived.lower_bound(expectedPsn));
    while (m_verifier && m_deliveredPsn < expectedPsn)
    {
        m_deliveredPsn = m_verifier->Deliver(m_deliveredPsn);
    }
    return action;
}

bool
TestErasureReceiver::OnTimer(int64_t nowPs, Frame& nak)
{
    const bool found = UnoErasureReceiver::OnTimer(nowPs, nak);
    if (found)
    {
        m_nacked.insert(nak.sackPsn);
    }
    return found;
}

} // namespace ns3::roce::test
