// SPDX-License-Identifier: GPL-2.0-only
#include "roce-utility-meter.h"

#include "roce-sketch-monitor.h"

namespace ns3::roce
{

void
UtilityMeter::Start(const TunedNetwork& network, const ParaleonParams& params)
{
    m_config = params.utility;
    m_utility.Start(m_config);
    m_pathInfo = network.pathInfo;
    m_roundTripsPs.clear();
    for (std::size_t s = 0; s < network.switches.size(); ++s)
    {
        Switch& sw = *network.switches[s];
        if (network.isTor[s])
        {
            auto* monitor = sw.FindStage<SketchMonitor>();
            if (!monitor)
            {
                sw.Install(CreateObject<SketchMonitor>());
                monitor = sw.FindStage<SketchMonitor>();
            }
            monitor->Setup(params);
        }
    }
}

TuningAgents::Options
UtilityMeter::GetAgents(const TuningUtility::Config& config)
{
    TuningAgents::Options options;
    options.rtts = options.nics = options.tors = true;
    options.otherSwitches = config.uplinks == TuningUtility::Uplinks::ALL_SWITCH_PORTS ||
                            config.pfcMetric == TuningUtility::PfcMetric::PAUSED_LINK_SHARE;
    return options;
}

int64_t
UtilityMeter::RoundTripOf(uint32_t src, uint32_t dst)
{
    const auto [place, isNew] = m_roundTripsPs.try_emplace(uint64_t{src} << 32 | dst, 0);
    if (isNew)
    {
        place->second = m_pathInfo(src, dst).baseRttPs;
    }
    return place->second;
}

TuningUtility::Terms
UtilityMeter::Measure(const TuningReports& reports, const TuningUtility::Weights& weights)
{
    const bool isShare = m_config.pfcMetric == TuningUtility::PfcMetric::PAUSED_LINK_SHARE;
    const bool allPorts = m_config.uplinks == TuningUtility::Uplinks::ALL_SWITCH_PORTS;
    m_utility.Begin(reports.toPs - reports.fromPs);
    const auto addPort = [&](const PortReport& port) {
        // It is unknown how long unused ports would have been paused; a share of links is one of
        // all.
        if (isShare || port.txBytes || port.pausedPs || port.pauseFrames)
        {
            m_utility.AddPort(port.pausedPs, port.pauseFrames);
        }
    };
    for (const NicReport& nic : reports.nics)
    {
        addPort(nic.port);
        for (const RttReport& rtt : nic.rtts)
        {
            m_utility.AddRtt(RoundTripOf(nic.nic, rtt.dst), rtt.rttPs);
        }
    }
    for (const SwitchReport& sw : reports.switches)
    {
        for (const PortReport& port : sw.ports)
        {
            addPort(port);
            if (allPorts)
            {
                m_utility.AddUplink(port.rxBytes, port.rateBps);
            }
            else if (port.isHost)
            {
                m_utility.AddUplink(port.rxDataBytes, port.rateBps);
            }
        }
    }
    return m_utility.Evaluate(weights);
}

} // namespace ns3::roce
