// SPDX-License-Identifier: GPL-2.0-only
#include "roce-wrcc-fair-rate.h"

#include "ns3/roce-time-series.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace ns3::roce
{

namespace
{

/// @return name of a branch in the table
const char*
NameOf(WrccPortRate::Branch branch)
{
    switch (branch)
    {
    case WrccPortRate::Branch::AI:
        return "ai";
    case WrccPortRate::Branch::MD:
        return "md";
    case WrccPortRate::Branch::HOLD:
        return "hold";
    case WrccPortRate::Branch::NONE:
        break;
    }
    return "none";
}

/**
 * pfr.csv `time_ns,node,port,fair_rate_bps,input_bps,slow_down,avg_rtt_ns,extra_bytes,branch`:
 * WRCC's fair rate of switch ports, and counters of the last period (WrccFairRate).
 *
 * At intervals ports that have had input or whose fair rate has changed since the last sample; on
 * change (trace source Period) when the first frame after the end of a period meets the new rate.
 * On the time line: a counter of each port.
 */
class FairRateSeries : public Series
{
  public:
    FairRateSeries(SeriesContext& context, const SeriesMode& mode);

    void Start() override;
    void Sample(int64_t nowPs) override;

  protected:
    void WriteFields(CsvFile& csv, const SeriesRow& row) const override;
    void Draw(TimeLine& line, int64_t atPs, const SeriesRow& row) override;

  private:
    /// A port of a switch that computes a fair rate.
    struct RatedPort
    {
        WrccFairRate* stage;
        uint32_t node;
        uint16_t index;    //!< at the switch
        uint16_t port;     //!< as it is written
        WrccPortRate last; //!< as of the last sample
    };

    static SeriesRow MakeRow(const RatedPort& port, const WrccPortRate& rate);

    std::vector<RatedPort> m_ports;
};

FairRateSeries::FairRateSeries(SeriesContext& context, const SeriesMode& mode)
    : Series(context, mode)
{
    if (mode.IsOn())
    {
        OpenTable("pfr.csv",
                  {"node",
                   "port",
                   "fair_rate_bps",
                   "input_bps",
                   "slow_down",
                   "avg_rtt_ns",
                   "extra_bytes",
                   "branch"});
    }
}

void
FairRateSeries::Start()
{
    for (uint32_t s = 0; m_mode.IsOn() && s < m_context.network.GetNSwitches(); ++s)
    {
        const Ptr<Switch> sw = m_context.network.GetSwitch(s);
        auto* stage = sw->FindStage<WrccFairRate>();
        std::vector<std::size_t> places(sw->GetNPorts(), SIZE_MAX); // by port, in m_ports
        for (uint16_t p = 0; stage && p < sw->GetNPorts(); ++p)
        {
            if (m_context.switchPorts[s][p])
            {
                places[p] = m_ports.size();
                const auto number = static_cast<uint16_t>(sw->GetPort(p)->GetIfIndex());
                m_ports.push_back({stage, sw->GetNodeId(), p, number, stage->Look(p, 0)});
            }
        }
        if (stage && m_mode.onChange)
        {
            Connect<uint16_t, const WrccPortRate&, Time, Time>(
                *stage,
                "Period",
                [this, places, s](uint16_t port, const WrccPortRate& rate, Time, Time at) {
                    if (places[port] != SIZE_MAX)
                    {
                        Tell(at.GetPicoSeconds(), s, MakeRow(m_ports[places[port]], rate));
                    }
                });
        }
    }
}

SeriesRow
FairRateSeries::MakeRow(const RatedPort& port, const WrccPortRate& rate)
{
    SeriesRow row;
    row.subject = port.node;
    row.port = port.port;
    row.counts = {static_cast<uint64_t>(rate.GetRateBps()),
                  static_cast<uint64_t>(rate.GetInputBps()),
                  static_cast<uint64_t>(std::llround(rate.GetAvgRttUs() * 1e3)),
                  static_cast<uint64_t>(std::llround(rate.GetExtraBytes()))};
    row.value = rate.GetSlowDown();
    row.name = NameOf(rate.GetBranch());
    return row;
}

void
FairRateSeries::Sample(int64_t nowPs)
{
    for (RatedPort& port : m_ports)
    {
        const WrccPortRate rate = port.stage->Look(port.index, nowPs);
        if (rate.GetInputBps() > 0 || port.last.GetInputBps() > 0 ||
            rate.GetRateBps() != port.last.GetRateBps())
        {
            Tell(nowPs, 0, MakeRow(port, rate));
        }
        port.last = rate;
    }
}

void
FairRateSeries::WriteFields(CsvFile& csv, const SeriesRow& row) const
{
    csv.Uint(row.port)
        .Uint(row.counts[0])
        .Uint(row.counts[1])
        .Fixed(std::llround(row.value * 1e6), 6)
        .Uint(row.counts[2])
        .Int(static_cast<int64_t>(row.counts[3]))
        .Text(row.name);
}

void
FairRateSeries::Draw(TimeLine& line, int64_t atPs, const SeriesRow& row)
{
    line.Counter(row.subject,
                 line.PortLabel(row.subject, row.port) + " fair rate",
                 "bit/s",
                 atPs,
                 static_cast<double>(row.counts[0]));
}

[[maybe_unused]] const bool g_fairrateSeries =
    TimeSeries::Register({"pfr",
                          SeriesSubject::PORTS,
                          "pfr.csv, WRCC's fair rates of switch ports",
                          false,
                          MakeSeries<FairRateSeries>});

} // namespace

} // namespace ns3::roce
