// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TUNER_H
#define ROCE_TUNER_H

#include "roce-tuning-agents.h"

#include "ns3/event-id.h"
#include "ns3/random-variable-stream.h"
#include "ns3/roce-parameters.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/// Parameters of every Tuner.
struct TunerParams
{
    int64_t monitorIntervalPs;
    int64_t controlDelayPs;
    double reportLoss;
    double dispatchLoss;
    std::string lostReports;                                     //!< as given
    std::string lostDispatches;                                  //!< as given
    std::vector<std::pair<uint64_t, uint64_t>> reportsToLose;    //!< first and last of each range
    std::vector<std::pair<uint64_t, uint64_t>> dispatchesToLose; //!< the same

    static const ParameterTable<TunerParams>& Table();
};

/**
 * @brief A controller that changes parameters of a running network.
 *
 * At the end of each monitor interval the agents of NICs and switches report on the interval, and
 * OnInterval() may answer with Dispatch(): live parameters of rate laws and their feedbacks, of
 * stages, or marking curves of single ports. New parameters become effective ControlDelay later, at
 * all devices at once.
 *
 * Messages go out of band. Each is counted, with its bytes; some may be lost (ReportLoss and
 * DispatchLoss by chance, LostReports and LostDispatches by number): the controller does not get
 * that report, the device keeps what it has.
 *
 * All stations catch up before anything is read, so results do not depend on Station's slack. A
 * tuner is named in Network::Options::tuner or with --tuner. There are intervals as long as the
 * simulation has other events.
 */
class Tuner : public Object
{
  public:
    /// A value for an attribute.
    struct Setting
    {
        std::string target;    //!< class of a rate law or a stage without ns3::roce::, or with
        std::string attribute; //!< name; must be live
        std::string value;     //!< as text
    };

    /// A marking curve of one port.
    struct PortCurve
    {
        uint32_t sw;   //!< number of the switch
        uint16_t port; //!< index
        EcnCurve curve;
    };

    /// Changes. All else is kept.
    struct Change
    {
        std::vector<Setting> settings; //!< at all NICs and switches that have the target
        std::vector<PortCurve> curves; //!< of EcnMarkers
    };

    /// What has been sent so far.
    struct Counters
    {
        uint64_t intervals{0};
        uint64_t reports{0}; //!< sent by agents, lost ones included
        uint64_t reportBytes{0};
        uint64_t reportsLost{0};
        uint64_t dispatches{0}; //!< messages to devices, lost ones included
        uint64_t dispatchBytes{0};
        uint64_t dispatchesLost{0};
    };

    static TypeId GetTypeId();

    Tuner();
    ~Tuner() override;

    /**
     * @brief Begin to work on a network that is complete: install agents, wait for the first
     * interval to end.
     * @param network to be tuned
     * @throw InputError if this tuner does not fit the network
     */
    void Install(TunedNetwork network);

    /// @brief Assign the random streams. @param stream first number. @return streams used
    int64_t AssignStreams(int64_t stream);

    /// @return what has been sent
    const Counters& GetCounters() const
    {
        return m_counters;
    }

    /// @param counters those of summary.json; what has been sent is added
    void Count(std::map<std::string, uint64_t>& counters) const;

    /// @return length of a monitor interval, ps
    int64_t GetIntervalPs() const
    {
        return m_parameters.Get()->monitorIntervalPs;
    }

    /// @return names of the values of trace source Interval; after Install()
    virtual std::vector<std::string> GetColumns() const
    {
        return {};
    }

    /// Signature of trace source Interval: what the tuner is doing, the values of GetColumns() (NaN
    /// if there is none), and the end of the interval.
    typedef void (*IntervalCallback)(const std::string& state,
                                     const std::vector<double>& values,
                                     Time at);

    /// @return what it has learned, as text for a file that a later run may read; empty if nothing
    virtual std::string GetLearned() const
    {
        return "";
    }

  protected:
    void DoDispose() override;

    /// @brief The network is known: check whether it can be tuned, install own stages.
    /// @throw InputError if not
    virtual void DoInstall()
    {
    }

    /**
     * @param network complete
     * @return which measurements this tuner wants; other quantities are not measured
     */
    virtual TuningAgents::Options GetAgents([[maybe_unused]] const TunedNetwork& network) const
    {
        return {};
    }

    /// @return whether NICs report this interval
    virtual bool WantsNicReports() const
    {
        return true;
    }

    /// @brief A monitor interval has ended. @param reports those that have arrived
    virtual void OnInterval(const TuningReports& reports) = 0;

    /// @return size of a NIC's report, bytes
    virtual uint32_t GetNicReportBytes() const
    {
        return 12;
    }

    /// @return size of a switch's report, bytes; the default has room for a distribution of
    /// flow sizes
    virtual uint32_t GetSwitchReportBytes() const
    {
        return 520;
    }

    /// @return size of a message to a device, bytes. @param values that it brings
    virtual uint32_t GetDispatchBytes(std::size_t values) const
    {
        return static_cast<uint32_t>(4 * values);
    }

    /// @brief More random streams. @param stream first number @return streams used
    virtual int64_t DoAssignStreams([[maybe_unused]] int64_t stream)
    {
        return 0;
    }

    /// @brief Send new parameters to all devices. A later dispatch does not overtake this one.
    void Dispatch(Change change);

    /**
     * @brief Refuse now what Dispatch() could not do later.
     * @param settings values at the edge of what will be sent
     * @throw InputError if no object is of a target's type, or it cannot take the values during the
     * simulation
     */
    void CheckSettings(const std::vector<Setting>& settings) const;

    /**
     * @param target see Setting
     * @param attribute name
     * @return the effective value, as text, at the first device that has the target
     * @throw InputError if no device has it
     */
    std::string GetValue(const std::string& target, const std::string& attribute) const;

    /// @return what there is
    const TunedNetwork& GetNetwork() const
    {
        return m_network;
    }

    /// @brief For trace source Interval. @param state see there @param values see there
    void Record(const std::string& state, const std::vector<double>& values)
    {
        m_intervalTrace(state, values, PicoSeconds(m_lastPs));
    }

  private:
    void OnTick();
    void Apply(const Change& change);
    void CheckLaw(bool interDc, const std::vector<Setting>& settings) const;
    void ApplyToNic(uint32_t nic, const std::vector<Setting>& settings) const;
    void ApplyToSwitch(uint32_t sw, const Change& change) const;
    bool IsLost(double probability,
                const std::vector<std::pair<uint64_t, uint64_t>>& toLose,
                uint64_t number);
    template <typename T>
    void LoseReports(std::vector<T>& reports, uint32_t bytes);

    Parameters<TunerParams> m_parameters;
    TunedNetwork m_network;
    TuningAgents m_agents;
    Ptr<UniformRandomVariable> m_random; //!< losses
    Counters m_counters;
    int64_t m_lastPs{0}; //!< end of the last interval
    EventId m_next;
    std::vector<EventId> m_onTheWay; //!< dispatches
    TracedCallback<const std::string&, const std::vector<double>&, Time> m_intervalTrace;
};

} // namespace ns3::roce

#endif /* ROCE_TUNER_H */
