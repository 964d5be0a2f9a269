// SPDX-License-Identifier: GPL-2.0-only
#include "roce-tuning-report-codec.h"

#include "roce-tuning-agents.h"

#include "ns3/roce-byte-stream.h"

#include <utility>
#include <vector>

namespace ns3::roce
{

namespace
{

template <typename T>
void
WriteList(ByteWriter& stream, const std::vector<T>& list)
{
    stream(uint64_t{list.size()});
    for (const T& item : list)
    {
        stream(item);
    }
}

template <typename T>
void
ReadList(ByteReader& stream, std::vector<T>& list)
{
    for (auto left = stream.Get<uint64_t>(); left; --left)
    {
        list.push_back(stream.Get<T>());
    }
}

} // namespace

std::string
TuningReportCodec::Write(const TuningReports& reports)
{
    std::string bytes;
    ByteWriter stream(bytes);
    stream(uint64_t{reports.nics.size()});
    for (const NicReport& report : reports.nics)
    {
        stream(report.nic)(report.port);
        WriteList(stream, report.rtts);
    }
    for (const SwitchReport& report : reports.switches)
    {
        stream(report.sw);
        WriteList(stream, report.values);
        WriteList(stream, report.ports);
    }
    return bytes;
}

void
TuningReportCodec::Read(const std::string& bytes, TuningReports& reports)
{
    ByteReader stream(bytes);
    for (auto left = stream.Get<uint64_t>(); left; --left)
    {
        NicReport report;
        stream(report.nic)(report.port);
        ReadList(stream, report.rtts);
        reports.nics.push_back(std::move(report));
    }
    while (!stream.IsEmpty())
    {
        SwitchReport report;
        stream(report.sw);
        ReadList(stream, report.values);
        ReadList(stream, report.ports);
        reports.switches.push_back(std::move(report));
    }
}

} // namespace ns3::roce
