// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_VARIABLE_H
#define ROCE_VARIABLE_H

#include "ns3/roce-congestion-control.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3::roce::test
{

/// One variable of a law, by its name in time series.
inline double
Variable(const CongestionControl& law, const std::string& name, int64_t nowPs = 0)
{
    std::vector<ControlVariable> variables;
    law.GetVariables(nowPs, variables);
    for (const ControlVariable& variable : variables)
    {
        if (variable.name == name)
        {
            return variable.value;
        }
    }
    ADD_FAILURE() << "no variable " << name;
    return std::nan("");
}

} // namespace ns3::roce::test

#endif /* ROCE_VARIABLE_H */
