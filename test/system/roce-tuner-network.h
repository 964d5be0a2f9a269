// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TUNER_NETWORK_H
#define ROCE_TUNER_NETWORK_H

#include "roce-test-network.h"

#include "ns3/boolean.h"
#include "ns3/roce-dcqcn.h"
#include "ns3/roce-deployment.h"
#include "ns3/roce-tuner.h"

#include <functional>
#include <string>
#include <vector>

namespace ns3::roce::test
{

/// Reports what it is told and dispatches what a test says.
class ProbeTuner : public Tuner
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::roce::test::ProbeTuner")
                                .SetParent<Tuner>()
                                .SetGroupName("RoceTest")
                                .AddConstructor<ProbeTuner>();
        return tid;
    }

    using Tuner::CheckSettings;
    using Tuner::Dispatch;
    using Tuner::GetValue;

    std::vector<TuningReports> history;                     //!< of all intervals
    std::function<void(const TuningReports&)> onInterval{}; //!< or nothing

  protected:
    TuningAgents::Options GetAgents(const TunedNetwork&) const override
    {
        TuningAgents::Options options;
        options.rtts = options.nics = options.tors = options.otherSwitches = true;
        return options;
    }

    void OnInterval(const TuningReports& reports) override
    {
        history.push_back(reports);
        if (onInterval)
        {
            onInterval(reports);
        }
    }
};

/// Two racks of hosts and one spine: NICs 0 .. n-1 at switch 1, n .. 2n-1 at switch 2.
struct TunedRacks
{
    Network net;

    /// @param perRack hosts of a rack @param options of Build() @param rate of all links
    explicit TunedRacks(uint32_t perRack, const Network::Options& options, uint64_t rate = 100 * G)
    {
        const uint32_t spine = net.AddSwitch("spine", 0);
        for (const char* name : {"a", "b"})
        {
            const uint32_t tor = net.AddSwitch(name, 0);
            net.Connect(tor, spine, rate, US);
            for (uint32_t host = 0; host < perRack; ++host)
            {
                net.AddNic(net.AddHost(name + std::to_string(host), 0), tor, rate, US);
            }
        }
        net.Build(options);
        net.AssignStreams(1);
    }

    /// @return the tuner. @tparam T its class
    template <typename T>
    T& TunerAs()
    {
        return dynamic_cast<T&>(*net.GetTuner());
    }

    /// @return the parameters of new queue pairs of a NIC
    const DcqcnParams& Law(uint32_t nic)
    {
        return dynamic_cast<const Dcqcn&>(*net.GetNic(nic)->GetProfile()->GetLaw()).GetParams();
    }
};

/// @return options with a tuner. @param text TypeId and attributes
inline Network::Options
WithTuner(const std::string& text)
{
    Network::Options options;
    ObjectFactoryValue value;
    value.DeserializeFromString(WithMadeProfile("ns3::roce::" + text), MakeObjectFactoryChecker());
    options.tuner = value.Get();
    return options;
}

/// @return a NIC's or switch's attribute Eager set for networks to come. @param eager value
inline void
SetEager(bool eager)
{
    Config::SetDefault("ns3::roce::Nic::Eager", BooleanValue(eager));
    Config::SetDefault("ns3::roce::Switch::Eager", BooleanValue(eager));
}

} // namespace ns3::roce::test

#endif /* ROCE_TUNER_NETWORK_H */
