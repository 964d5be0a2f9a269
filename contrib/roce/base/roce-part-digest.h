// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PART_DIGEST_H
#define ROCE_PART_DIGEST_H

#include <functional>
#include <string>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief One part of a result's inputs, and its SHA-256.
 */
struct PartDigest
{
    /// Takes a name and its value.
    using Visitor = std::function<void(const std::string& name, const std::string& value)>;

    std::string name;
    std::function<void(const Visitor&)> visit; //!< its contents, always in the same order
    std::string sha256;                        //!< of that

    /// @param name see above @param visit see above
    PartDigest(const std::string& name, std::function<void(const Visitor&)> visit);
};

} // namespace ns3::roce

#endif /* ROCE_PART_DIGEST_H */
