// SPDX-License-Identifier: GPL-2.0-only
#include "roce-rank-runner.h"

#include <algorithm>

namespace ns3::roce
{

namespace
{

constexpr uint32_t NONE = UINT32_MAX;        // no resource
constexpr uint64_t LATE = uint64_t{1} << 63; // after all that gets ready at the same time

} // namespace

RankRunner::RankRunner(const RankProgram& program,
                       uint32_t rank,
                       const RankCosts& costs,
                       RankNetwork& network)
    : m_program(program),
      m_rank(rank),
      m_costs(costs),
      m_network(network),
      m_ops(program.ranks.at(rank).ops)
{
    LinkWaiters();
    m_hasAny = std::any_of(m_ops.begin(), m_ops.end(), [](const RankOp& op) {
        return op.kind == RankOp::Kind::RECV &&
               (op.peer == RankOp::ANY_RANK || op.tag == RankOp::ANY_TAG);
    });
    for (uint32_t op = 0; op < m_ops.size(); ++op)
    {
        if (!m_states[op].left)
        {
            m_ready.push_back(op);
        }
    }
    Release();
}

/// Fill m_waiters: which operations wait for which.
void
RankRunner::LinkWaiters()
{
    const std::vector<RankEdge>& edges = m_program.ranks[m_rank].edges;
    m_states.resize(m_ops.size() + 1);
    std::vector<uint32_t> after[2];
    after[0].resize(m_ops.size());
    after[1].resize(m_ops.size());
    for (const RankEdge& edge : edges)
    {
        ++m_states[edge.op].left;
        ++after[edge.isStarted][edge.before];
    }
    uint32_t place = 0;
    for (uint32_t op = 0; op < m_ops.size(); ++op)
    {
        m_states[op].afterDone = place;
        place += std::exchange(after[0][op], place);
        m_states[op].afterStart = place;
        place += std::exchange(after[1][op], place);
    }
    m_states.back().afterDone = place;
    m_waiters.resize(place);
    for (const RankEdge& edge : edges)
    {
        m_waiters[after[edge.isStarted][edge.before]++] = edge.op;
    }
}

/// Have operations take their turns that wait for nothing any more: of those of one moment, sends
/// first, then receives.
void
RankRunner::Release()
{
    if (m_ready.empty())
    {
        return;
    }
    const auto turn = [this](uint32_t op) {
        const RankOp::Kind kind = m_ops[op].kind;
        const int order = kind == RankOp::Kind::SEND ? 0 : kind == RankOp::Kind::RECV ? 1 : 2;
        return std::make_pair(order, op);
    };
    std::sort(m_ready.begin(), m_ready.end(), [&](uint32_t a, uint32_t b) {
        return turn(a) < turn(b);
    });
    for (const uint32_t op : m_ready)
    {
        m_agenda.push({m_states[op].readyPs, m_network.MakeNumber(), OWN, op});
    }
    m_ready.clear();
}

/// Places of resources: number, and kind in the last two bits.
enum ResourceKind : uint32_t
{
    CPU,
    SENDER,
    RECEIVER
};

RankRunner::Resource&
RankRunner::At(uint32_t place)
{
    std::deque<Resource>& all = m_resources[place & 3]; // its elements stay where they are
    while (all.size() <= place >> 2)
    {
        all.emplace_back();
    }
    return all[place >> 2];
}

uint32_t
RankRunner::CpuOf(uint16_t stream) const
{
    return stream == RankOp::NO_STREAM ? NONE : stream << 2U | CPU;
}

/// @return the one that takes a message in: of the number that it had at the sender
uint32_t
RankRunner::CpuOfMessage(const RankOp& send) const
{
    return m_costs.overheadPs || m_costs.ideal ? CpuOf(send.stream) : NONE;
}

uint32_t
RankRunner::NicOf(uint16_t nic, bool isReceiver) const
{
    return m_costs.ideal ? nic << 2U | (isReceiver ? RECEIVER : SENDER) : NONE;
}

/// @return what it needs and is not free, or NONE
uint32_t
RankRunner::FindBusy(const Item& item, int64_t atPs)
{
    const auto isBusy = [&](uint32_t place) {
        // What holds a CPU waits for messages, so these do not wait for it.
        return place != NONE && (At(place).freePs > atPs || (At(place).isHeld && item.from == OWN));
    };
    uint32_t cpu;
    uint32_t nic = NONE;
    if (item.from != OWN)
    {
        const RankOp& send = m_program.ranks[item.from].ops[item.op];
        cpu = CpuOfMessage(send);
        nic = NicOf(send.nic, true);
    }
    else
    {
        const RankOp& op = m_ops[item.op];
        // To post a receive takes no time.
        const bool isPost = op.kind == RankOp::Kind::RECV && op.holdsUntil == RankOp::NO_OP;
        cpu = isPost ? NONE : CpuOf(op.stream);
        nic = op.kind == RankOp::Kind::SEND ? NicOf(op.nic, false) : NONE;
    }
    return isBusy(cpu) ? cpu : isBusy(nic) ? nic : NONE;
}

bool
RankRunner::IsByNumber(const Item& item) const
{
    return !m_costs.ideal && item.from == OWN;
}

/// @return its turn among those that wait for the same
uint64_t
RankRunner::KeyOf(const Item& item) const
{
    return IsByNumber(item) ? item.op : item.number;
}

/// @return the item that gets the resource when it is free, or null
const RankRunner::Item*
RankRunner::FindFirst(const Resource& resource) const
{
    for (const auto& [key, item] : resource.waiting)
    {
        if (!resource.isHeld || item.from != OWN)
        {
            return &item;
        }
    }
    return nullptr;
}

/// Have the first that waits look again.
void
RankRunner::PushWake(uint32_t place, int64_t atPs)
{
    const Resource& resource = At(place);
    if (const Item* first = FindFirst(resource))
    {
        m_agenda.push({std::max(resource.freePs, atPs),
                       (IsByNumber(*first) ? LATE : 0) | KeyOf(*first),
                       WAKE,
                       place});
    }
}

/// Have an item look again when what it needs is free.
void
RankRunner::Wait(uint32_t place, const Item& item)
{
    Resource& resource = At(place);
    const auto added = resource.waiting.emplace(KeyOf(item), item).first;
    if (FindFirst(resource) == &added->second)
    {
        PushWake(place, item.atPs);
    }
}

/// The time has come at which a resource may be free for the first that waits.
void
RankRunner::Wake(const Item& item)
{
    Resource& resource = At(item.op);
    const Item* found = FindFirst(resource);
    if (!found || KeyOf(*found) != (item.number & ~LATE))
    {
        return; // there is another wake for another one
    }
    if (resource.freePs <= item.atPs)
    {
        Item first = *found;
        resource.waiting.erase(KeyOf(first));
        first.atPs = item.atPs;
        const uint32_t busy = FindBusy(first, item.atPs);
        busy == NONE ? Start(first) : Wait(busy, first);
    }
    PushWake(item.op, item.atPs);
}

void
RankRunner::RunFirst()
{
    const Item item = m_agenda.top();
    m_agenda.pop();
    Process(item);
    Release();
}

void
RankRunner::Process(const Item& item)
{
    if (item.from == WAKE)
    {
        Wake(item);
        return;
    }
    uint32_t place = FindBusy(item, item.atPs);
    if (place == NONE && IsByNumber(item))
    {
        place = CpuOf(m_ops[item.op].stream); // others may get ready at this time
    }
    if (place != NONE)
    {
        Wait(place, item);
        return;
    }
    Start(item);
}

/// All that it needs is free.
void
RankRunner::Start(const Item& item)
{
    if (item.from != OWN)
    {
        TakeMessage(item);
        return;
    }
    const RankOp& op = m_ops[item.op];
    if (op.kind == RankOp::Kind::RECV)
    {
        StartReceive(item);
        return;
    }
    const uint32_t cpu = CpuOf(op.stream);
    const bool isSend = op.kind == RankOp::Kind::SEND;
    const int64_t endPs = item.atPs + (isSend ? m_costs.overheadPs : op.durationPs);
    if (cpu != NONE)
    {
        At(cpu).freePs = endPs;
    }
    Hold(item.op);
    if (isSend)
    {
        if (const auto& ideal = m_costs.ideal)
        {
            const auto bytes = static_cast<int64_t>(std::max<uint64_t>(op.bytes, 1));
            At(NicOf(op.nic, false)).freePs =
                item.atPs + ideal->gapPs + (bytes - 1) * ideal->bytePs;
        }
        m_network.Send(m_rank, item.op, item.atPs);
    }
    Started(item.op, item.atPs);
    if (!isSend || op.bytes <= m_costs.eagerBytes)
    {
        Done(item.op, endPs);
    }
}

void
RankRunner::StartReceive(const Item& item)
{
    const RankOp& op = m_ops[item.op];
    Hold(item.op);
    Started(item.op, item.atPs);
    Key source;
    if (!FindUnexpected(op, source))
    {
        m_posted.Push({op.peer, op.tag}, {item.number, item.op});
        return;
    }
    const Unexpected message = m_unexpected.Pop(source);
    Matched(item.op, source, message.op, item.atPs);
    Done(item.op, std::max(item.atPs, message.endPs));
}

/// @param [out] source and tag of the first message that matches. @return whether there is one
bool
RankRunner::FindUnexpected(const RankOp& op, Key& source) const
{
    source = {op.peer, op.tag};
    if (op.peer != RankOp::ANY_RANK && op.tag != RankOp::ANY_TAG)
    {
        return m_unexpected.Peek(source);
    }
    uint64_t first = UINT64_MAX; // each message has a number of its own: the order is no matter
    m_unexpected.ForEach([&](const Key& key, const Unexpected& message) {
        if ((op.peer == RankOp::ANY_RANK || op.peer == key.first) &&
            (op.tag == RankOp::ANY_TAG || op.tag == key.second) && message.number < first)
        {
            first = message.number;
            source = key;
        }
    });
    return first != UINT64_MAX;
}

/// A message has all it needs.
void
RankRunner::TakeMessage(const Item& item)
{
    const RankOp& send = m_program.ranks[item.from].ops[item.op];
    int64_t endPs = item.atPs + m_costs.overheadPs;
    if (const auto& ideal = m_costs.ideal)
    {
        const auto bytes = static_cast<int64_t>(std::max<uint64_t>(send.bytes, 1));
        endPs += (bytes - 1) * ideal->bytePs;
        At(NicOf(send.nic, true)).freePs = item.atPs + ideal->gapPs + (bytes - 1) * ideal->bytePs;
    }
    const uint32_t cpu = CpuOfMessage(send);
    if (cpu != NONE)
    {
        At(cpu).freePs = endPs;
    }
    uint32_t op = 0;
    const Key source{item.from, send.tag};
    if (FindPosted(source, op))
    {
        Matched(op, source, item.op, item.atPs);
        Done(op, endPs);
    }
    else
    {
        m_unexpected.Push(source, {item.number, endPs, item.op});
    }
}

/// Take out the receive that was posted first of those that match. @param [out] op its number
/// @return whether there is one
bool
RankRunner::FindPosted(const Key& message, uint32_t& op)
{
    const Key keys[] = {message,
                        {message.first, RankOp::ANY_TAG},
                        {RankOp::ANY_RANK, message.second},
                        {RankOp::ANY_RANK, RankOp::ANY_TAG}};
    const Key* first = nullptr;
    uint64_t number = UINT64_MAX;
    for (std::size_t i = 0; i < (m_hasAny ? std::size(keys) : 1); ++i)
    {
        const Posted* found = m_posted.Peek(keys[i]);
        if (found && found->number < number)
        {
            number = found->number;
            first = &keys[i];
        }
    }
    if (first)
    {
        op = m_posted.Pop(*first).op;
    }
    return first;
}

/// A receive has got its message. @param send number of the operation that has sent it
void
RankRunner::Matched(uint32_t op, const Key& source, uint32_t send, int64_t atPs)
{
    if (m_log)
    {
        (*m_log)[op].from = source.first;
        (*m_log)[op].send = send;
    }
    m_network.OnMatched(source.first, send, atPs);
}

/// An operation starts: its stream is taken until another one is done, if it says so.
void
RankRunner::Hold(uint32_t op)
{
    const uint32_t until = m_ops[op].holdsUntil;
    const uint32_t place = CpuOf(m_ops[op].stream);
    if (until != RankOp::NO_OP && place != NONE && !m_states[until].isDone)
    {
        At(place).isHeld = true;
        m_holds[until].push_back(place);
    }
}

void
RankRunner::Started(uint32_t op, int64_t atPs)
{
    if (m_log)
    {
        (*m_log)[op].startPs = atPs;
    }
    Advance(m_states[op].afterStart, m_states[op + 1].afterDone, atPs);
}

/// @param atPs when it is done; may be to come
void
RankRunner::Done(uint32_t op, int64_t atPs)
{
    m_states[op].isDone = true;
    if (m_log)
    {
        (*m_log)[op].endPs = atPs;
    }
    ++m_nDone;
    m_endPs = std::max(m_endPs, atPs);
    if (const auto found = m_holds.find(op); found != m_holds.end())
    {
        for (const uint32_t place : found->second)
        {
            Resource& resource = At(place);
            resource.isHeld = false;
            resource.freePs = std::max(resource.freePs, atPs);
            PushWake(place, atPs);
        }
        m_holds.erase(found);
    }
    Advance(m_states[op].afterDone, m_states[op].afterStart, atPs);
}

/// Some wait for one thing less.
void
RankRunner::Advance(uint32_t first, uint32_t end, int64_t atPs)
{
    for (uint32_t place = first; place < end; ++place)
    {
        State& state = m_states[m_waiters[place]];
        state.readyPs = std::max(state.readyPs, atPs);
        if (--state.left == 0)
        {
            m_ready.push_back(m_waiters[place]);
        }
    }
}

RankRunner::Waiting
RankRunner::FindWaiting() const
{
    for (uint32_t op = 0; op < m_ops.size(); ++op)
    {
        if (m_states[op].left)
        {
            const std::vector<RankEdge>& edges = m_program.ranks[m_rank].edges;
            const auto all = std::count_if(edges.begin(), edges.end(), [op](const RankEdge& edge) {
                return edge.op == op;
            });
            return {&m_ops[op], m_states[op].left, static_cast<uint32_t>(all)};
        }
    }
    return {};
}

std::string
RankRunner::Describe() const
{
    for (uint32_t number = 0; number < m_ops.size(); ++number)
    {
        const RankOp& op = m_ops[number];
        if (m_states[number].isDone)
        {
            continue;
        }
        const auto orAny = [](uint64_t value, uint64_t any) {
            return value == any ? std::string("any") : std::to_string(value);
        };
        const std::string message = " rank " + orAny(op.peer, RankOp::ANY_RANK) + " of tag " +
                                    orAny(op.tag, RankOp::ANY_TAG);
        return "rank " + std::to_string(m_rank) +
               " is not done: " + std::to_string(m_ops.size() - m_nDone) + " of " +
               std::to_string(m_ops.size()) + " operations, of which the first is at " +
               m_program.Where(m_rank, number) +
               (op.kind == RankOp::Kind::RECV   ? ", receive from" + message
                : op.kind == RankOp::Kind::SEND ? ", send to" + message
                                                : "");
    }
    return "";
}

} // namespace ns3::roce
