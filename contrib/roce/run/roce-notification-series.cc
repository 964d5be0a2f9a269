// SPDX-License-Identifier: GPL-2.0-only
#include "roce-notification-series.h"

#include "roce-series-kinds.h"

#include "ns3/roce-shared-buffer.h"

#include <algorithm>
#include <vector>

namespace ns3::roce
{

namespace
{

std::vector<NotificationForm>&
Forms()
{
    static std::vector<NotificationForm> forms;
    return forms;
}

/**
 * CNPs and notifications, when the NIC or the switch that makes them begins to send them.
 *
 * A notification names its receiver and a queue pair there. Which flow that is, the sender of its
 * data knows: so there is a row, too, for each message that begins, which is not written. In order
 * of time it comes before the notifications about that message. That order is why it is a class.
 */
class NotificationSeries : public Series
{
  public:
    NotificationSeries(SeriesContext& context, const SeriesMode& mode, const SeriesTable& table)
        : Series(context, mode, table),
          m_flows(mode.IsOn() ? context.network.GetNNics() : 0)
    {
    }

    void Start() override;
    void Write(int64_t atPs, const SeriesRow& row) override;

  private:
    /// Places in SeriesRow::values; the subject of a row is a NIC until it is written.
    enum Place
    {
        KIND,
        FROM,
        TO,
        RATE,
        HOPS,
        MARKED,
        QP
    };

    static bool IsNotification(const Frame& frame)
    {
        return frame.kind == FrameKind::CNP || frame.kind == FrameKind::NOTIFICATION;
    }

    void Tell(const Frame& frame, const char* from, uint64_t source, Time at);
    void TellBegin(const Frame& data, uint64_t source, Time at);

    std::vector<const char*> m_nics;            //!< names
    std::vector<std::vector<uint64_t>> m_flows; //!< by NIC and queue pair: the last that has begun
};

void
NotificationSeries::Start()
{
    Network& network = m_context.network;
    const uint32_t nNics = m_mode.IsOn() ? network.GetNNics() : 0;
    for (uint32_t n = 0; n < nNics; ++n)
    {
        Nic& nic = *network.GetNic(n);
        m_nics.push_back(
            m_context.names.GetPort(nic.GetNode()->GetId(), static_cast<uint16_t>(nic.GetIfIndex()))
                .c_str());
        ConnectTrace<const Frame&, Time>(nic, "TxBegin", [this, n](const Frame& frame, Time at) {
            if (IsNotification(frame))
            {
                Tell(frame, m_nics[n], n, at);
            }
            else if (frame.kind == FrameKind::DATA && frame.flags & FRAME_FIRST)
            {
                TellBegin(frame, n, at);
            }
        });
    }
    for (uint32_t s = 0; m_mode.IsOn() && s < network.GetNSwitches(); ++s)
    {
        Switch& sw = *network.GetSwitch(s);
        const char* const name = m_context.names.GetNode(sw.GetNodeId()).c_str();
        const uint64_t source = nNics + s;
        for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
        {
            ConnectTrace<const Frame&, Time>(*sw.GetPort(p),
                                             "TxBegin",
                                             [this, name, source](const Frame& frame, Time at) {
                                                 if (IsNotification(frame) &&
                                                     frame.inPort == SharedBuffer::INTERNAL_PORT)
                                                 {
                                                     Tell(frame, name, source, at);
                                                 }
                                             });
        }
    }
}

void
NotificationSeries::Tell(const Frame& frame, const char* from, uint64_t source, Time at)
{
    SeriesRow row;
    row.subject = frame.dst;
    row.values = {frame.kind == FrameKind::CNP ? "cnp" : "notification",
                  from,
                  m_nics[frame.dst],
                  NO_LIMIT,
                  frame.telemetry ? frame.telemetry.hops : 0,
                  frame.ecn == ECN_CE,
                  frame.dstQp};
    for (const NotificationForm& form : Forms())
    {
        if (frame.kind == FrameKind::NOTIFICATION && frame.msn == form.mechanism)
        {
            row.values[KIND] = form.name;
            row.values[RATE] = form.rateBps ? form.rateBps(frame) : NO_LIMIT;
        }
    }
    TellChange(at.GetPicoSeconds(), source, row);
}

void
NotificationSeries::TellBegin(const Frame& data, uint64_t source, Time at)
{
    SeriesRow row;
    row.subject = data.src;
    row.values = {"", "", "", data.cookie, 0, 0, data.srcQp};
    TellChange(at.GetPicoSeconds(), source, row);
}

void
NotificationSeries::Write(int64_t atPs, const SeriesRow& row)
{
    std::vector<uint64_t>& flows = m_flows[row.subject];
    const uint64_t qp = row.values[QP].count;
    if (!*row.values[KIND].text)
    {
        flows.resize(std::max<std::size_t>(flows.size(), qp + 1), UINT64_MAX);
        flows[qp] = row.values[RATE].count;
        return;
    }
    if (qp < flows.size() && m_context.IsChosen(flows[qp]))
    {
        SeriesRow written = row;
        written.subject = static_cast<uint32_t>(flows[qp]);
        Series::Write(atPs, written);
    }
}

} // namespace

bool
NotificationForm::Register(const NotificationForm& form)
{
    Forms().push_back(form);
    return true;
}

SeriesKind
MakeNotificationKind()
{
    return {{"notifications",
             SeriesSubject::FLOWS,
             "Write notifications.csv, CNPs and other notifications to senders",
             "notification",
             "",
             {{"kind", SeriesForm::TEXT},
              {"from", SeriesForm::TEXT},
              {"to", SeriesForm::TEXT},
              {"rate_bps", SeriesForm::LIMIT},
              {"hops", SeriesForm::COUNT},
              {"marked", SeriesForm::COUNT},
              {"qp", SeriesForm::COUNT, HIDDEN}},
             true},
            MakeSeries<NotificationSeries>};
}

} // namespace ns3::roce
