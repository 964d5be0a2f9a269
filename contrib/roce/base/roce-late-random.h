// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_LATE_RANDOM_H
#define ROCE_LATE_RANDOM_H

#include "ns3/rng-seed-manager.h"
#include "ns3/rng-stream.h"

#include <cstdint>
#include <optional>

namespace ns3::roce
{

/**
 * @brief The numbers of a UniformRandomVariable of ns-3 on the same stream, whose generator is made
 * when the first one is drawn: most hosts of a large network never draw any, and to find the
 * beginning of a stream takes longer than most of what a NIC does when it is made.
 */
class LateRandom
{
  public:
    /// @brief As ns-3's random variables, it has the next automatic stream until it gets another.
    LateRandom()
    {
        Use(RngSeedManager::GetNextStreamIndex());
    }

    /// @brief From now on, another stream. @param stream number, as for ns3::RandomVariableStream
    void SetStream(int64_t stream)
    {
        // ns-3 has the upper half for streams that are assigned.
        Use(stream == -1 ? RngSeedManager::GetNextStreamIndex()
                         : (uint64_t{1} << 63) + static_cast<uint64_t>(stream));
    }

    /// @return the next number from 0 to below 1
    double Draw()
    {
        if (!m_generator)
        {
            m_generator.emplace(m_seed, m_stream, m_run);
        }
        return m_generator->RandU01();
    }

    /// @return the next whole number of 32 bits
    uint32_t DrawWord()
    {
        return static_cast<uint32_t>(Draw() * 4294967296.0);
    }

  private:
    /// RngSeed and RngRun are those of now.
    void Use(uint64_t stream)
    {
        m_stream = stream;
        m_run = RngSeedManager::GetRun();
        m_seed = RngSeedManager::GetSeed();
        m_generator.reset();
    }

    uint64_t m_stream{0};
    uint64_t m_run{0};
    uint32_t m_seed{0};
    std::optional<RngStream> m_generator;
};

} // namespace ns3::roce

#endif /* ROCE_LATE_RANDOM_H */
