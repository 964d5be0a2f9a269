// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NVIDIA_NAMES_H
#define ROCE_NVIDIA_NAMES_H

#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Parameters of DCQCN and ECN under the names that NVIDIA's NICs and switches give them.
 *
 * Source of names, units and defaults: NVIDIA DOCA SDK documentation, "DCQCN CC Parameters".
 */
class NvidiaNames
{
  public:
    /// Full name of an attribute, and its value.
    using Setting = std::pair<std::string, std::string>;

    /**
     * @brief Read a file of lines `rpg_ai_rate=50` or `rpg_ai_rate 50`; `#` starts a comment. Or
     * what a tool prints: `mlxconfig -d DEVICE query`, `grep -r . /sys/class/net/NAME/ecn`.
     *
     * Values are whole numbers in NVIDIA's units. Capitals, mlxconfig's suffix of the port
     * (`RPG_AI_RATE_P1`) and its words (`True(1)`) are understood. Parameters that the file does
     * not name are unchanged. What a tool prints is known by its first line; rows of other names
     * are left out, of several columns the current values count, and a name may be there again, for
     * another port, with the same value.
     *
     * @return attributes in the file's order; both clamp_tgt_rate names are one attribute
     * @throw InputError naming file and line: an unknown name, a repeated one, a value that is no
     * whole number or out of range, of its unit or of the attribute; a file without any
     */
    static std::vector<Setting> Read(const std::string& path);

    static std::vector<std::string> GetNames();
};

} // namespace ns3::roce

#endif /* ROCE_NVIDIA_NAMES_H */
