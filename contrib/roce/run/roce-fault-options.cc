// SPDX-License-Identifier: GPL-2.0-only
#include "roce-fault-options.h"

#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/object-factory.h"
#include "ns3/roce-error-model-loss.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-loss-model.h"
#include "ns3/roce-text-form.h"
#include "ns3/string.h"

#include <algorithm>
#include <functional>
#include <sstream>
#include <tuple>
#include <utility>

namespace ns3::roce
{

namespace
{

int64_t
ParseTime(const std::string& what, const std::string& text)
{
    ValueCheck::Value(what, ValueKind::TIME, text);
    const int64_t ps = Time(text).GetPicoSeconds();
    if (ps < 0)
    {
        throw InputError(what + " is '" + text + "', expected 0 or more");
    }
    return ps;
}

ObjectFactory
ParseFactory(const std::string& text, const TypeId& base)
{
    ObjectFactory factory;
    std::istringstream(ValueCheck::Factory("--lossModel", text, base)) >> factory;
    return factory;
}

/// @return whether a switch at one end has WAN links
bool
IsAtBorder(const Link& link)
{
    for (unsigned end : {0, 1})
    {
        const auto* sw = dynamic_cast<const Switch*>(link.GetPort(end)->GetOwner());
        for (uint16_t p = 0; sw && p < sw->GetNPorts(); ++p)
        {
            if (sw->IsWanPort(p))
            {
                return true;
            }
        }
    }
    return false;
}

/// Refuse a rate that is given twice. @param object to which --loss is not applied yet @param name
/// of its type @param attribute its mean loss rate
void
RefuseTwoRates(const ObjectBase& object, const std::string& name, const std::string& attribute)
{
    DoubleValue own;
    object.GetAttribute(attribute, own);
    if (own.Get() != 0)
    {
        throw InputError("--loss with --lossModel=" + name + ", whose " + attribute + " is " +
                         own.SerializeToString(MakeDoubleChecker<double>()) +
                         "; expected one of them");
    }
}

/// Refuse a model that never loses anything. @param name of its type
void
RefuseLossless(const LossModel& model, const std::string& name)
{
    model.Check();
    if (!model.CanLose())
    {
        throw InputError("--lossModel=" + name +
                         " loses nothing, expected a rate above 0 (--loss, or an attribute)");
    }
}

const NamedValues<FaultOptions::LossyLinks> LOSSY_LINKS{
    {{"all", FaultOptions::LossyLinks::ALL},
     {"host", FaultOptions::LossyLinks::HOST},
     {"fabric", FaultOptions::LossyLinks::FABRIC},
     {"wan", FaultOptions::LossyLinks::WAN},
     {"border", FaultOptions::LossyLinks::BORDER}}};

/// A failure, and the link that it names.
struct Window
{
    uint32_t link;
    unsigned directions;
    const FaultOptions::Failure* failure;
};

/// @return links and directions by their names. @param option for messages
std::vector<Window>
FindWindows(const std::string& option,
            const Network& network,
            const std::vector<FaultOptions::Failure>& failures)
{
    std::vector<Window> windows;
    for (const FaultOptions::Failure& failure : failures)
    {
        try
        {
            const auto [link, end] = network.FindLink(failure.first, failure.second, failure.index);
            windows.push_back({link, failure.oneWay ? 1U << end : unsigned{Link::BOTH}, &failure});
        }
        catch (const InputError& error)
        {
            throw InputError(option + " has '" + failure.text + "': " + error.what());
        }
    }
    return windows;
}

/// @throw InputError for two entries of one direction of a link at the same time @param state then
/// @param what the entries are
void
RefuseOverlap(const std::string& option,
              const std::string& state,
              const std::string& what,
              const std::vector<Window>& windows)
{
    for (const Window& a : windows)
    {
        for (const Window& b : windows)
        {
            if (a.failure < b.failure && a.link == b.link && (a.directions & b.directions) &&
                (a.failure->toPs < 0 || a.failure->toPs >= b.failure->fromPs) &&
                (b.failure->toPs < 0 || b.failure->toPs >= a.failure->fromPs))
            {
                throw InputError(option + " has '" + b.failure->text + "', but " + state +
                                 " at that time by '" + a.failure->text + "'; expected " + what +
                                 " one after the other");
            }
        }
    }
}

/// As MakeLossFactory(), of a model of ns-3. @param tid its type @param name the type's, as given
std::function<Ptr<LossModel>()>
MakeErrorModelFactory(const std::string& text, double rate, TypeId tid, const std::string& name)
{
    ObjectFactory factory = ParseFactory(text, ErrorModel::GetTypeId());
    if (rate > 0)
    {
        if (tid != RateErrorModel::GetTypeId())
        {
            throw InputError("--loss with --lossModel=" + name +
                             ", which has no mean rate of frames; expected no --loss");
        }
        RefuseTwoRates(*factory.Create(), name, "ErrorRate");
        factory.Set("ErrorRate", DoubleValue(rate));
        factory.Set("ErrorUnit", StringValue("ERROR_UNIT_PACKET"));
    }
    const auto make = [factory] {
        Ptr<ErrorModelLoss> model = CreateObject<ErrorModelLoss>();
        model->SetErrorModel(factory.Create<ErrorModel>());
        return model;
    };
    RefuseLossless(*make(), name);
    return make;
}

/// Makes loss models of the kind and with the rate that the options say.
std::function<Ptr<LossModel>()>
MakeLossFactory(const std::string& text, double rate)
{
    const std::string name = text.substr(0, text.find('['));
    TypeId tid;
    if (TypeId::LookupByNameFailSafe(name, &tid) && tid.IsChildOf(ErrorModel::GetTypeId()))
    {
        return MakeErrorModelFactory(text, rate, tid, name);
    }
    ObjectFactory factory = ParseFactory(text, LossModel::GetTypeId());
    if (rate > 0)
    {
        const Ptr<LossModel> model = factory.Create<LossModel>();
        const char* attribute = model->GetRateAttribute();
        if (!attribute)
        {
            throw InputError("--loss with --lossModel=" + name +
                             ", whose rate follows from its own attributes; expected no --loss");
        }
        RefuseTwoRates(*model, name, attribute);
        factory.Set(attribute, DoubleValue(rate));
    }
    RefuseLossless(*factory.Create<LossModel>(), name);
    return [factory] { return factory.Create<LossModel>(); };
}

} // namespace

void
FaultOptions::AddOptions(OptionTable& table)
{
    table.AddValue("loss",
                   "Mean loss rate of frames, for each direction of a lossy link",
                   loss,
                   Range::Within(0, 1));
    table
        .AddChoice("lossLinks",
                   "Lossy links: all, host, fabric, wan or border (wan, and fabric's to the same "
                   "switches)",
                   lossLinks,
                   LOSSY_LINKS.names)
        .UnusedIf([this] { return lossModel.empty() && loss == 0; },
                  "without --loss or --lossModel");
    table
        .AddValue("lossModel",
                  "What frames are lost by: " + ValueCheck::KnownTypes(LossModel::GetTypeId()) +
                      "; or a model of ns-3: " + ValueCheck::KnownTypes(ErrorModel::GetTypeId()) +
                      "; [Attribute=value|...] may follow",
                  lossModel)
        .Replaces("ns3::roce::Port::LossModel")
        .Replaces("ns3::roce::Port::ReceiveErrorModel");
    table.AddValue("failLinks",
                   "Failures, for example dc0-leaf0/dc0-spine1@10ms-20ms,dc0-dci0>dc1-dci0#1@0ms",
                   failLinks);
    table.AddValue("pausePeers",
                   "What pauses its peer: a storm of pauses, dc0-leaf0>dc0-spine1@1ms-2ms, or a "
                   "slow host, dc0-host3>dc0-leaf0:10Gbps@1ms-2ms",
                   pausePeers);
    table
        .AddOptional("reroute",
                     "Routes avoid failed links after this time; none: never",
                     reroute,
                     "none")
        .UnusedIf([this] { return reroute && m_network && m_network->GetLastChangePs() < 0; },
                  "without --failLinks");
}

namespace
{

/// @param option for messages @param text its value @param form what follows the first name, up to
/// @FROM @param expected for messages
std::vector<FaultOptions::Failure>
ParseEntries(const std::string& option,
             const std::string& text,
             const std::string& form,
             const std::string& expected)
{
    const TextForm entry("([^/>#@]+)" + form + "@([^-@]+)(-([^-@]+))?");
    std::vector<FaultOptions::Failure> failures;
    std::istringstream list(text);
    for (std::string item; std::getline(list, item, ',');)
    {
        const std::vector<std::string> match = entry.Match(item);
        if (match.empty())
        {
            throw InputError(option + " has '" + item + "', expected " + expected);
        }
        FaultOptions::Failure failure;
        failure.text = item;
        failure.first = match[1];
        failure.oneWay = match[2] == ">";
        failure.second = match[3];
        failure.index = !match[5].empty() ? static_cast<uint32_t>(std::stoul(match[5])) : 0;
        if (!match[7].empty())
        {
            ValueCheck::Value(option + ": rate", ValueKind::DATA_RATE, match[7]);
            failure.drainBps = DataRate(match[7]).GetBitRate();
        }
        failure.fromPs = ParseTime(option + ": time", match[8]);
        if (!match[10].empty())
        {
            failure.toPs = ParseTime(option + ": time", match[10]);
            if (failure.toPs <= failure.fromPs)
            {
                throw InputError(option + " has '" + item + "', expected " +
                                 (option == "--failLinks" ? "a repair" : "an end") + " after " +
                                 match[8]);
            }
        }
        failures.push_back(failure);
    }
    return failures;
}

} // namespace

std::vector<FaultOptions::Failure>
FaultOptions::ParseFailures(const std::string& text)
{
    return ParseEntries("--failLinks",
                        text,
                        "([/>])([^/>#@]+)(#([0-9]{1,9}))?(())",
                        "NAME/NAME[#INDEX]@FROM[-TO], for example dc0-leaf0/dc0-spine1@10ms-20ms");
}

std::vector<FaultOptions::Failure>
FaultOptions::ParsePauses(const std::string& text)
{
    return ParseEntries("--pausePeers",
                        text,
                        "(>)([^/>#@:]+)(#([0-9]{1,9}))?(:([^@]+))?",
                        "NAME>NAME[#INDEX][:RATE]@FROM[-TO], for example "
                        "dc0-host3>dc0-leaf0:10Gbps@1ms-2ms");
}

void
FaultOptions::Apply(Network& network)
{
    OptionTable::Check(*this, "--");
    m_network = &network;
    ApplyLoss(network);
    ApplyFailures(network);
    ApplyPauses(network);
}

bool
FaultOptions::IsLossy(const Network& network, uint32_t link) const
{
    switch (lossLinks)
    {
    case LossyLinks::HOST:
        return network.GetLinkKind(link) == Network::LinkKind::HOST;
    case LossyLinks::FABRIC:
        return network.GetLinkKind(link) == Network::LinkKind::FABRIC;
    case LossyLinks::WAN:
        return network.GetLinkKind(link) == Network::LinkKind::WAN;
    case LossyLinks::BORDER:
        return IsAtBorder(network.GetLink(link));
    case LossyLinks::ALL:
        break;
    }
    return true;
}

void
FaultOptions::ApplyLoss(Network& network) const
{
    if (lossModel.empty() && loss == 0)
    {
        return;
    }
    const auto make = MakeLossFactory(lossModel.empty() ? "RandomLoss" : lossModel, loss);
    uint32_t lossy = 0;
    for (uint32_t link = 0; link < network.GetNLinks(); ++link)
    {
        if (IsLossy(network, link))
        {
            ++lossy;
            for (unsigned end : {0, 1})
            {
                network.GetLink(link).GetPort(end)->SetLossModel(make());
            }
        }
    }
    if (!lossy)
    {
        throw InputError(
            "--lossLinks is '" + LOSSY_LINKS.Print(lossLinks) +
            "', but there is no such link; expected one of all, host, fabric, wan, border");
    }
}

void
FaultOptions::ApplyFailures(Network& network) const
{
    if (reroute)
    {
        network.SetReroute(reroute->GetPicoSeconds());
    }

    const std::vector<Failure> failures = ParseFailures(failLinks);
    const std::vector<Window> windows = FindWindows("--failLinks", network, failures);
    RefuseOverlap("--failLinks", "the link is down", "failures", windows);
    for (const Window& a : windows)
    {
        network.ScheduleLinkChange(a.failure->fromPs, a.link, false, a.directions);
        if (a.failure->toPs >= 0)
        {
            network.ScheduleLinkChange(a.failure->toPs, a.link, true, a.directions);
        }
    }
}

void
FaultOptions::ApplyPauses(Network& network) const
{
    const std::vector<Failure> entries = ParsePauses(pausePeers);
    const std::vector<Window> windows = FindWindows("--pausePeers", network, entries);
    RefuseOverlap("--pausePeers", "the port pauses its peer", "entries", windows);
    for (const auto& [link, directions, entry] : windows)
    {
        try
        {
            network.SchedulePauses(entry->fromPs,
                                   entry->toPs,
                                   link,
                                   directions >> 1,
                                   entry->drainBps);
        }
        catch (const InputError& error)
        {
            throw InputError("--pausePeers has '" + entry->text + "': " + error.what());
        }
    }
}

} // namespace ns3::roce
