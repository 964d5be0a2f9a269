// SPDX-License-Identifier: GPL-2.0-only
#include "roce-class-check.h"

#include "ns3/queue-size.h"
#include "ns3/uinteger.h"

#include <array>

namespace ns3::roce
{

namespace
{

/// @return the value of an attribute that is a mask; 0 if there is no such attribute
uint32_t
MaskOf(const Object& object, const std::string& attribute)
{
    UintegerValue mask(0);
    object.GetAttributeFailSafe(attribute, mask);
    return static_cast<uint32_t>(mask.Get());
}

/// Flows by class.
class ClassCount
{
  public:
    explicit ClassCount(const std::vector<FlowSpec>& flows)
    {
        for (const FlowSpec& flow : flows)
        {
            ++m_flows.at(flow.trafficClass);
        }
    }

    /// @return the classes that have flows, bit c for class c
    uint32_t GetUsed() const
    {
        uint32_t used = 0;
        for (unsigned c = 0; c < N_CLASSES; ++c)
        {
            used |= m_flows[c] ? 1U << c : 0;
        }
        return used;
    }

    /// @return for example "5 flows are in classes 6, 7". @param mask at least one class of them
    std::string Describe(uint32_t mask) const
    {
        uint64_t count = 0;
        std::string names;
        for (unsigned c = 0; c < N_CLASSES; ++c)
        {
            if (mask >> c & 1)
            {
                count += m_flows[c];
                names += (names.empty() ? "" : ", ") + std::to_string(c);
            }
        }
        return std::to_string(count) + (count == 1 ? " flow is in class" : " flows are in class") +
               (mask & (mask - 1) ? "es " : " ") + names;
    }

  private:
    std::array<uint64_t, N_CLASSES> m_flows{};
};

} // namespace

std::vector<std::string>
CheckClasses(const Network& network, const std::vector<FlowSpec>& flows, bool lossyOnPurpose)
{
    const ClassCount count(flows);
    const uint32_t used = count.GetUsed();
    uint32_t limited = 0; // by the control pool
    uint32_t strict = 0;
    uint32_t lossy = 0;
    for (uint32_t s = 0; s < network.GetNSwitches(); ++s)
    {
        const Switch& sw = *network.GetSwitch(s);
        const uint32_t data = MaskOf(sw, "DataClasses");
        const uint32_t lossless = MaskOf(sw, "LosslessClasses");
        QueueSizeValue pool;
        sw.GetAttribute("ControlPoolSize", pool);
        limited |= pool.Get().GetValue() ? used & ~data : 0;
        lossy |= lossless ? used & data & ~lossless : 0;
        if (sw.GetNPorts()) // all ports have the same
        {
            strict |= used & MaskOf(sw.GetQueue(0), "StrictClasses");
        }
    }
    std::vector<std::string> lines;
    if (limited)
    {
        lines.push_back(count.Describe(limited) +
                        ", whose frames use the switches' control pool (Switch::DataClasses, "
                        "Switch::ControlPoolSize): without PFC, dropped when it is full" +
                        (limited & strict ? ", and before all other classes" : ""));
    }
    if (const uint32_t rest = strict & ~limited)
    {
        lines.push_back(count.Describe(rest) +
                        ", which switches serve before all others (DwrrScheduler::StrictClasses)");
    }
    if (lossy && !lossyOnPurpose)
    {
        lines.push_back(count.Describe(lossy) +
                        ", which PFC does not protect (Switch::LosslessClasses)");
    }
    return lines;
}

} // namespace ns3::roce
