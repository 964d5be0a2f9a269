// SPDX-License-Identifier: GPL-2.0-only
#include "roce-collective-part.h"

#include <algorithm>
#include <numeric>

namespace ns3::roce
{

void
CollectivePart::Enter(const std::vector<uint32_t>& group, uint32_t place, uint16_t nic)
{
    m_group = &group;
    m_n = static_cast<uint32_t>(group.size());
    m_place = place;
    m_model.nic = nic;
}

uint32_t
CollectivePart::Add(RankOp::Kind kind, uint32_t peer, uint64_t bytes, uint32_t after)
{
    m_model.kind = kind;
    m_model.peer = peer;
    m_model.bytes = bytes;
    const uint32_t op = m_schedule.Add(m_model);
    if (after != RankOp::NO_OP)
    {
        m_schedule.Require(op, after);
    }
    return op;
}

uint32_t
CollectivePart::Nothing()
{
    return Add(RankOp::Kind::CALC, 0, 0, RankOp::NO_OP);
}

void
CollectivePart::Send(uint32_t to, uint64_t bytes, uint32_t after)
{
    if (bytes > 0)
    {
        m_sends.push_back(Add(RankOp::Kind::SEND, (*m_group)[to], bytes, after));
    }
}

uint32_t
CollectivePart::Receive(uint32_t from, uint64_t bytes, uint32_t after)
{
    return bytes > 0 ? Add(RankOp::Kind::RECV, (*m_group)[from], bytes, after) : after;
}

uint32_t
CollectivePart::Join(const std::vector<uint32_t>& ops, uint32_t none)
{
    if (ops.size() < 2)
    {
        return ops.empty() ? none : ops.front();
    }
    const uint32_t join = Nothing();
    for (const uint32_t op : ops)
    {
        m_schedule.Require(join, op);
    }
    return join;
}

uint32_t
CollectivePart::Finish(uint32_t received)
{
    if (received != RankOp::NO_OP)
    {
        m_sends.push_back(received);
    }
    return Join(m_sends, RankOp::NO_OP);
}

/// @param lead 1: a rank ends with its own share (reduce-scatter); 0: it begins with it
uint32_t
CollectivePart::Ring(const Shares& shares, uint32_t lead, uint32_t after)
{
    for (uint32_t step = 0; step + 1 < m_n; ++step)
    {
        const uint32_t out = (m_place + 2 * m_n - lead - step) % m_n;
        const uint32_t in = (out + m_n - 1) % m_n;
        Send((m_place + 1) % m_n, shares[out], after);
        after = Receive((m_place + m_n - 1) % m_n, shares[in], after);
    }
    return after;
}

uint32_t
CollectivePart::RingAllToAll(const Shares& shares, uint32_t after)
{
    // What is passed on in a step is for the next m_n - step ranks.
    const uint32_t left = (m_place + m_n - 1) % m_n;
    const uint64_t all = std::accumulate(shares.begin(), shares.end(), uint64_t{0});
    uint64_t out = all - shares[m_place];
    uint64_t in = all - shares[left];
    for (uint32_t step = 1; step < m_n; ++step)
    {
        Send((m_place + 1) % m_n, out, after);
        after = Receive(left, in, after);
        out -= shares[(m_place + m_n - step) % m_n];
        in -= shares[(left + m_n - step) % m_n];
    }
    return after;
}

/// @param width how many are under one
uint32_t
CollectivePart::Tree(uint64_t bytes, uint32_t width, Kind kind, bool reversed, uint32_t after)
{
    const auto turn = [&](uint32_t place) { return reversed ? m_n - 1 - place : place; };
    const uint32_t node = turn(m_place);
    const bool isRoot = node == 0;
    std::vector<uint32_t> children;
    for (uint32_t child = width * node + 1; child < m_n && child <= width * (node + 1); ++child)
    {
        children.push_back(turn(child));
    }
    if (kind != Kind::BROADCAST && bytes > 0)
    {
        std::vector<uint32_t> received;
        for (const uint32_t child : children)
        {
            received.push_back(Receive(child, bytes, after));
        }
        after = Join(received, after);
        if (!isRoot)
        {
            Send(turn((node - 1) / width), bytes, after);
        }
    }
    if (kind != Kind::REDUCE)
    {
        after = isRoot ? after : Receive(turn((node - 1) / width), bytes, after);
        for (const uint32_t child : children)
        {
            Send(child, bytes, after);
        }
    }
    return after;
}

namespace
{

/// @return bytes of all shares that are `stride` places or a multiple of it away
uint64_t
BytesAt(const CollectivePart::Shares& shares, uint32_t place, uint32_t stride)
{
    uint64_t bytes = 0;
    for (std::size_t k = place % stride; k < shares.size(); k += stride)
    {
        bytes += shares[k];
    }
    return bytes;
}

} // namespace

uint32_t
CollectivePart::Halve(const Shares& shares, uint32_t after)
{
    for (uint32_t bit = 1; bit < m_n; bit *= 2)
    {
        const uint32_t partner = m_place ^ bit;
        Send(partner, BytesAt(shares, partner, 2 * bit), after);
        after = Receive(partner, BytesAt(shares, m_place, 2 * bit), after);
    }
    return after;
}

uint32_t
CollectivePart::Double(const Shares& shares, uint32_t after)
{
    for (uint32_t bit = m_n / 2; bit > 0; bit /= 2)
    {
        const uint32_t partner = m_place ^ bit;
        Send(partner, BytesAt(shares, m_place, 2 * bit), after);
        after = Receive(partner, BytesAt(shares, partner, 2 * bit), after);
    }
    return after;
}

/// @param isGather each sends its own share to all; else each gets its own share from all
uint32_t
CollectivePart::Direct(const Shares& shares, bool isGather, uint32_t after)
{
    std::vector<uint32_t> received;
    for (uint32_t distance = 1; distance < m_n; ++distance)
    {
        const uint32_t to = (m_place + distance) % m_n;
        const uint32_t from = (m_place + m_n - distance) % m_n;
        Send(to, shares[isGather ? m_place : to], after);
        if (const uint64_t bytes = shares[isGather ? from : m_place])
        {
            received.push_back(Receive(from, bytes, after));
        }
    }
    return Join(received, after);
}

/// All-to-all.
uint32_t
CollectivePart::Rounds(const Shares& shares, uint32_t after)
{
    const uint32_t blocks = m_n / m_block;
    if (blocks < 2)
    {
        return Direct(shares, false, after);
    }
    const uint32_t own = m_place / m_block;
    const uint32_t atOnce = m_atOnce ? std::min(m_atOnce, blocks - 1) : blocks - 1;
    std::vector<uint32_t> ends;
    for (uint32_t first = 1; first <= atOnce; ++first)
    {
        uint32_t last = after;
        for (uint32_t round = first; round < blocks; round += atOnce)
        {
            std::vector<uint32_t> received;
            for (uint32_t other = 0; other < m_block; ++other)
            {
                const uint32_t to = (own + round) % blocks * m_block + other;
                const uint32_t from = (own + blocks - round) % blocks * m_block + other;
                Send(to, shares[to], last);
                if (shares[m_place] > 0)
                {
                    received.push_back(Receive(from, shares[m_place], last));
                }
            }
            last = Join(received, last);
        }
        ends.push_back(last);
    }
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end()); // `after`, of several
    return Join(ends, after);
}

uint32_t
CollectivePart::Run(CollectiveProgram::Algorithm algorithm,
                    Kind kind,
                    const Shares& shares,
                    bool reversed,
                    uint32_t after)
{
    using Algorithm = CollectiveProgram::Algorithm;
    if (algorithm == Algorithm::TREE || algorithm == Algorithm::CHAIN)
    {
        const uint32_t width = algorithm == Algorithm::TREE ? 2 : 1;
        const uint64_t bytes = std::accumulate(shares.begin(), shares.end(), uint64_t{0});
        return Tree(bytes, width, kind, reversed, after);
    }
    if (kind == Kind::ALL_TO_ALL)
    {
        return algorithm == Algorithm::RING ? RingAllToAll(shares, after) : Rounds(shares, after);
    }
    for (const bool isGather : {false, true})
    {
        if (kind == (isGather ? Kind::REDUCE_SCATTER : Kind::ALL_GATHER))
        {
            continue;
        }
        switch (algorithm)
        {
        case Algorithm::RING:
            after = Ring(shares, isGather ? 0 : 1, after);
            break;
        case Algorithm::HALVING_DOUBLING:
            after = isGather ? Double(shares, after) : Halve(shares, after);
            break;
        default:
            after = Direct(shares, isGather, after);
        }
    }
    return after;
}

} // namespace ns3::roce
