// SPDX-License-Identifier: GPL-2.0-only
#include "roce-tuner.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-wake-timer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <sstream>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(Tuner);

namespace
{

/// @return whether an object is of a class that a Setting names
bool
IsOf(const Object& object, const std::string& target)
{
    const std::string name = object.GetInstanceTypeId().GetName();
    return name == target || name == "ns3::roce::" + target;
}

Ptr<CongestionControl>
LawOf(Nic& nic, bool interDc)
{
    return nic.GetProfile(interDc)->GetOwnLaw();
}

void
Set(Object& object, const std::vector<Tuner::Setting>& settings)
{
    for (const Tuner::Setting& setting : settings)
    {
        if (IsOf(object, setting.target) &&
            !object.SetAttributeFailSafe(setting.attribute, StringValue(setting.value)))
        {
            throw InputError(setting.target + " has no " + setting.attribute +
                             ", or it cannot be " + setting.value);
        }
    }
}

/// @return first and last of each range in a text such as "3,7-9". @param name of the attribute
std::vector<std::pair<uint64_t, uint64_t>>
ReadNumbers(const char* name, const std::string& text)
{
    std::vector<std::pair<uint64_t, uint64_t>> ranges;
    std::istringstream list(text);
    for (std::string item; std::getline(list, item, ',');)
    {
        const std::string last = item.substr(item.find('-') + 1);
        const std::string first = last.size() < item.size() ? item.substr(0, item.find('-')) : last;
        int64_t from = 0;
        int64_t to = 0;
        const bool good = kind::Count::Parse(first, from) && kind::Count::Parse(last, to);
        TunerParams::Table().Require(good && from > 0 && from <= to,
                                     name,
                                     "'" + text + "'",
                                     "numbers from 1 on and ranges of them, for example 3,7-9");
        ranges.emplace_back(from, to);
    }
    return ranges;
}

bool
Concerns(const Object& object, const std::vector<Tuner::Setting>& settings)
{
    return std::any_of(settings.begin(), settings.end(), [&](const Tuner::Setting& setting) {
        return IsOf(object, setting.target);
    });
}

} // namespace

const ParameterTable<TunerParams>&
TunerParams::Table()
{
    using P = TunerParams;
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::Tuner")
            .Duration("MonitorInterval",
                      &P::monitorIntervalPs,
                      {1'000'000'000},
                      Range::AtLeast(1'000'000)) // PARALEON, table III
            .Help("Time between two reports")
            .Duration("ControlDelay", &P::controlDelayPs, {0}, Range::AtLeast(0))
            .Help("From the end of an interval until new parameters are effective")
            .Number("ReportLoss", &P::reportLoss, {0}, Range::Within(0, 1))
            .Help("Probability that a report is lost")
            .Number("DispatchLoss", &P::dispatchLoss, {0}, Range::Within(0, 1))
            .Help("Probability that new parameters do not reach a device")
            .Text("LostReports", &P::lostReports, {""})
            .Help("Numbers (from 1) of additional reports to drop, in the order in which they are "
                  "sent: NICs', then switches', interval by interval; for example 3,7-9")
            .Text("LostDispatches", &P::lostDispatches, {""})
            .Help("Numbers (from 1) of additional messages to devices to drop, in the order in "
                  "which they are sent: to NICs, then to switches; as LostReports")
            .Finish([](P& p, const Parameters<P>&) {
                p.reportsToLose = ReadNumbers("LostReports", p.lostReports);
                p.dispatchesToLose = ReadNumbers("LostDispatches", p.lostDispatches);
            });
    return table;
}

TypeId
Tuner::GetTypeId()
{
    static const TypeId tid =
        TunerParams::Table()
            .AddTo(TypeId("ns3::roce::Tuner").SetParent<Object>().SetGroupName("Roce"),
                   &Tuner::m_parameters)
            .AddTraceSource("Interval",
                            "A monitor interval has ended, and the tuner has decided",
                            MakeTraceSourceAccessor(&Tuner::m_intervalTrace),
                            "ns3::roce::Tuner::IntervalCallback");
    return tid;
}

Tuner::Tuner()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

Tuner::~Tuner() = default;

void
Tuner::DoDispose()
{
    m_next.Cancel();
    for (EventId& event : m_onTheWay)
    {
        event.Cancel();
    }
    m_network = {};
    Object::DoDispose();
}

void
Tuner::Install(TunedNetwork network)
{
    m_parameters.Get(); // throws for bad values
    m_network = std::move(network);
    DoInstall();
    m_agents.Install(m_network, GetAgents(m_network));
    m_lastPs = NowPs();
    m_next = Simulator::Schedule(PicoSeconds(GetIntervalPs()), &Tuner::OnTick, this);
}

int64_t
Tuner::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1 + DoAssignStreams(stream + 1);
}

void
Tuner::Count(std::map<std::string, uint64_t>& counters) const
{
    counters["tunerIntervals"] += m_counters.intervals;
    counters["tunerReports"] += m_counters.reports;
    counters["tunerReportBytes"] += m_counters.reportBytes;
    counters["tunerReportsLost"] += m_counters.reportsLost;
    counters["tunerDispatches"] += m_counters.dispatches;
    counters["tunerDispatchBytes"] += m_counters.dispatchBytes;
    counters["tunerDispatchesLost"] += m_counters.dispatchesLost;
}

bool
Tuner::IsLost(double probability,
              const std::vector<std::pair<uint64_t, uint64_t>>& toLose,
              uint64_t number)
{
    const bool isDrawn = probability > 0 && m_random->GetValue() < probability;
    return isDrawn || std::any_of(toLose.begin(), toLose.end(), [number](const auto& range) {
               return range.first <= number && number <= range.second;
           });
}

template <typename T>
void
Tuner::LoseReports(std::vector<T>& reports, uint32_t bytes)
{
    m_counters.reportBytes += reports.size() * bytes;
    const TunerParams& p = *m_parameters.Get();
    const auto isLost = [&](const T&) {
        return IsLost(p.reportLoss, p.reportsToLose, ++m_counters.reports);
    };
    const auto end = std::remove_if(reports.begin(), reports.end(), isLost);
    m_counters.reportsLost += static_cast<uint64_t>(reports.end() - end);
    reports.erase(end, reports.end());
}

void
Tuner::OnTick()
{
    m_network.catchUp();
    TuningReports reports;
    reports.fromPs = m_lastPs;
    reports.toPs = m_lastPs = NowPs();
    m_agents.Collect(reports, WantsNicReports(), m_lastPs);
    LoseReports(reports.nics, GetNicReportBytes());
    LoseReports(reports.switches, GetSwitchReportBytes());
    ++m_counters.intervals;
    m_onTheWay.erase(std::remove_if(m_onTheWay.begin(),
                                    m_onTheWay.end(),
                                    [](const EventId& event) { return event.IsExpired(); }),
                     m_onTheWay.end());
    OnInterval(reports);
    if (!m_network.isDone())
    {
        m_next = Simulator::Schedule(PicoSeconds(GetIntervalPs()), &Tuner::OnTick, this);
    }
}

void
Tuner::Dispatch(Change change)
{
    if (const int64_t delayPs = m_parameters.Get()->controlDelayPs)
    {
        m_onTheWay.push_back(Simulator::Schedule(PicoSeconds(delayPs), [this, change] {
            m_network.catchUp();
            Apply(change);
        }));
    }
    else
    {
        Apply(change);
    }
}

void
Tuner::Apply(const Change& change)
{
    m_network.noteShared();
    const uint32_t bytes = GetDispatchBytes(change.settings.size());
    const auto reaches = [&](uint32_t size) {
        const TunerParams& p = *m_parameters.Get();
        const bool isLost = IsLost(p.dispatchLoss, p.dispatchesToLose, ++m_counters.dispatches);
        m_counters.dispatchBytes += size;
        m_counters.dispatchesLost += isLost;
        return !isLost;
    };
    for (uint32_t n = 0; !change.settings.empty() && n < m_network.nics.size(); ++n)
    {
        if (reaches(bytes))
        {
            ApplyToNic(n, change.settings);
        }
    }
    for (const Ptr<Nic>& nic : m_network.nics)
    {
        nic->RetuneReceivers();
    }
    for (uint32_t s = 0; s < m_network.switches.size(); ++s)
    {
        const auto curves = std::count_if(change.curves.begin(),
                                          change.curves.end(),
                                          [s](const PortCurve& curve) { return curve.sw == s; });
        const auto curveBytes = GetDispatchBytes(3 * static_cast<std::size_t>(curves));
        if ((!change.settings.empty() || curves) &&
            reaches((change.settings.empty() ? 0 : bytes) + (curves ? curveBytes : 0)))
        {
            ApplyToSwitch(s, change);
        }
    }
}

void
Tuner::ApplyToNic(uint32_t nic, const std::vector<Setting>& settings) const
{
    for (const bool interDc : {false, true})
    {
        if (interDc && !m_network.hasInterDc)
        {
            continue;
        }
        const Ptr<CongestionControl> law = LawOf(*m_network.nics[nic], interDc);
        if (!Concerns(*law, settings))
        {
            continue;
        }
        const Ptr<CongestionControl> after = law->Fork(); // all else is kept
        Set(*after, settings);
        m_network.nics[nic]->Retune(interDc, after);
    }
}

void
Tuner::ApplyToSwitch(uint32_t sw, const Change& change) const
{
    Switch& device = *m_network.switches[sw];
    const int64_t nowPs = NowPs();
    for (const Ptr<SwitchStage>& stage : device.GetStages())
    {
        if (Concerns(*stage, change.settings))
        {
            Set(*stage, change.settings);
            device.Retune(*stage, nowPs); // at the same time as all others
        }
    }
    for (const PortCurve& curve : change.curves)
    {
        if (curve.sw == sw)
        {
            device.CatchUp(nowPs);
            if (auto* marker = device.FindStage<EcnMarker>())
            {
                marker->SetCurve(curve.port, curve.curve);
            }
        }
    }
}

std::string
Tuner::GetValue(const std::string& target, const std::string& attribute) const
{
    const auto read = [&](const Object& object) {
        StringValue text;
        if (!object.GetAttributeFailSafe(attribute, text))
        {
            throw InputError(GetInstanceTypeId().GetName() + ": " + target + " has no attribute " +
                             attribute);
        }
        return text.Get();
    };
    for (const Ptr<Nic>& nic : m_network.nics)
    {
        for (const bool interDc : {false, true})
        {
            const Ptr<CongestionControl> law = LawOf(*nic, interDc && m_network.hasInterDc);
            if (IsOf(*law, target))
            {
                return read(*law);
            }
        }
    }
    for (const Ptr<Switch>& sw : m_network.switches)
    {
        for (const Ptr<SwitchStage>& stage : sw->GetStages())
        {
            if (IsOf(*stage, target))
            {
                return read(*stage);
            }
        }
    }
    throw InputError(
        GetInstanceTypeId().GetName() + " tunes " + target + "." + attribute + ", but NICs use " +
        LawOf(*m_network.nics.front(), false)->GetInstanceTypeId().GetName() +
        " and no switch has a stage " + target + ", expected one of them to be " + target);
}

void
Tuner::CheckLaw(bool interDc, const std::vector<Setting>& settings) const
{
    Nic& nic = *m_network.nics.front();
    const Ptr<CongestionControl> law = LawOf(nic, interDc);
    if (Concerns(*law, settings))
    {
        const Ptr<CongestionControl> next = law->Fork();
        Set(*next, settings);
        const Ptr<CongestionControl> trial = law->Fork();
        PathInfo path = m_network.pathInfo(0, 1);
        path.interDc = interDc;
        trial->Start(path, NowPs());
        trial->Retune(*next, NowPs());
    }
}

void
Tuner::CheckSettings(const std::vector<Setting>& settings) const
{
    for (const Setting& setting : settings)
    {
        GetValue(setting.target, setting.attribute); // throws if no device has it
    }
    try
    {
        CheckLaw(false, settings);
        if (m_network.hasInterDc)
        {
            CheckLaw(true, settings);
        }
        for (const Ptr<Switch>& sw : m_network.switches)
        {
            for (const Ptr<SwitchStage>& stage : sw->GetStages())
            {
                if (!Concerns(*stage, settings))
                {
                    continue;
                }
                std::vector<Setting> before = settings;
                for (Setting& setting : before)
                {
                    StringValue value;
                    stage->GetAttributeFailSafe(setting.attribute, value);
                    setting.value = value.Get(); // not used where the target is another
                }
                Set(*stage, settings);
                stage->Retune(*stage, NowPs());
                Set(*stage, before);
                stage->Retune(*stage, NowPs());
            }
        }
    }
    catch (const InputError& error)
    {
        throw InputError(GetInstanceTypeId().GetName() + " cannot work: " + error.what());
    }
}

} // namespace ns3::roce
