// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TUNING_FILE_H
#define ROCE_TUNING_FILE_H

#include "roce-run-writer.h"

#include "ns3/roce-tuner.h"

#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief tuning.csv: what a Tuner did, a row for each monitor interval.
 *
 * Columns: time_ns (end of the interval), state, and Tuner::GetColumns(); empty where the tuner had
 * no value. For Paraleon: candidate (settings deployed so far), utility and its terms, the share of
 * elephants, the divergence, the temperature, and the effective parameters of that interval.
 * States: idle, begin (a run of annealing begins after this interval), tuning, trigger (the mix has
 * changed during a run). For Acc: how many ports were used, means over them (reward, utilisation,
 * level of the queue, share of bytes marked, effective Kmax in kB and Pmax), how many curves were
 * chosen at random and how many changed after the interval; then the terms of the utility with
 * Acc::Measure, and Kmax of each port with Acc::TracePorts. States: idle (no port was used),
 * tuning.
 *
 * learned.txt: what Tuner::GetLearned() says at the end; not written if that is nothing.
 */
class TuningFile
{
  public:
    static constexpr const char* FILE_NAME = "tuning.csv";
    static constexpr const char* LEARNED = "learned.txt";

    /// @param tuner whose history; outlives this. @param writer has the file
    TuningFile(Tuner& tuner, RunWriter& writer);
    TuningFile(const TuningFile&) = delete;
    TuningFile& operator=(const TuningFile&) = delete;

    /// @brief The simulation is over: write learned.txt. @throw InputError if that fails
    void Finish();

  private:
    void OnInterval(const std::string& state, const std::vector<double>& values, Time at);

    Tuner& m_tuner;
    CsvFile& m_csv;
    std::string m_learned; //!< path, or empty
};

} // namespace ns3::roce

#endif /* ROCE_TUNING_FILE_H */
