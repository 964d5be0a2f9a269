// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_API_MISUSE_EXTENSIONS_H
#define ROCE_API_MISUSE_EXTENSIONS_H

#include "ns3/roce-congestion-control.h"
#include "ns3/roce-egress-scheduler.h"
#include "ns3/roce-loss-recovery.h"
#include "ns3/roce-path-selector.h"
#include "ns3/roce-port.h"
#include "ns3/roce-switch-stage.h"
#include "ns3/roce-switch.h"

#include <functional>
#include <memory>

namespace ns3::roce::test
{

/// What the extensions below do, for one test.
struct Behaviour
{
    std::function<void(uint64_t& rateBps, uint64_t& windowBytes)> onStart;
    std::function<void(uint64_t& rateBps, uint64_t& windowBytes)> onAck;
    std::function<int64_t(int64_t nowPs)> nextChangePs;
    bool lawForks{true};
    bool selectorForks{true};
    bool makesFeedback{true};
    uint32_t hooks{SwitchStage::ARRIVAL | SwitchStage::ENQUEUE};
    std::function<SwitchStage::Verdict(SwitchStage&, Switch&, Frame&, int64_t)> onArrival;
    std::function<SwitchStage::Verdict(Frame&)> onEnqueue;
    std::function<SwitchStage::Verdict(Frame&)> onDequeue;
    std::function<void(SwitchStage&, Switch&, int64_t)> onTimer;
};

inline Behaviour g_behaviour;

/// A rate law that does anything.
class MisuseLaw : public CongestionControl
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::roce::test::MisuseLaw")
                                .SetParent<CongestionControl>()
                                .AddConstructor<MisuseLaw>();
        return tid;
    }

    Ptr<CongestionControl> Fork() const override
    {
        return g_behaviour.lawForks ? CopyObject<MisuseLaw>(this) : nullptr;
    }

    Ptr<ReceiverFeedback> MakeFeedback() const override
    {
        return g_behaviour.makesFeedback ? CongestionControl::MakeFeedback() : nullptr;
    }

    void OnAck(const AckInfo&) override
    {
        if (g_behaviour.onAck)
        {
            g_behaviour.onAck(m_rateBps, m_windowBytes);
        }
    }

    void Advance(int64_t nowPs) override
    {
        m_nowPs = nowPs;
    }

    int64_t NextRateChangePs() const override
    {
        return g_behaviour.nextChangePs ? g_behaviour.nextChangePs(m_nowPs) : NEVER_PS;
    }

  private:
    void DoStart(int64_t) override
    {
        if (g_behaviour.onStart)
        {
            g_behaviour.onStart(m_rateBps, m_windowBytes);
        }
    }

    int64_t m_nowPs{0};
};

/// A selector that counts on, or makes no copies.
class MisuseSelector : public PathSelector
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::roce::test::MisuseSelector")
                                .SetParent<PathSelector>()
                                .AddConstructor<MisuseSelector>();
        return tid;
    }

    Ptr<PathSelector> Fork() const override
    {
        return g_behaviour.selectorForks ? CopyObject<MisuseSelector>(this) : nullptr;
    }

    bool IsPerPacket() const override
    {
        return true;
    }

    uint16_t Select(int64_t, uint64_t) override
    {
        return m_next++;
    }

  private:
    uint16_t m_next{0};
};

/// A stage that does anything.
class MisuseStage : public SwitchStage
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::roce::test::MisuseStage")
                                .SetParent<SwitchStage>()
                                .AddConstructor<MisuseStage>();
        return tid;
    }

    uint32_t GetHooks() const override
    {
        return g_behaviour.hooks;
    }

    void Install(Switch& sw) override
    {
        m_switch = &sw;
    }

    Verdict OnArrival(Frame& frame, Port&, int64_t nowPs) override
    {
        return g_behaviour.onArrival ? g_behaviour.onArrival(*this, *m_switch, frame, nowPs)
                                     : Verdict::PASS;
    }

    Verdict OnEnqueue(Frame& frame, Port&, const EgressScheduler&, int64_t) override
    {
        return g_behaviour.onEnqueue ? g_behaviour.onEnqueue(frame) : Verdict::PASS;
    }

    Verdict OnDequeue(Frame& frame, Port&, const EgressScheduler&, int64_t) override
    {
        return g_behaviour.onDequeue ? g_behaviour.onDequeue(frame) : Verdict::PASS;
    }

    void OnTimer(int64_t nowPs) override
    {
        if (g_behaviour.onTimer)
        {
            g_behaviour.onTimer(*this, *m_switch, nowPs);
        }
    }

  private:
    Switch* m_switch{nullptr};
};

/// Queues that say they may send and give nothing.
class MisuseScheduler : public EgressScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::roce::test::MisuseScheduler")
                                .SetParent<EgressScheduler>()
                                .AddConstructor<MisuseScheduler>();
        return tid;
    }

    int64_t NextEligiblePs(uint32_t, int64_t nowPs) const override
    {
        return nowPs;
    }

    bool IsWorkConserving() const override
    {
        return false;
    }

  private:
    void DoEnqueue(Frame* frame, int64_t) override
    {
        m_frames.Push(frame);
    }

    Frame* DoDequeue(uint32_t, int64_t) override
    {
        return nullptr;
    }

    void DoDispose() override
    {
        m_frames.Clear();
        EgressScheduler::DoDispose();
    }

    FrameQueue m_frames;
};

} // namespace ns3::roce::test

#endif /* ROCE_API_MISUSE_EXTENSIONS_H */
