// SPDX-License-Identifier: GPL-2.0-only
#include "roce-shaped-scheduler.h"

#include "ns3/assert.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(ShapedScheduler);

TypeId
ShapedScheduler::GetTypeId()
{
    // Without a constructor: a stage must make and configure it.
    static TypeId tid =
        TypeId("ns3::roce::ShapedScheduler")
            .SetParent<DwrrScheduler>()
            .SetGroupName("Roce")
            .AddAttribute("Burst",
                          "Wire bytes by which a queue may be ahead of its rate, without the frame "
                          "that is sent: so it makes up for waiting behind other queues",
                          UintegerValue(16384),
                          MakeUintegerAccessor(&ShapedScheduler::m_burstBytes),
                          MakeUintegerChecker<uint32_t>(0, TokenBucket::MAX_DEPTH_BYTES))
            .AddAttribute("IdleTimeout",
                          "A queue that has been empty for this long is forgotten",
                          TimeValue(MilliSeconds(5)),
                          MakeTimeAccessor(&ShapedScheduler::m_idleTimeout),
                          MakeTimeChecker(Time(0), Hours(24)))
            .AddTraceSource("Queue",
                            "A frame has entered or left a queue that is shaped: its key and its "
                            "bytes",
                            MakeTraceSourceAccessor(&ShapedScheduler::m_queueTrace),
                            "ns3::roce::ShapedScheduler::QueueCallback");
    return tid;
}

ShapedScheduler::ShapedScheduler()
    : m_fifos(N_CLASSES)
{
    for (unsigned c = 0; c < N_CLASSES; ++c)
    {
        m_fifos[c].trafficClass = static_cast<uint8_t>(c);
    }
}

void
ShapedScheduler::Configure(Owner* owner, const Port& port)
{
    NS_ASSERT_MSG(IsEmpty(), "an empty scheduler");
    UintegerValue strict;
    GetAttribute("StrictClasses", strict);
    m_shapedMask = ~static_cast<uint32_t>(strict.Get());
    m_owner = owner;
    m_port = &port;
    m_idlePs = m_idleTimeout.GetPicoSeconds();
}

void
ShapedScheduler::DoDispose()
{
    m_owner = nullptr; // queued frames are freed by taking them out, without asking the owner
    DwrrScheduler::DoDispose();
    m_port = nullptr;
}

// ---------------------------------------------------------------- held bytes

uint64_t
ShapedScheduler::HeldBytes(const Fifo& fifo) const
{
    switch (fifo.state)
    {
    case State::WAITING:
        return fifo.frames.GetBytes();
    case State::READY:
        return fifo.isWhole ? 0 : fifo.frames.GetBytes() - fifo.frames.Peek()->frameBytes;
    case State::EMPTY:
        break;
    }
    return 0;
}

/// Change a queue, and say what is held back afterwards.
template <typename Change>
void
ShapedScheduler::Update(Fifo& fifo, const Change& change)
{
    uint64_t& held = m_classes[fifo.trafficClass].heldBytes;
    held -= HeldBytes(fifo);
    change();
    held += HeldBytes(fifo);
    SetHeldBytes(fifo.trafficClass, held);
}

std::string
ShapedScheduler::DescribeHeld(uint8_t trafficClass) const
{
    const Class& ofClass = m_classes[trafficClass];
    if (ofClass.waiting.IsEmpty())
    {
        return "";
    }
    return std::to_string(ofClass.heldBytes) + " B held back by the rates of " +
           std::to_string(ofClass.waiting.GetSize()) + " queues";
}

/// Visit the queues that a key has, in the order of classes. visit: callable with their numbers
template <typename Visit>
inline void
ShapedScheduler::ForQueuesOf(uint32_t key, const Visit& visit) const
{
    for (uint32_t mask = m_keyedMask; mask; mask &= mask - 1)
    {
        const uint32_t number = m_classes[__builtin_ctz(mask)].Find(key);
        if (number != NONE)
        {
            visit(number);
        }
    }
}

uint64_t
ShapedScheduler::GetKeyBytes(uint32_t key) const
{
    uint64_t bytes = 0;
    ForQueuesOf(key, [&](uint32_t number) { bytes += m_fifos[number].frames.GetBytes(); });
    return bytes;
}

uint64_t
ShapedScheduler::GetKeyWireBytes(uint32_t key) const
{
    // Of a frame that is large enough not to be padded; those of a flow are, but the last one.
    const uint32_t framingBytes = m_port->WireBytes(MIN_FRAME_BYTES) - MIN_FRAME_BYTES;
    uint64_t bytes = 0;
    ForQueuesOf(key, [&](uint32_t number) {
        const FrameQueue& frames = m_fifos[number].frames;
        bytes += frames.GetBytes() + uint64_t{framingBytes} * frames.GetFrames();
    });
    return bytes;
}

inline void
ShapedScheduler::Trace(const Fifo& fifo, int64_t nowPs)
{
    if (__builtin_expect(!m_queueTrace.IsEmpty(), 0) && fifo.key != UNSHAPED)
    {
        m_queueTrace(fifo.key, fifo.frames.GetBytes(), PicoSeconds(nowPs));
    }
}

// ---------------------------------------------------------------- rates

uint64_t
ShapedScheduler::RateOf(uint32_t key, int64_t nowPs) const
{
    const uint64_t rate = m_owner->GetRateBps(key, m_port->GetIndex(), nowPs);
    return std::clamp(rate, TokenBucket::MIN_RATE_BPS, m_port->GetRateBps());
}

/// @return whether a queue of that rate waits for the line only
bool
ShapedScheduler::IsLineRate(uint64_t rateBps) const
{
    return rateBps == m_port->GetRateBps();
}

/// A frame leaves.
inline void
ShapedScheduler::Pay(Fifo& fifo, uint32_t frameBytes, int64_t nowPs)
{
    if (fifo.key == UNSHAPED || !m_owner)
    {
        return;
    }
    const uint64_t rate = RateOf(fifo.key, nowPs);
    if (IsLineRate(rate))
    {
        fifo.bucket = TokenBucket(rate); // the line paces it
        return;
    }
    fifo.bucket.Pay(m_port->WireBytes(frameBytes), rate, m_burstBytes, nowPs);
}

bool
ShapedScheduler::Repace(uint32_t key, int64_t nowPs)
{
    bool earlier = false;
    ForQueuesOf(key, [&](uint32_t number) {
        Fifo& fifo = m_fifos[number];
        const uint64_t rate = RateOf(key, nowPs);
        Update(fifo, [&] {
            fifo.bucket.SetRate(rate, m_burstBytes, nowPs);
            fifo.isWhole = IsLineRate(rate);
        });
        if (fifo.state == State::WAITING)
        {
            PlaceHeap& waiting = m_classes[fifo.trafficClass].waiting;
            const int64_t beforePs = waiting.GetFirstPs();
            waiting.Move(number, fifo.bucket.GetNextPs());
            earlier = earlier || waiting.GetFirstPs() < beforePs;
        }
    });
    return earlier;
}

// ---------------------------------------------------------------- making and forgetting queues

uint32_t
ShapedScheduler::FindOrMake(uint32_t key, uint8_t trafficClass, int64_t nowPs)
{
    Class& ofClass = m_classes[trafficClass];
    if (const uint32_t found = ofClass.Find(key); found != NONE)
    {
        return found;
    }
    if (m_free.empty())
    {
        m_free.push_back(static_cast<uint32_t>(m_fifos.size()));
        m_fifos.emplace_back();
    }
    if (key >= ofClass.byKey.size())
    {
        ofClass.byKey.resize(key + std::size_t{1}, NONE);
    }
    const uint32_t number = m_free.back();
    m_free.pop_back();
    Fifo& fifo = m_fifos[number];
    fifo = Fifo();
    fifo.key = key;
    fifo.trafficClass = trafficClass;
    fifo.bucket = TokenBucket(RateOf(key, nowPs));
    ofClass.byKey[key] = number;
    m_keyedMask |= 1U << trafficClass;
    m_peakQueues = std::max(m_peakQueues, ++m_nQueues);
    NoteEmpty(number, nowPs);
    m_owner->OnMade(key, m_port->GetIndex(), nowPs);
    return number;
}

void
ShapedScheduler::Forget(int64_t nowPs)
{
    const uint32_t last = m_lastEmpty;
    for (uint32_t number = NONE; number != last && nowPs >= NextForgetPs();)
    {
        number = m_firstEmpty;
        const Fifo& fifo = m_fifos[number];
        Unlink(number);
        if (!fifo.bucket.IsFull(m_burstBytes, nowPs))
        {
            NoteEmpty(number, nowPs); // others need not wait for it
            continue;
        }
        m_classes[fifo.trafficClass].byKey[fifo.key] = NONE;
        m_free.push_back(number);
        --m_nQueues;
        if (m_owner)
        {
            m_owner->OnForgotten(fifo.key, m_port->GetIndex(), nowPs);
        }
    }
}

/// The queue is empty from now on: the last of the list.
void
ShapedScheduler::NoteEmpty(uint32_t number, int64_t nowPs)
{
    Fifo& fifo = m_fifos[number];
    fifo.emptiedPs = nowPs;
    fifo.previous = m_lastEmpty;
    fifo.next = NONE;
    (m_lastEmpty == NONE ? m_firstEmpty : m_fifos[m_lastEmpty].next) = number;
    m_lastEmpty = number;
}

/// Take a queue out of the list of empty ones.
void
ShapedScheduler::Unlink(uint32_t number)
{
    const Fifo& fifo = m_fifos[number];
    (fifo.previous == NONE ? m_firstEmpty : m_fifos[fifo.previous].next) = fifo.next;
    (fifo.next == NONE ? m_lastEmpty : m_fifos[fifo.next].previous) = fifo.previous;
}

// ---------------------------------------------------------------- ring and heap

void
ShapedScheduler::PushReady(uint32_t number)
{
    Fifo& fifo = m_fifos[number];
    Class& ofClass = m_classes[fifo.trafficClass];
    fifo.state = State::READY;
    fifo.next = NONE;
    (ofClass.last == NONE ? ofClass.first : m_fifos[ofClass.last].next) = number;
    ofClass.last = number;
    Activate(fifo.trafficClass);
}

/// A queue with frames takes its place.
void
ShapedScheduler::Schedule(uint32_t number, int64_t nowPs)
{
    Fifo& fifo = m_fifos[number];
    const int64_t nextPs = fifo.bucket.GetNextPs();
    if (nextPs <= nowPs)
    {
        PushReady(number);
        return;
    }
    fifo.state = State::WAITING;
    m_classes[fifo.trafficClass].waiting.Push(number, nextPs);
    m_waitingMask |= 1U << fifo.trafficClass;
}

/// Move queues whose time has come from the heaps into the rings.
void
ShapedScheduler::Promote(int64_t nowPs)
{
    for (uint32_t mask = m_waitingMask; mask; mask &= mask - 1)
    {
        const unsigned c = __builtin_ctz(mask);
        PlaceHeap& waiting = m_classes[c].waiting;
        while (!waiting.IsEmpty() && waiting.GetFirstPs() <= nowPs)
        {
            const uint32_t number = waiting.GetFirst();
            waiting.Pop();
            Fifo& fifo = m_fifos[number];
            Update(fifo, [&] {
                fifo.isWhole = IsLineRate(fifo.bucket.GetRateBps());
                PushReady(number);
            });
        }
        m_waitingMask &= ~(waiting.IsEmpty() ? 1U << c : 0);
    }
}

int64_t
ShapedScheduler::NextEligiblePs(uint32_t pausedMask, int64_t) const
{
    int64_t next = NEVER_PS;
    for (uint32_t mask = m_waitingMask & ~pausedMask; mask; mask &= mask - 1)
    {
        next = std::min(next, m_classes[__builtin_ctz(mask)].waiting.GetFirstPs());
    }
    return next;
}

// ---------------------------------------------------------------- frames

void
ShapedScheduler::DoEnqueue(Frame* frame, int64_t nowPs)
{
    if (nowPs >= NextForgetPs())
    {
        Forget(nowPs);
    }
    const uint8_t c = frame->trafficClass;
    const uint32_t key = m_owner && (m_shapedMask >> c & 1)
                             ? m_owner->Classify(*frame, m_port->GetIndex(), nowPs)
                             : UNSHAPED;
    const uint32_t number = key == UNSHAPED ? c : FindOrMake(key, c, nowPs);
    Fifo& fifo = m_fifos[number];
    Update(fifo, [&] {
        fifo.frames.Push(frame);
        if (fifo.state != State::EMPTY)
        {
            return;
        }
        if (key != UNSHAPED)
        {
            Unlink(number);
            // Not the rate of its last frame: the owner's may have risen meanwhile.
            fifo.isWhole = IsLineRate(RateOf(key, nowPs));
        }
        Schedule(number, nowPs);
    });
    m_keyedBytes += key == UNSHAPED ? 0 : frame->frameBytes;
    Trace(fifo, nowPs);
}

Frame*
ShapedScheduler::PopFrom(unsigned trafficClass, int64_t nowPs)
{
    Class& ofClass = m_classes[trafficClass];
    const uint32_t number = ofClass.first;
    Fifo& fifo = m_fifos[number];
    Frame* frame = nullptr;
    Update(fifo, [&] {
        frame = fifo.frames.Pop();
        ofClass.first = fifo.next;
        ofClass.last = ofClass.first == NONE ? NONE : ofClass.last;
        Pay(fifo, frame->frameBytes, nowPs);
        fifo.isWhole = true; // if it may go on
        if (!fifo.frames.IsEmpty())
        {
            Schedule(number, nowPs);
            return;
        }
        fifo.state = State::EMPTY;
        if (fifo.key != UNSHAPED)
        {
            NoteEmpty(number, nowPs);
        }
    });
    if (ofClass.first == NONE)
    {
        Deactivate(trafficClass);
    }
    m_lastKey = fifo.key;
    m_keyedBytes -= fifo.key == UNSHAPED ? 0 : frame->frameBytes;
    Trace(fifo, nowPs);
    return frame;
}

Frame*
ShapedScheduler::DoDequeue(uint32_t pausedMask, int64_t nowPs)
{
    Promote(nowPs);
    return Choose(
        pausedMask,
        [this](unsigned c) { return m_fifos[m_classes[c].first].frames.Peek()->frameBytes; },
        [this, nowPs](unsigned c) { return PopFrom(c, nowPs); });
}

} // namespace ns3::roce
