// SPDX-License-Identifier: GPL-2.0-only
#include "roce-tuning-utility.h"

#include "roce-paraleon-params.h"
#include "roce-sketch-monitor.h"

#include "ns3/roce-time.h"

#include <algorithm>

namespace ns3::roce
{

namespace
{

// Artifacts of the paper's authors.
constexpr int64_t CONSTANT_DELAY_PS = 40 * PS_PER_US; //!< base delay of every pair
constexpr double FRAME_DELAY_PS = 5e6;                //!< what a PAUSE frame counts

} // namespace

void
TuningUtility::Start(const Config& config)
{
    *this = TuningUtility();
    m_config = config;
}

void
TuningUtility::Begin(int64_t intervalPs)
{
    const Config config = m_config;
    Start(config);
    m_intervalPs = static_cast<double>(intervalPs);
}

void
TuningUtility::AddUplink(uint64_t bytes, uint64_t rateBps)
{
    const double used =
        static_cast<double>(bytes) * 8e12 / (static_cast<double>(rateBps) * m_intervalPs);
    if (used > m_config.activeThreshold)
    {
        m_utilisation += used;
        ++m_uplinks;
    }
}

void
TuningUtility::AddRtt(int64_t roundTripPs, int64_t rttPs)
{
    const auto base = static_cast<double>(
        m_config.baseDelayMode == BaseDelayMode::CONSTANT ? CONSTANT_DELAY_PS : roundTripPs);
    const auto rtt = static_cast<double>(rttPs);
    ++m_pairs;
    m_basePs += base;
    m_rttPs += rtt;
    m_ratios += base / rtt;
}

void
TuningUtility::AddPort(int64_t pausedPs, uint64_t pauseFrames)
{
    ++m_ports;
    m_pausedPorts += pausedPs > 0 ? 1 : 0;
    m_toldPorts += pauseFrames ? 1 : 0;
    m_pausedPs += static_cast<double>(pausedPs);
    m_pauseFrames += pauseFrames;
}

double
TuningUtility::PauseTerm() const
{
    if (!m_ports)
    {
        return 1;
    }
    const auto ports = static_cast<double>(m_ports);
    double share = 0;
    switch (m_config.pfcMetric)
    {
    case PfcMetric::EXACT_TIME:
        share = m_pausedPs / ports / m_intervalPs;
        break;
    case PfcMetric::FRAME_COUNT:
        if (m_toldPorts)
        {
            share = static_cast<double>(m_pauseFrames) / static_cast<double>(m_toldPorts) *
                    FRAME_DELAY_PS / m_intervalPs;
        }
        break;
    case PfcMetric::PAUSED_LINK_SHARE:
        share = static_cast<double>(m_pausedPorts) / ports;
        break;
    }
    return 1 - std::min(1.0, share);
}

TuningUtility::Terms
TuningUtility::Evaluate(const Weights& weights) const
{
    Terms terms;
    terms.any = m_uplinks || m_pairs;
    terms.all = m_uplinks && m_pairs;
    terms.tp = m_uplinks ? m_utilisation / static_cast<double>(m_uplinks) : 0;
    if (m_pairs)
    {
        terms.rtt = m_config.rttMetric == RttMetric::MEAN_OF_RATIOS
                        ? m_ratios / static_cast<double>(m_pairs)
                        : m_basePs / m_rttPs;
    }
    terms.pfc = PauseTerm();
    terms.u = weights.tp * terms.tp + weights.rtt * terms.rtt + weights.pfc * terms.pfc;
    return terms;
}

const TuningUtility::Weights&
TuningUtility::GetWeights(bool elephantsDominate) const
{
    const WeightMode mode = m_config.weightMode;
    const bool forElephants =
        mode == WeightMode::ELEPHANTS || (mode != WeightMode::MICE && elephantsDominate);
    return forElephants ? m_config.elephants : m_config.mice;
}

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
