// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_HPCC_KEYS_H
#define ROCE_HPCC_KEYS_H

#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief A key that configurations of the HPCC simulator, or of a simulator made from it, may have.
 */
struct HpccKey
{
    /// Form of a value.
    enum class Kind
    {
        FLAG,        //!< 0 or 1
        NUMBER,      //!< 0 or more
        PROBABILITY, //!< 0 to 1
        RATE,        //!< with unit
        TEXT,        //!< one word
        MAP,         //!< n, then n pairs of rate in bit/s and number
        THREE,       //!< three integers
    };

    const char* name;
    Kind kind;
    const char* unused; //!< why it has no effect here, or null

    /// @return the key of a name, or null if no project known here has it.
    static const HpccKey* Find(const std::string& name);

    /**
     * @param names unknown keys of one file
     * @return the simulator that the file is taken for, as "owner/project, what it means"; or empty
     */
    static std::string GuessProject(const std::vector<std::string>& names);

    /**
     * @brief Look at a value.
     * @param fields the words after the key. Of a map those after its n pairs are dropped: that
     * simulator does not read them either
     * @return what was expected instead, or nothing
     */
    std::string Check(std::vector<std::string>& fields) const;

    /// @return whether a text is a number of 0 or more. @param value [out] it
    static bool ParseNumber(const std::string& text, double& value);
};

} // namespace ns3::roce

#endif /* ROCE_HPCC_KEYS_H */
