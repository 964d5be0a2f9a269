// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PRINT_PROFILE_H
#define ROCE_PRINT_PROFILE_H

#include <string>

namespace ns3::roce
{

/**
 * @ingroup roce
 * @brief What the option --PrintProfile prints: every parameter of a type with its effective value.
 * @param text as options that name types take it: `Dcqcn[Profile=nvidia]`, `ns3::roce::Switch`, a
 *        class of a program's own
 * @return a table: parameter, value with its unit, where it comes from (AttributeInForce::from),
 *         what values there are, help
 * @throw InputError if the type is unknown or cannot be made, and for bad attributes
 */
std::string PrintProfile(const std::string& text);

} // namespace ns3::roce

#endif /* ROCE_PRINT_PROFILE_H */
