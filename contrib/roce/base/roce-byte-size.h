// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_BYTE_SIZE_H
#define ROCE_BYTE_SIZE_H

#include "ns3/attribute.h"
#include "ns3/queue-size.h"

#include <cstdint>
#include <iosfwd>
#include <string>

namespace ns3::roce
{

/**
 * @brief A number of bytes, which ns-3's QueueSize holds only below 4 GiB: the buffer of a long
 * link's port can need more.
 */
class ByteSize
{
  public:
    /// Texts must be of fewer bytes, 16 TiB: products with thresholds' factors fit 64 bits.
    static constexpr uint64_t LIMIT = 1ULL << 44;

    /// Units that texts may have.
    static constexpr const char* UNITS = "B kB KiB MB MiB GB GiB TB TiB";

    ByteSize() = default;

    explicit ByteSize(uint64_t bytes)
        : m_bytes(bytes)
    {
    }

    /// @param size in bytes; implicit, since whatever takes a ByteSize takes ns-3's sizes, too
    ByteSize(const QueueSize& size)
        : m_bytes(size.GetValue())
    {
    }

    /// @return bytes
    uint64_t GetValue() const
    {
        return m_bytes;
    }

    /**
     * @param text a number and one of UNITS, for example 1.5GiB
     * @param bytes [out] fractions of a byte are cut; unchanged if the text is of another form
     * @return whether it is of that form and below LIMIT
     */
    static bool Parse(const std::string& text, uint64_t& bytes);

    /**
     * @return the checker of an attribute that holds a QueueSize: its texts have UNITS, more than
     * ns-3's own checker knows
     */
    static Ptr<const AttributeChecker> MakeQueueSizeChecker();

  private:
    uint64_t m_bytes{0};
};

/// @brief Write as ns-3 writes a QueueSize. @param out where @param size what @return out
std::ostream& operator<<(std::ostream& out, const ByteSize& size);

/// @brief Read the form of ByteSize::Parse(). @param in where from @param size destination
/// @return in, failed if there is another form
std::istream& operator>>(std::istream& in, ByteSize& size);

} // namespace ns3::roce

#endif /* ROCE_BYTE_SIZE_H */
