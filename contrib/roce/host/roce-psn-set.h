// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PSN_SET_H
#define ROCE_PSN_SET_H

#include <cstdint>
#include <vector>

namespace ns3::roce
{

/**
 * @brief A set of PSNs out of a window that moves upwards: a circular bitmap that grows as needed.
 *
 * The caller keeps all members within [base, base + n) for some base that only grows, and takes out
 * what falls below it. An empty set owns no memory.
 */
class PsnSet
{
  public:
    /**
     * @param psn any
     * @param basePsn lowest PSN that may be a member
     * @return whether it is a member
     */
    bool Has(uint64_t psn, uint64_t basePsn) const
    {
        return psn - basePsn < Capacity() && (m_words[Word(psn)] >> (psn & 63) & 1);
    }

    /// @param psn not below basePsn. @param basePsn lowest PSN that may be a member
    void Insert(uint64_t psn, uint64_t basePsn)
    {
        if (psn - basePsn >= Capacity())
        {
            Grow(psn, basePsn);
        }
        m_words[Word(psn)] |= 1ULL << (psn & 63);
    }

    /// @param psn within the window; need not be a member
    void Erase(uint64_t psn)
    {
        if (!m_words.empty())
        {
            m_words[Word(psn)] &= ~(1ULL << (psn & 63));
        }
    }

    /**
     * @param firstPsn of the 64 asked for
     * @param basePsn lowest PSN that may be a member
     * @return bit i: firstPsn + i is a member
     */
    uint64_t Get64(uint64_t firstPsn, uint64_t basePsn) const
    {
        uint64_t bits = 0;
        for (unsigned i = 0; i < 64; ++i)
        {
            bits |= static_cast<uint64_t>(Has(firstPsn + i, basePsn)) << i;
        }
        return bits;
    }

  private:
    /// One word is kept free, so that a window that begins within a word does not meet its own end.
    uint64_t Capacity() const
    {
        return m_words.empty() ? 0 : 64 * (m_words.size() - 1);
    }

    std::size_t Word(uint64_t psn) const
    {
        return psn / 64 & (m_words.size() - 1);
    }

    void Grow(uint64_t psn, uint64_t basePsn)
    {
        PsnSet larger;
        std::size_t words = m_words.empty() ? 4 : m_words.size();
        while (64 * (words - 1) <= psn - basePsn)
        {
            words *= 2;
        }
        larger.m_words.resize(words);
        for (uint64_t i = 0; i < Capacity(); ++i)
        {
            if (Has(basePsn + i, basePsn))
            {
                larger.Insert(basePsn + i, basePsn);
            }
        }
        m_words.swap(larger.m_words);
    }

    std::vector<uint64_t> m_words; //!< a power of two of them, or none
};

} // namespace ns3::roce

#endif /* ROCE_PSN_SET_H */
