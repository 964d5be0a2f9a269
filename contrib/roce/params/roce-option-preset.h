// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_OPTION_PRESET_H
#define ROCE_OPTION_PRESET_H

#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/// A named set of option values, such as the network of a paper; each can still be given otherwise.
struct OptionPreset
{
    std::string name;                                        //!< as in --preset=NAME
    std::string what;                                        //!< a few words for --help
    std::vector<std::pair<std::string, std::string>> values; //!< options without dashes, and values

    /**
     * @brief Add a preset of a kind of topology.
     * @param topology as its class calls it: `leaf-spine`, `fat-tree`
     * @param preset a new name
     * @return true, for the initialisation of a static variable
     */
    static bool Register(const std::string& topology, const OptionPreset& preset);

    /// @return presets by name. @param topology see Register()
    static std::vector<OptionPreset> Of(const std::string& topology);
};

} // namespace ns3::roce

#endif /* ROCE_OPTION_PRESET_H */
