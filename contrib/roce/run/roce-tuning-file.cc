// SPDX-License-Identifier: GPL-2.0-only
#include "roce-tuning-file.h"

#include "roce-buffered-file.h"
#include "roce-csv-file.h"

#include <cmath>

namespace ns3::roce
{

namespace
{

std::vector<std::string>
HeaderOf(const Tuner& tuner)
{
    std::vector<std::string> header{"time_ns", "state"};
    const std::vector<std::string> columns = tuner.GetColumns();
    header.insert(header.end(), columns.begin(), columns.end());
    return header;
}

} // namespace

TuningFile::TuningFile(Tuner& tuner, RunWriter& writer)
    : m_tuner(tuner),
      m_csv(writer.OpenCsv(FILE_NAME, HeaderOf(tuner))),
      m_learned(tuner.GetLearned().empty() ? "" : writer.AddFile(LEARNED))
{
    tuner.TraceConnectWithoutContext("Interval", MakeCallback(&TuningFile::OnInterval, this));
}

void
TuningFile::Finish()
{
    if (!m_learned.empty())
    {
        BufferedFile file(m_learned);
        file.Append(m_tuner.GetLearned());
        file.Close();
    }
}

void
TuningFile::OnInterval(const std::string& state, const std::vector<double>& values, Time at)
{
    m_csv.Ns(at.GetPicoSeconds()).Text(state);
    for (const double value : values)
    {
        if (std::isnan(value))
        {
            m_csv.Text("");
        }
        else
        {
            m_csv.Double(value);
        }
    }
    m_csv.EndRow();
}

} // namespace ns3::roce
