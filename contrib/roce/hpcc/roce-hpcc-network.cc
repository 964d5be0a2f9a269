// SPDX-License-Identifier: GPL-2.0-only
#include "roce-hpcc-network.h"

#include "ns3/roce-frame.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-parameter-kinds.h"
#include "ns3/roce-value-check.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

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

namespace
{

constexpr uint64_t QUEUE_0 = 1;
constexpr uint64_t USUAL_CLASS = 1 << 3; //!< of flows, see FlowSpec
const char* const DATA_CLASSES = "ns3::roce::Switch::DataClasses";
const char* const LOSSLESS_CLASSES = "ns3::roce::Switch::LosslessClasses";

} // namespace

void
ApplyHpccClasses(
    const std::vector<FlowSpec>& flows,
    const HpccConfig& config,
    bool isProfile,
    const std::function<void(const std::string& attribute, const std::string& value)>& set)
{
    uint64_t used = flows.empty() ? USUAL_CLASS : 0;
    for (const FlowSpec& flow : flows)
    {
        used |= 1U << flow.trafficClass;
    }
    // ACKs. With one class of data its number, so that they need not look.
    const bool several = used & (used - 1);
    const auto ofData = static_cast<unsigned>(several ? N_CLASSES : __builtin_ctzll(used));
    const bool apart = config.Flag("ACK_HIGH_PRIO", !isProfile);
    const unsigned ownClass = isProfile ? 0 : 6;
    set("ns3::roce::Nic::ControlClass", std::to_string(apart ? ownClass : ofData));
    const auto mask = [&set](const std::string& attribute, uint64_t bits) {
        set(attribute, std::to_string(bits));
    };
    if (!isProfile)
    {
        mask(DATA_CLASSES, ValueCheck::DefaultNumber(DATA_CLASSES) | used);
        mask(LOSSLESS_CLASSES, used & ValueCheck::DefaultNumber(DATA_CLASSES)); // as it is now
        return;
    }
    mask(DATA_CLASSES, used & ~QUEUE_0);
    mask(LOSSLESS_CLASSES, used & ~QUEUE_0);
    mask("ns3::roce::DwrrScheduler::StrictClasses", QUEUE_0);
    set("ns3::roce::DwrrScheduler::Quantum", "0");
    mask("ns3::roce::EcnMarker::Classes", 0xff & ~QUEUE_0);
    if (used & QUEUE_0)
    {
        set("ns3::roce::Switch::ControlPoolSize", "0B");
    }
}

namespace
{

/// Times count from here.
constexpr int64_t ORIGIN_PS = 2000000000000;

constexpr uint64_t MAX_US = 1000000000000;

} // namespace

void
HpccLinkDown(const HpccConfig& config, const HpccTopology& topology, Network& network, bool reroute)
{
    const char* key = "LINK_DOWN";
    const std::vector<uint64_t> fields =
        config.Has(key) ? config.Numbers(key) : std::vector<uint64_t>{0};
    if (fields[0] == 0)
    {
        return;
    }
    if (fields[0] > MAX_US)
    {
        config.Fail(key,
                    std::to_string(fields[0]) + " us is too late, expected at most " +
                        std::to_string(MAX_US));
    }
    for (uint32_t i = 0; i < topology.links.size(); ++i)
    {
        const HpccTopology::LinkLine& link = topology.links[i];
        if (std::minmax<uint64_t>(link.a, link.b) == std::minmax(fields[1], fields[2]))
        {
            if (reroute)
            {
                network.SetReroute(0);
            }
            network.ScheduleLinkChange(ORIGIN_PS + static_cast<int64_t>(fields[0]) * 1000000,
                                       i,
                                       false);
            return;
        }
    }
    config.Fail(key,
                "no link joins " + std::to_string(fields[1]) + " and " + std::to_string(fields[2]) +
                    ", expected one of " + topology.path);
}

} // namespace ns3::roce
