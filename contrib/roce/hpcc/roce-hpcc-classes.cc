// SPDX-License-Identifier: GPL-2.0-only
#include "roce-hpcc-classes.h"

#include "ns3/roce-frame.h"
#include "ns3/roce-value-check.h"

namespace ns3::roce
{

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

} // namespace ns3::roce
