// SPDX-License-Identifier: GPL-2.0-only
#include "roce-message-network.h"

#include "roce-message-rank.h"

#include "ns3/boolean.h"
#include "ns3/roce-input-error.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ns3::roce
{

MessageNetwork::MessageNetwork(Network& network, const Options& options)
    : m_network(network),
      m_receiveAt(options.receiveAt)
{
    std::vector<uint32_t> hosts = options.hosts;
    for (uint32_t rank = 0; options.hosts.empty() && rank < options.ranks; ++rank)
    {
        hosts.push_back(rank);
    }
    const auto refuse = [](uint32_t rank, const std::string& what) {
        throw InputError("rank " + std::to_string(rank) + ": " + what);
    };
    if (hosts.size() != options.ranks || hosts.empty())
    {
        throw InputError(std::to_string(hosts.size()) + " hosts of " +
                         std::to_string(options.ranks) +
                         " ranks, expected one for each, and a rank");
    }
    std::set<uint32_t> taken;
    for (uint32_t rank = 0; rank < options.ranks; ++rank)
    {
        const uint32_t host = hosts[rank];
        if (host >= network.GetNHosts() || !taken.insert(host).second)
        {
            refuse(rank,
                   "host " + std::to_string(host) +
                       ", expected another one for each rank, from 0 to " +
                       std::to_string(network.GetNHosts() - 1));
        }
        const std::vector<uint32_t>& nics = network.GetNicsOfHost(host);
        m_nicsPerRank = rank ? m_nicsPerRank : std::max<std::size_t>(1, nics.size());
        if (nics.size() != m_nicsPerRank)
        {
            refuse(rank,
                   "host " + std::to_string(host) + " has " + std::to_string(nics.size()) +
                       " NICs, expected " + std::to_string(m_nicsPerRank) +
                       (rank ? ", as of rank 0" : " or more"));
        }
        m_ranks.push_back(std::make_unique<Rank>(*this));
        for (std::size_t number = 0; number < nics.size(); ++number)
        {
            Nic* nic = network.GetNic(nics[number]).Peek();
            BooleanValue eager;
            nic->GetAttribute("Eager", eager);
            m_isEager = m_atNics.empty() ? eager.Get() : m_isEager;
            if (eager.Get() != m_isEager || (nics.size() > 1 && !m_isEager))
            {
                refuse(rank,
                       "ns3::roce::Nic::Eager is false, expected true for all NICs if ranks have "
                       "several, or if one has it");
            }
            m_atNics.push_back(std::make_unique<AtNic>(*this, *m_ranks.back(), nic, number));
        }
    }
    // Not before the run: whoever looks at a NIC has it do what is due.
    m_begin = Simulator::ScheduleNow(&MessageNetwork::Start, this);
}

MessageNetwork::~MessageNetwork()
{
    m_begin.Cancel();
}

void
MessageNetwork::Start()
{
    m_hasBegun = true;
    for (const std::unique_ptr<AtNic>& at : m_atNics)
    {
        if (at->GetNic().GetPartition())
        {
            throw InputError("ranks with callbacks need a network in one thread and process");
        }
        at->Start();
    }
}

MessageNetwork::AtNic&
MessageNetwork::NicOf(uint32_t rank, std::size_t number) const
{
    return *m_atNics[rank * m_nicsPerRank + number];
}

int64_t
MessageNetwork::NowPs() const
{
    return m_running ? m_running->GetNowPs() : roce::NowPs();
}

/// A rank is about to ask for something. @param other rank that it names
void
MessageNetwork::Check(uint32_t rank, uint32_t other)
{
    for (const uint32_t number : {rank, other})
    {
        if (number >= m_ranks.size())
        {
            throw InputError("rank " + std::to_string(number) + " does not exist, expected 0 to " +
                             std::to_string(m_ranks.size() - 1));
        }
    }
    if (m_running && m_running != m_ranks[rank].get() && !m_isEager)
    {
        throw InputError("rank " + std::to_string(rank) +
                         " does something in a callback of another one; expected "
                         "ns3::roce::Nic::Eager=true for that");
    }
    if (!m_running && m_hasBegun)
    {
        for (std::size_t number = 0; number < m_nicsPerRank; ++number)
        {
            NicOf(rank, number).GetNic().CatchUp(NowPs());
        }
    }
}

/// Have a rank called.
void
MessageNetwork::Do(uint32_t rank, int64_t delayPs, Call call)
{
    m_ranks[rank]->Push(NowPs() + delayPs, std::move(call));
    if (!m_running && m_hasBegun)
    {
        NicOf(rank, 0).Start(); // which wakes up sooner now
    }
}

void
MessageNetwork::Send(uint32_t src, uint32_t dst, uint64_t bytes, uint64_t tag, Call sent)
{
    Check(src, dst);
    if (src == dst || bytes > MAX_FLOW_BYTES)
    {
        throw InputError("rank " + std::to_string(src) + " sends " + std::to_string(bytes) +
                         " B to rank " + std::to_string(dst) +
                         ", expected another rank and at most " + std::to_string(MAX_FLOW_BYTES) +
                         " B");
    }
    if (m_free.empty())
    {
        m_free.push_back(m_messages.size());
        m_messages.emplace_back();
    }
    const uint64_t number = m_free.back();
    m_free.pop_back();
    const uint32_t mtu = NicOf(src, 0).GetNic().GetMtuBytes();
    const std::size_t parts = std::clamp<uint64_t>((bytes + mtu - 1) / mtu, 1, m_nicsPerRank);
    m_messages[number] = {src, dst, bytes, tag, std::move(sent), parts, parts};
    ++m_totals.sent;
    m_totals.bytes += bytes;
    if (m_running)
    {
        Post(number);
    }
    else
    {
        Do(src, 0, [this, number] { Post(number); });
    }
}

void
MessageNetwork::Post(uint64_t number)
{
    const Message& message = m_messages[number];
    const std::size_t parts = message.toAck;
    for (std::size_t part = 0; part < parts; ++part)
    {
        const uint64_t bytes = message.bytes / parts + (part < message.bytes % parts);
        NicOf(message.src, part).Post(NicOf(message.dst, part), bytes, number);
    }
}

void
MessageNetwork::Receive(uint32_t dst, uint32_t src, uint64_t bytes, uint64_t tag, Call received)
{
    Check(dst, src);
    const auto found = m_ranks[dst]->queues.try_emplace({src, tag, bytes}).first;
    if (!found->second.messages)
    {
        found->second.receives.push_back(std::move(received));
        return;
    }
    if (--found->second.messages == 0)
    {
        m_ranks[dst]->queues.erase(found);
    }
    ++m_totals.matched;
    Do(dst, 0, std::move(received));
}

void
MessageNetwork::Schedule(uint32_t rank, int64_t delayPs, Call call)
{
    Check(rank, rank);
    if (delayPs < 0 || delayPs > NetworkMap::LONGEST_RUN_PS)
    {
        throw InputError("rank " + std::to_string(rank) + " waits " + std::to_string(delayPs) +
                         " ps, expected 0 to " + std::to_string(NetworkMap::LONGEST_RUN_PS));
    }
    Do(rank, delayPs, std::move(call));
}

void
MessageNetwork::OnReceived(uint64_t number, AtNic& nic, int64_t atPs)
{
    Message& message = m_messages[number];
    if (--message.toArrive)
    {
        return;
    }
    if (m_receiveAt == RankJob::ReceiveAt::LAST_BYTE)
    {
        Arrive(number, atPs);
    }
    else if (!m_isEager)
    {
        Arrive(number, atPs + NicOf(message.src, nic.GetNumber()).GetAckPs(nic, message.bytes));
    }
    Forget(number);
}

void
MessageNetwork::OnCompleted(uint64_t number, int64_t atPs)
{
    Message& message = m_messages[number];
    if (--message.toAck)
    {
        return;
    }
    if (message.sent)
    {
        m_ranks[message.src]->Push(atPs, std::move(message.sent));
    }
    if (m_isEager && m_receiveAt == RankJob::ReceiveAt::LAST_ACK)
    {
        Arrive(number, atPs);
    }
    Forget(number);
}

/// Have the receiver learn of a message.
void
MessageNetwork::Arrive(uint64_t number, int64_t atPs)
{
    const Message& message = m_messages[number];
    const Rank::Key key{message.src, message.tag, message.bytes};
    Rank& rank = *m_ranks[message.dst];
    rank.Push(atPs, [this, &rank, key] {
        ++m_totals.received;
        const auto found = rank.queues.try_emplace(key).first;
        if (found->second.receives.empty())
        {
            ++found->second.messages;
            return;
        }
        ++m_totals.matched;
        const Call received = std::move(found->second.receives.front());
        found->second.receives.pop_front();
        if (found->second.receives.empty())
        {
            rank.queues.erase(found);
        }
        if (received)
        {
            received();
        }
    });
}

/// A message that is done needs its place no longer.
void
MessageNetwork::Forget(uint64_t number)
{
    if (!m_messages[number].toArrive && !m_messages[number].toAck)
    {
        m_free.push_back(number);
    }
}

std::string
MessageNetwork::Describe() const
{
    for (uint32_t dst = 0; dst < m_ranks.size(); ++dst)
    {
        for (const auto& entry : m_ranks[dst]->queues)
        {
            if (entry.second.receives.empty())
            {
                continue;
            }
            const Rank::Key& key = entry.first;
            const bool isUnderWay =
                std::any_of(m_messages.begin(), m_messages.end(), [&](const Message& message) {
                    return message.toArrive && message.dst == dst &&
                           Rank::Key{message.src, message.tag, message.bytes} == key;
                });
            return "rank " + std::to_string(dst) + " waits for " +
                   std::to_string(std::get<2>(key)) + " B with tag " +
                   std::to_string(std::get<1>(key)) + " from rank " +
                   std::to_string(std::get<0>(key)) +
                   (isUnderWay ? ", which are under way" : ", which has not sent that");
        }
    }
    return "";
}

} // namespace ns3::roce
