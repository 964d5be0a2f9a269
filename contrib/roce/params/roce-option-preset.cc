// SPDX-License-Identifier: GPL-2.0-only
#include "roce-option-preset.h"

#include <map>

namespace ns3::roce
{

namespace
{

/// @return presets by topology and name
std::map<std::string, std::map<std::string, OptionPreset>>&
Presets()
{
    static std::map<std::string, std::map<std::string, OptionPreset>> presets;
    return presets;
}

} // namespace

bool
OptionPreset::Register(const std::string& topology, const OptionPreset& preset)
{
    return Presets()[topology].emplace(preset.name, preset).second;
}

std::vector<OptionPreset>
OptionPreset::Of(const std::string& topology)
{
    std::vector<OptionPreset> found;
    for (const auto& [name, preset] : Presets()[topology])
    {
        found.push_back(preset);
    }
    return found;
}

} // namespace ns3::roce
