// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_API_CHECK_H
#define ROCE_API_CHECK_H

#include "ns3/object-base.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ns3::roce
{

/// @brief See CheckIndex().
[[noreturn]] void ThrowIndex(const char* what, uint64_t index, uint64_t count);

/// @brief See CheckMade().
[[noreturn]] void ThrowNull(const ObjectBase& maker, const char* function);

/**
 * @brief Check a number that the caller of a public function has given.
 * @param what is numbered, for the message: "NIC"
 * @param index the number, from 0
 * @param count how many there are
 * @throw InputError if there is no such thing
 */
inline std::size_t
CheckIndex(const char* what, std::size_t index, std::size_t count)
{
    if (__builtin_expect(index >= count, 0))
    {
        ThrowIndex(what, index, count);
    }
    return index;
}

/**
 * @brief Check what a function of an extension (a rate law, a stage ...) has made.
 * @tparam P pointer to what was made
 * @param made by the function
 * @param maker the extension
 * @param function its name, for the message: "Fork()"
 * @throw InputError if it is null
 */
template <typename P>
P
CheckMade(P made, const ObjectBase& maker, const char* function)
{
    if (__builtin_expect(!made, 0))
    {
        ThrowNull(maker, function);
    }
    return made;
}

} // namespace ns3::roce

#endif /* ROCE_API_CHECK_H */
