// SPDX-License-Identifier: GPL-2.0-only
#include "roce-message-network.h"

#include "ns3/boolean.h"
#include "ns3/roce-flow-application.h"
#include "ns3/roce-host-program.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-network.h"
#include "ns3/roce-nic.h"
#include "ns3/roce-wake-timer.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ns3::roce
{

/// What a rank has been asked for.
class MessageNetwork::Rank
{
  public:
    explicit Rank(MessageNetwork& net)
        : m_net(net)
    {
    }

    /// Messages of a source, tag and length.
    using Key = std::tuple<uint32_t, uint64_t, uint64_t>;

    /// Receives that wait for a message, or messages that wait for a receive.
    struct Queue
    {
        std::deque<Call> receives;
        uint64_t messages{0};
    };

    std::map<Key, Queue> queues; //!< none is empty

    /// @brief Have something done. @param atPs not before what the rank has done so far
    void Push(int64_t atPs, Call call)
    {
        m_agenda.emplace(atPs, std::move(call));
        if (m_net.m_isEager)
        {
            m_timer.Arm(0, NextPs());
        }
    }

    /// @brief Called by the timer, if NICs are Eager.
    void OnWake(int64_t nowPs)
    {
        Run(nowPs);
        m_timer.Arm(0, NextPs());
    }

    int64_t NextPs() const
    {
        return m_agenda.empty() ? NEVER_PS : m_agenda.begin()->first;
    }

    /// @return time of the callback that is running
    int64_t GetNowPs() const
    {
        return m_nowPs;
    }

    void Run(int64_t atPs)
    {
        m_net.m_running = this;
        while (NextPs() <= atPs)
        {
            m_nowPs = m_agenda.begin()->first;
            const Call call = std::move(m_agenda.begin()->second);
            m_agenda.erase(m_agenda.begin());
            if (call)
            {
                call();
            }
        }
        m_net.m_running = nullptr;
    }

  private:
    MessageNetwork& m_net;
    std::multimap<int64_t, Call> m_agenda; //!< what is due at the same time is in order
    int64_t m_nowPs{0};
    WakeTimer<Rank> m_timer{this};
};

/// A rank at one of its NICs.
class MessageNetwork::AtNic final : public HostProgram
{
  public:
    /// @param number of the NIC at its host
    AtNic(MessageNetwork& net, Rank& rank, Nic* nic, std::size_t number)
        : m_net(net),
          m_rank(rank),
          m_nic(nic),
          m_number(number)
    {
    }

    ~AtNic() override
    {
        if (m_net.m_hasBegun)
        {
            m_nic->SetProgram(nullptr);
        }
    }

    Nic& GetNic() const
    {
        return *m_nic;
    }

    std::size_t GetNumber() const
    {
        return m_number;
    }

    /// @brief Learn of messages from now on, and do what is due.
    void Start()
    {
        m_nic->SetProgram(this);
    }

    /// @brief Send a part of a message. @param dst the NIC that receives it
    void Post(const AtNic& dst, uint64_t bytes, uint64_t number)
    {
        const FlowSpec flow = MakeFlow(dst, bytes);
        const auto [found, isNew] = m_qps.try_emplace(flow.dst, 0);
        if (isNew)
        {
            const Network& network = m_net.m_network;
            const bool isInterDc =
                network.GetDatacenter(flow.src) != network.GetDatacenter(flow.dst);
            const uint32_t dstQp = dst.m_nic->ReserveQp(flow.src, m_nic->GetProfile(isInterDc));
            const uint16_t entropy = FlowApplication::Entropy(flow);
            found->second =
                m_nic->OpenQp(flow.dst, dstQp, flow.trafficClass, entropy, false)->GetQpn();
        }
        m_nic->Post(m_nic->GetQp(found->second), bytes, number);
    }

    /// @param dst the NIC that receives a message from here @param bytes its length
    /// @return how long after its last byte the last ACK is here, if nothing delays that
    int64_t GetAckPs(const AtNic& dst, uint64_t bytes)
    {
        const FlowSpec flow = MakeFlow(dst, bytes);
        const auto [found, isNew] = m_ackPs.try_emplace(flow.dst, 0);
        if (isNew)
        {
            const IdealFct::Result ideal = m_net.m_network.GetIdeal(flow);
            found->second = ideal.senderFctPs - ideal.receiverFctPs;
        }
        return found->second;
    }

  private:
    FlowSpec MakeFlow(const AtNic& dst, uint64_t bytes) const
    {
        FlowSpec flow;
        flow.src = m_nic->GetIndex();
        flow.dst = dst.m_nic->GetIndex();
        flow.sizeBytes = bytes;
        flow.connection = 1;
        return flow;
    }

    void OnReceived(uint64_t cookie, int64_t atPs) override
    {
        m_net.OnReceived(cookie, *this, atPs);
    }

    void OnCompleted(const MessageRecord& record) override
    {
        m_net.OnCompleted(record.cookie, record.completedPs);
    }

    int64_t NextPs() const override
    {
        return m_net.m_isEager ? NEVER_PS : m_rank.NextPs();
    }

    void Run(int64_t atPs) override
    {
        m_rank.Run(atPs);
    }

    MessageNetwork& m_net;
    Rank& m_rank;
    Nic* m_nic;
    std::size_t m_number;
    std::map<uint32_t, uint32_t> m_qps;  //!< number by receiving NIC
    std::map<uint32_t, int64_t> m_ackPs; //!< by receiving NIC
};

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
    if (hosts.size() != options.ranks)
    {
        throw InputError(std::to_string(hosts.size()) + " hosts of " +
                         std::to_string(options.ranks) + " ranks, expected one for each");
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
        m_nicsPerRank = rank ? m_nicsPerRank : nics.size();
        if (nics.size() != m_nicsPerRank)
        {
            refuse(rank,
                   "host " + std::to_string(host) + " has " + std::to_string(nics.size()) +
                       " NICs, expected " + std::to_string(m_nicsPerRank) + " as of rank 0");
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
        for (const auto& [key, queue] : m_ranks[dst]->queues)
        {
            if (queue.receives.empty())
            {
                continue;
            }
            const auto& [src, tag, bytes] = key;
            const bool isUnderWay =
                std::any_of(m_messages.begin(), m_messages.end(), [&](const Message& message) {
                    return message.toArrive && message.dst == dst &&
                           Rank::Key{message.src, message.tag, message.bytes} == key;
                });
            return "rank " + std::to_string(dst) + " waits for " + std::to_string(bytes) +
                   " B with tag " + std::to_string(tag) + " from rank " + std::to_string(src) +
                   (isUnderWay ? ", which are under way" : ", which has not sent that");
        }
    }
    return "";
}

} // namespace ns3::roce
