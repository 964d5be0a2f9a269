// SPDX-License-Identifier: GPL-2.0-only
#include "roce-incast-options.h"

#include "ns3/roce-input-error.h"

#include <utility>

namespace ns3::roce
{

namespace
{

constexpr int64_t INCAST_STREAM = 10000000; // see PoissonWorkload's in roce-workload-options.cc

} // namespace

void
IncastOptions::AddOptions(CheckedCommandLine& cmd)
{
    cmd.AddValue("incastSenders", "incast: senders", senders);
    cmd.AddValue("incastBytes", "incast: bytes of each sender", bytes);
    cmd.AddValue("incastPeriod", "incast: time between incasts; 0: by incastLoad, or once", period);
    cmd.AddValue("incastLoad",
                 "incast: Poisson, this share of all host links' capacity; 0: not",
                 load);
    cmd.AddValue("incastFrom",
                 "incast: senders are in any, the receiver's or another datacenter: all, local or "
                 "remote",
                 from);
    cmd.AddValue("incastLocalSenders",
                 "incast: so many senders in the receiver's datacenter, the others elsewhere; -1: "
                 "as incastFrom says",
                 localSenders);
    cmd.AddValue("incastSpread",
                 "incast: senders stand in different racks as far as possible",
                 spread);
    cmd.AddValue("incastJitter",
                 "incast: each sender starts later by a time uniform from 0 to this",
                 jitter);
    cmd.AddValue("incastReceiver", "incast: receiving NIC; empty: random each time", receiver);
}

IncastSenders
IncastOptions::GetSenders() const
{
    for (const auto& [name, which] : {std::pair("all", IncastSenders::All),
                                      std::pair("local", IncastSenders::LocalDatacenter),
                                      std::pair("remote", IncastSenders::RemoteDatacenter)})
    {
        if (from == name)
        {
            return which;
        }
    }
    throw InputError("--incastFrom is '" + from + "', expected all, local or remote");
}

std::optional<uint32_t>
IncastOptions::GetLocalSenders() const
{
    if (localSenders == "-1")
    {
        return std::nullopt;
    }
    ValueCheck::Value("--incastLocalSenders (-1 or a number)",
                      ValueKind::UNSIGNED,
                      localSenders,
                      senders);
    if (from != "all")
    {
        throw InputError("--incastLocalSenders and --incastFrom are both given, expected one "
                         "of them");
    }
    return static_cast<uint32_t>(std::stoul(localSenders));
}

std::optional<uint32_t>
IncastOptions::GetReceiver(uint32_t nNics) const
{
    if (receiver.empty())
    {
        return std::nullopt;
    }
    ValueCheck::Value("--incastReceiver", ValueKind::UNSIGNED, receiver, nNics - 1);
    return static_cast<uint32_t>(std::stoul(receiver));
}

std::vector<FlowSpec>
IncastOptions::Generate(const Topology& topology, const Time& duration) const
{
    IncastWorkload workload;
    workload.hosts = topology.GetPlacement();
    workload.nSenders = senders;
    workload.sizeBytes = bytes;
    workload.senders = GetSenders();
    workload.receiver = GetReceiver(workload.hosts.nHosts);
    workload.nLocalSenders = GetLocalSenders();
    workload.spread = spread;
    workload.jitterPs = jitter.GetPicoSeconds();
    if (load != 0 && !period.IsZero())
    {
        throw InputError("--incastLoad and --incastPeriod are both given, expected one of them");
    }
    workload.arrivals = load != 0          ? IncastArrivals::Poisson
                        : !period.IsZero() ? IncastArrivals::Periodic
                                           : IncastArrivals::Once;
    workload.load = load;
    workload.periodPs = period.GetPicoSeconds();
    workload.hostRateBps = topology.hostRate.GetBitRate();
    workload.durationPs = duration.GetPicoSeconds();
    workload.stream = INCAST_STREAM;
    return workload.Generate();
}

std::vector<std::string>
IncastOptions::GetNames()
{
    return {"incastSenders",
            "incastBytes",
            "incastPeriod",
            "incastLoad",
            "incastFrom",
            "incastLocalSenders",
            "incastSpread",
            "incastJitter",
            "incastReceiver"};
}

void
IncastOptions::Check(uint32_t nNics) const
{
    GetSenders();
    GetLocalSenders();
    GetReceiver(nNics);
}

} // namespace ns3::roce
