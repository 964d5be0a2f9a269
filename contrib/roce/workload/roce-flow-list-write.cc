// SPDX-License-Identifier: GPL-2.0-only
#include "roce-flow-list.h"
#include "roce-workload-internal.h"

#include "ns3/roce-input-error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

// Flow lists as files to be read again.

namespace ns3::roce
{

using workload::CSV_COLUMNS;
using workload::HPCC_DPORT;
using workload::HPCC_INCAST_DPORT;

namespace
{

/// value / 10^decimals in full, without trailing zeros.
std::string
Decimal(int64_t value, int decimals)
{
    std::string digits = std::to_string(value);
    const auto width = static_cast<std::size_t>(decimals);
    digits.insert(0, digits.size() > width ? 0 : width + 1 - digits.size(), '0');
    digits.insert(digits.size() - width, 1, '.');
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.')
    {
        digits.pop_back();
    }
    return digits;
}

/// @throw InputError for what a format cannot hold
void
CheckWritable(const std::string& path, const FlowSpec& flow, FlowListFormat format)
{
    if (flow.startPs < 0 || flow.src == flow.dst || flow.trafficClass > 7 ||
        flow.sizeBytes > MAX_FLOW_BYTES)
    {
        throw InputError(
            path + ": flow " + std::to_string(flow.id) + " from " + std::to_string(flow.src) +
            " to " + std::to_string(flow.dst) + ", " + std::to_string(flow.sizeBytes) +
            " bytes, start " + std::to_string(flow.startPs) + " ps, class " +
            std::to_string(flow.trafficClass) + ", expected different hosts, at most " +
            std::to_string(MAX_FLOW_BYTES) + " bytes, a start of 0 or more and class 0..7");
    }
    if (flow.law)
    {
        throw InputError(path + ": flow " + std::to_string(flow.id) +
                         " has a rate law of its own, expected none: it is not written");
    }
    if (flow.job || flow.dependencies)
    {
        throw InputError(path + ": flow " + std::to_string(flow.id) +
                         " is sent by a rank, or belongs to a graph of flows, expected none: they "
                         "are not written");
    }
    if (format == FlowListFormat::HpccFlowTxt &&
        (flow.srcPort != 0 || flow.tag > 1 || flow.phase || flow.connection))
    {
        throw InputError(path + ": flow " + std::to_string(flow.id) + " has source port " +
                         std::to_string(flow.srcPort) + ", tag " + std::to_string(flow.tag) +
                         ", phase " + std::to_string(flow.phase) + " and qp " +
                         std::to_string(flow.connection) +
                         ", expected 0, 0..1, 0 and 0: flow.txt holds no others");
    }
}

/// One flow a line, as the HPCC simulator reads them: the port says what is incast.
void
WriteFlowTxt(std::ostream& out, const std::vector<FlowSpec>& flows)
{
    out << flows.size() << '\n';
    for (const auto& flow : flows)
    {
        out << flow.src << ' ' << flow.dst << ' ' << +flow.trafficClass << ' '
            << (flow.tag == 1 ? HPCC_INCAST_DPORT : HPCC_DPORT) << ' ' << flow.sizeBytes << ' '
            << Decimal(flow.startPs, 12) << '\n';
    }
}

/// A table; the columns of phases and queue pairs only where there are any.
void
WriteCsv(std::ostream& out, const std::vector<FlowSpec>& flows)
{
    const bool connections = std::any_of(flows.begin(), flows.end(), [](const FlowSpec& flow) {
        return flow.connection > 0;
    });
    const bool phases =
        connections || std::any_of(flows.begin(), flows.end(), [](const FlowSpec& flow) {
            return flow.phase > 0;
        });
    const std::size_t columns = CSV_COLUMNS.size() - (connections ? 1 : phases ? 2 : 3);
    for (std::size_t i = 0; i < columns; ++i)
    {
        out << (i == 0 ? "" : ",") << CSV_COLUMNS[i];
    }
    out << '\n';
    for (const auto& flow : flows)
    {
        out << flow.src << ',' << flow.dst << ',' << flow.sizeBytes << ','
            << Decimal(flow.startPs, 3) << ',' << +flow.trafficClass << ',' << flow.srcPort << ','
            << +flow.tag;
        if (phases)
        {
            out << ',' << flow.phase;
        }
        if (connections)
        {
            out << ',' << flow.connection;
        }
        out << '\n';
    }
}

} // namespace

void
FlowList::Write(const std::string& path,
                const std::vector<FlowSpec>& flows,
                FlowListFormat format,
                const std::vector<std::string>& comments)
{
    // All is checked before the file is touched.
    if (flows.empty())
    {
        throw InputError(path + ": no flow to write, expected at least one");
    }
    for (const FlowSpec& flow : flows)
    {
        CheckWritable(path, flow, format);
    }
    for (const auto& comment : comments)
    {
        if (format == FlowListFormat::HpccFlowTxt || comment.find('\n') != std::string::npos)
        {
            throw InputError(path + ": comment '" + comment +
                             "', expected single lines, and none in flow.txt");
        }
    }
    std::ostringstream out;
    for (const auto& comment : comments)
    {
        out << "# " << comment << '\n';
    }
    (format == FlowListFormat::HpccFlowTxt ? WriteFlowTxt : WriteCsv)(out, flows);
    errno = 0;
    std::ofstream file(path);
    file << out.str();
    file.close();
    if (!file)
    {
        const std::string reason = errno != 0 ? std::strerror(errno) : "unknown reason";
        throw InputError(path + ": cannot be written (" + reason + "), expected a writable file");
    }
}

} // namespace ns3::roce
