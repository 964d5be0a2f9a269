// SPDX-License-Identifier: GPL-2.0-only
#include "roce-hpcc-ecn.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-parameter-kinds.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace ns3::roce
{

namespace
{

using RateMap = std::map<uint64_t, double>;

const char* const KMIN = "KMIN_MAP";
const char* const KMAX = "KMAX_MAP";
const char* const PMAX = "PMAX_MAP";

/// Refuse a curve that is none.
void
CheckCurve(const HpccConfig& config, uint64_t rate, double kmin, double kmax, double pmax)
{
    const auto refuse = [&](const char* key, double found, double most) {
        config.Fail(key,
                    "rate " + std::to_string(rate) + " has " + kind::Number::Print(found) +
                        ", expected at most " + kind::Number::Print(most));
    };
    if (pmax > 1)
    {
        refuse(PMAX, pmax, 1);
    }
    if (kmax * 1000 > HpccConfig::MAX_BYTES)
    {
        refuse(KMAX, kmax, HpccConfig::MAX_BYTES / 1000);
    }
    if (kmin > kmax)
    {
        refuse(KMIN, kmin, kmax);
    }
}

} // namespace

std::string
HpccEcnCurves(const HpccConfig& config, const HpccTopology& topology, bool isMarking)
{
    const char* maps[] = {KMIN, KMAX, PMAX};
    const auto missing = std::find_if(std::begin(maps), std::end(maps), [&](const char* map) {
        return !config.Has(map);
    });
    const bool some = std::any_of(std::begin(maps), std::end(maps), [&](const char* map) {
        return config.Has(map);
    });
    if (!some)
    {
        return "";
    }
    if (missing != std::end(maps))
    {
        throw InputError((config.GetPath().empty() ? "--set" : config.GetPath()) + ": " + *missing +
                         " is missing, expected KMIN_MAP, KMAX_MAP and PMAX_MAP or none");
    }
    const RateMap kmin = config.Map(KMIN);
    const RateMap kmax = config.Map(KMAX);
    const RateMap pmax = config.Map(PMAX);
    std::string curves;
    for (const auto& [rate, probability] : pmax)
    {
        if (!kmin.count(rate) || !kmax.count(rate))
        {
            config.Fail(PMAX,
                        "rate " + std::to_string(rate) +
                            ", expected the rates of KMIN_MAP and KMAX_MAP");
        }
        CheckCurve(config, rate, kmin.at(rate), kmax.at(rate), probability);
        const auto bytes = [](double kilobytes) {
            return std::to_string(static_cast<uint64_t>(kilobytes * 1000));
        };
        curves += (curves.empty() ? "" : ",") + std::to_string(rate) + "bps/" +
                  bytes(kmin.at(rate)) + "/" + bytes(kmax.at(rate)) + "/" +
                  kind::Number::Print(probability);
    }
    for (const HpccTopology::LinkLine& link : topology.links)
    {
        if (isMarking && !pmax.count(link.rateBps))
        {
            config.Fail(PMAX,
                        "no value for " + std::to_string(link.rateBps) + " bit/s, the rate of " +
                            topology.path + ":" + std::to_string(link.line) +
                            ", expected one for each rate, as in KMIN_MAP and KMAX_MAP");
        }
    }
    return curves;
}

} // namespace ns3::roce
