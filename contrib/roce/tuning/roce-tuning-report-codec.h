// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TUNING_REPORT_CODEC_H
#define ROCE_TUNING_REPORT_CODEC_H

#include <string>

namespace ns3::roce
{

struct TuningReports;

/**
 * @ingroup roce
 * @brief Reports of a monitor interval as bytes for another process of the same program: each
 * process of a run measures at its own stations, and the Tuner of each gets all reports.
 */
class TuningReportCodec
{
  public:
    /// @param reports all but the times is written @return bytes
    static std::string Write(const TuningReports& reports);

    /**
     * @brief Take in what Write() has made.
     * @param bytes whole
     * @param [in,out] reports appended to; the times stay
     * @throw InputError if the bytes end within a report
     */
    static void Read(const std::string& bytes, TuningReports& reports);
};

} // namespace ns3::roce

#endif /* ROCE_TUNING_REPORT_CODEC_H */
