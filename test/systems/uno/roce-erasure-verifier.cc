// SPDX-License-Identifier: GPL-2.0-only
#include "roce-erasure-verifier.h"

#include "ns3/roce-hash.h"

#include <algorithm>
#include <stdexcept>

#ifdef ROCE_HAVE_ISAL
#include <isa-l/erasure_code.h>
#endif

namespace ns3::roce::test
{

namespace
{

/// Frame::remoteAddress: the PSN below, the last part of the sender's key above.
constexpr unsigned PSN_BITS = 48;

/// The bytes that a message must have.
void
FillMessage(uint32_t src, uint32_t qp, uint64_t message, uint64_t offset, uint8_t* out, uint64_t n)
{
    const uint64_t key = Mix64(Mix64(uint64_t{src} << 32 | qp) + message);
    uint64_t word = 0;
    for (uint64_t i = 0; i < n; ++i)
    {
        const uint64_t at = offset + i;
        if (i == 0 || at % 8 == 0)
        {
            word = Mix64(key + at / 8);
        }
        out[i] = static_cast<uint8_t>(word >> (8 * (at % 8)));
    }
}

#ifdef ROCE_HAVE_ISAL

using Matrix = std::vector<uint8_t>;

/// Generator matrix of a block: total rows, the first `data` of them the identity.
Matrix
MakeGenerator(const BlockPlace& place)
{
    Matrix matrix(static_cast<std::size_t>(place.total) * place.data);
    gf_gen_cauchy1_matrix(matrix.data(), place.total, place.data);
    return matrix;
}

/// Linear combinations of packets: out[i] = sum of rows[i][j] * in[j].
void
Combine(Matrix& rows, uint32_t length, std::vector<uint8_t*>& in, std::vector<uint8_t*>& out)
{
    if (out.empty() || !length)
    {
        return;
    }
    const auto nIn = static_cast<int>(in.size());
    const auto nOut = static_cast<int>(out.size());
    std::vector<uint8_t> tables(32 * in.size() * out.size());
    ec_init_tables(nIn, nOut, rows.data(), tables.data());
    ec_encode_data(static_cast<int>(length), nIn, nOut, tables.data(), in.data(), out.data());
}

/// Fill in the data packets that are not there; exactly `data` of all are.
void
Decode(const BlockPlace& place, uint64_t arrived, std::vector<std::vector<uint8_t>>& packets)
{
    const std::size_t k = place.data;
    std::size_t length = 0;
    for (const auto& packet : packets)
    {
        length = std::max(length, packet.size());
    }
    for (auto& packet : packets)
    {
        packet.resize(length); // the last of the message may be shorter
    }
    const Matrix generator = MakeGenerator(place);
    Matrix present;
    std::vector<uint8_t*> in;
    std::vector<uint8_t*> out;
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < place.total; ++i)
    {
        if (arrived >> i & 1)
        {
            present.insert(present.end(), &generator[i * k], &generator[i * k] + k);
            in.push_back(packets[i].data());
        }
        else if (i < k)
        {
            missing.push_back(i);
            out.push_back(packets[i].data());
        }
    }
    Matrix inverse(k * k);
    if (in.size() != k || gf_invert_matrix(present.data(), inverse.data(), static_cast<int>(k)))
    {
        throw std::logic_error("ErasureVerifier: " + std::to_string(in.size()) +
                               " packets do not rebuild a block of " + std::to_string(k));
    }
    Matrix rows;
    for (const std::size_t i : missing)
    {
        rows.insert(rows.end(), &inverse[i * k], &inverse[i * k] + k);
    }
    Combine(rows, static_cast<uint32_t>(length), in, out);
}

#endif

} // namespace

bool
ErasureVerifier::IsAvailable()
{
#ifdef ROCE_HAVE_ISAL
    return true;
#else
    return false;
#endif
}

void
ErasureVerifier::Fail(uint32_t src, uint32_t qp, uint64_t message, const std::string& what)
{
    throw std::runtime_error("message " + std::to_string(message) + " of queue pair " +
                             std::to_string(qp) + " of NIC " + std::to_string(src) + ": " + what);
}

ErasureVerifier::Sender::Block
ErasureVerifier::Sender::Encode(const Frame& first, const BlockPlace& place)
{
    const std::size_t length = first.payloadBytes; // no other is longer
    Block block{place.total, first.payloadBytes, std::vector<uint8_t>(place.total * length)};
    const uint64_t bytes = std::min<uint64_t>(CodeHeaderOf(first).blockBytes, place.data * length);
    FillMessage(first.src, first.srcQp, m_messages - 1, m_offset, block.bytes.data(), bytes);
#ifdef ROCE_HAVE_ISAL
    std::vector<uint8_t*> in;
    std::vector<uint8_t*> out;
    for (std::size_t i = 0; i < place.total; ++i)
    {
        (i < place.data ? in : out).push_back(block.bytes.data() + i * length);
    }
    const Matrix generator = MakeGenerator(place);
    Matrix parity(generator.begin() + place.data * place.data, generator.end());
    Combine(parity, first.payloadBytes, in, out);
#endif
    return block;
}

void
ErasureVerifier::Sender::OnSend(Frame& frame)
{
    const BlockPlace place = CodeHeaderOf(frame).place;
    const uint64_t firstPsn = frame.psn - place.index;
    auto found = m_blocks.find(firstPsn);
    if (found == m_blocks.end())
    {
        if (frame.flags & FRAME_FIRST)
        {
            ++m_messages;
            m_offset = 0;
        }
        found = m_blocks.emplace(firstPsn, Encode(frame, place)).first;
        m_offset += CodeHeaderOf(frame).blockBytes;
    }
    if (!m_key)
    {
        Register(frame);
    }
    frame.remoteAddress = std::get<2>(*m_key) << PSN_BITS | frame.psn;
}

std::map<ErasureVerifier::Sender::Key, ErasureVerifier::Sender*>&
ErasureVerifier::Sender::GetTable()
{
    static auto* const table = new std::map<Key, Sender*>; // for good: networks end at exit, too
    return *table;
}

void
ErasureVerifier::Sender::Register(const Frame& first)
{
    m_key = Key(first.src, first.srcQp, 0);
    while (!GetTable().emplace(*m_key, this).second)
    {
        ++std::get<2>(*m_key); // of another network
    }
}

ErasureVerifier::Sender::~Sender()
{
    if (m_key)
    {
        GetTable().erase(*m_key);
    }
}

uint8_t*
ErasureVerifier::GetBytes(const Frame& frame)
{
    const uint64_t psn = frame.remoteAddress & ((1ULL << PSN_BITS) - 1);
    const auto& table = Sender::GetTable();
    const auto found = table.find({frame.src, frame.srcQp, frame.remoteAddress >> PSN_BITS});
    if (found != table.end())
    {
        auto& blocks = found->second->m_blocks;
        auto after = blocks.upper_bound(psn);
        if (after != blocks.begin())
        {
            auto& [firstPsn, block] = *--after;
            if (psn - firstPsn < block.total)
            {
                return block.bytes.data() + (psn - firstPsn) * block.length;
            }
        }
    }
    throw std::logic_error("ErasureVerifier: queue pair " + std::to_string(frame.srcQp) +
                           " of NIC " + std::to_string(frame.src) + " has no bytes of PSN " +
                           std::to_string(psn));
}

void
ErasureVerifier::Sender::Retire(uint64_t unaPsn)
{
    while (!m_blocks.empty() && m_blocks.begin()->first + m_blocks.begin()->second.total <= unaPsn)
    {
        m_blocks.erase(m_blocks.begin());
    }
}

void
ErasureVerifier::Receiver::Take(const Frame& frame)
{
    const BlockPlace place = CodeHeaderOf(frame).place;
    Block& block = m_blocks[frame.psn - place.index];
    if (!block.arrived)
    {
        block.place = place;
        block.bytes = CodeHeaderOf(frame).blockBytes;
        block.messageBytes = frame.messageBytes;
        block.packets.resize(place.total);
    }
    if (block.done || (block.arrived >> place.index & 1))
    {
        return;
    }
    m_src = frame.src;
    m_srcQp = frame.srcQp;
    block.arrived |= 1ULL << place.index;
    const uint8_t* bytes = GetBytes(frame);
    block.packets[place.index].assign(bytes, bytes + frame.payloadBytes);
    if (__builtin_popcountll(block.arrived) < block.place.data)
    {
        return;
    }
    block.done = true;
#ifdef ROCE_HAVE_ISAL
    Decode(block.place, block.arrived, block.packets);
#endif
}

uint64_t
ErasureVerifier::Receiver::Deliver(uint64_t firstPsn)
{
    const Block& block = m_blocks.at(firstPsn);
    if (!block.done)
    {
        Fail(m_src,
             m_srcQp,
             m_message,
             "delivered from " + std::to_string(__builtin_popcountll(block.arrived)) +
                 " packets, expected " + std::to_string(block.place.data));
    }
    std::vector<uint8_t> got;
    for (std::size_t i = 0; i < block.place.data; ++i)
    {
        got.insert(got.end(), block.packets[i].begin(), block.packets[i].end());
    }
    std::vector<uint8_t> expected(std::max<std::size_t>(got.size(), block.bytes)); // then zeros
    FillMessage(m_src, m_srcQp, m_message, m_offset, expected.data(), block.bytes);
    got.resize(expected.size());
    const auto [wrong, right] = std::mismatch(got.begin(), got.end(), expected.begin());
    if (wrong != got.end())
    {
        Fail(m_src,
             m_srcQp,
             m_message,
             "byte " + std::to_string(m_offset + static_cast<uint64_t>(wrong - got.begin())) +
                 " is " + std::to_string(*wrong) + ", expected " + std::to_string(*right) +
                 " (block of " + std::to_string(block.place.data) + " and " +
                 std::to_string(block.place.total - block.place.data) + " packets from PSN " +
                 std::to_string(firstPsn) + " on)");
    }
    m_offset += block.bytes;
    if (block.place.last)
    {
        if (m_offset != block.messageBytes)
        {
            Fail(m_src,
                 m_srcQp,
                 m_message,
                 "ends after " + std::to_string(m_offset) + " bytes, expected " +
                     std::to_string(block.messageBytes));
        }
        ++m_message;
        m_offset = 0;
    }
    const uint64_t next = firstPsn + block.place.total;
    m_blocks.erase(firstPsn);
    return next;
}

} // namespace ns3::roce::test
