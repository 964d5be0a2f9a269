/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_OPTION_PRESET_H
#define ROCE_OPTION_PRESET_H

#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace roce
{

/// A named set of option values, such as the network of a paper; each can still be given otherwise.
struct OptionPreset
{
    std::string name;                                        //!< as in --preset=NAME
    std::string what;                                        //!< a few words for --help
    std::vector<std::pair<std::string, std::string>> values; //!< options without dashes, and values
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_OPTION_PRESET_H */
