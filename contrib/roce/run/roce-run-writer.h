// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RUN_WRITER_H
#define ROCE_RUN_WRITER_H

#include "roce-csv-file.h"
#include "roce-fct-stats.h"
#include "roce-run-folder.h"

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/// @brief Contents of summary.json apart from flow statistics.
struct RunSummary
{
    std::map<std::string, std::string> configuration;            //!< option or attribute -> value
    std::shared_ptr<const nlohmann::ordered_json> valuesInForce; //!< see ValuesInForce(), or null
    std::shared_ptr<const nlohmann::ordered_json> madeOf;        //!< see ResultParts::MakeJson()
    std::map<std::string, std::string> versions;                 //!< component -> version
    uint64_t seed{1};                                            //!< RNG seed or run number
    std::map<std::string, uint64_t> counters;  //!< for example pfcXoffSent, framesDropped
    std::map<uint32_t, std::string> nodeNames; //!< names for the node column of queues.csv
    /// The port at the other end of the link by port, as --seriesPorts names them.
    std::vector<std::pair<std::string, std::string>> neighbours;
    std::vector<std::string> warnings; //!< what was said on standard error
    std::string end;                   //!< flowsDone, stalled, stop, safetyLimit, interrupted
    double wallSeconds{0};             //!< elapsed time
    double cpuSeconds{0};              //!< processor time
};

/**
 * @param d a distribution
 * @param divisor unit conversion
 * @return its mean, percentiles and maximum; null fields without samples
 */
nlohmann::ordered_json DistributionJson(const Distribution& d, double divisor);

/**
 * @param summary the run
 * @param stats its flows
 * @return summary.json: configuration, versions, seed, flows (counts), statistics (by scope and
 * size bin; times in ns; null where there are no samples), counters, nodeNames,
 * neighbours (of each port), timing
 */
nlohmann::ordered_json SummaryJson(const RunSummary& summary, const FctStats& stats);

/**
 * @brief Writes the folder of one run, so that a result is there complete or not at all.
 *
 * What happens to an earlier result in the folder, to files of others, and when two runs use one
 * folder: see RunFolder.
 *
 * All files but summary.json depend only on the simulation; wall-clock times are in summary.json.
 */
class RunWriter
{
  public:
    static constexpr const char* FLOWS = "flows.csv";  //!< of WriteFlows()
    static constexpr const char* HPCC_FCT = "fct.txt"; //!< of WriteHpccFct()

    /// How fct.txt is written.
    struct HpccForm
    {
        std::vector<uint32_t> nodeIds; //!< node number of each NIC index; empty: NIC i is node i
        bool derivePorts{false};       //!< sport is 10000 plus ... even if FlowSpec has one

        /**
         * @param nic index of a NIC
         * @return its address in fct.txt, see HpccAddress()
         * @throw InputError if it has none
         */
        uint32_t AddressOf(uint32_t nic) const;
    };

    /// @param folder created with its parents if missing. @throw InputError as RunFolder
    explicit RunWriter(const std::string& folder);
    /// Without Finish() and Begin(), removes what was written.
    ~RunWriter();
    RunWriter(const RunWriter&) = delete;
    RunWriter& operator=(const RunWriter&) = delete;

    /**
     * @brief Refuse a name now that could not be written at the end.
     * @param name file name without folder
     * @throw InputError as RunFolder::Check()
     */
    void Check(const std::string& name) const
    {
        m_folder.Check(name);
    }

    /// @brief From now on a run that dies leaves its `.tmp` files: the simulation begins.
    void Begin()
    {
        m_folder.KeepUnfinished();
    }

    /**
     * @brief Add a table, for example queues.csv.
     * @param name file name without folder
     * @param header column names
     * @return the table, owned by this writer and open until Finish()
     * @throw InputError when it cannot be created, and as RunFolder::Add(); std::logic_error on a
     *        name with a slash, a name used twice, or after Finish()
     */
    CsvFile& OpenCsv(const std::string& name, const std::vector<std::string>& header);

    /**
     * @brief Add a file that is not a table.
     * @param name file name without folder
     * @return the path to write it to; it must be closed when Finish() is called
     * @throw InputError, std::logic_error as RunFolder::Add()
     */
    std::string AddFile(const std::string& name);

    /**
     * @brief Write flows.csv: one row per flow by ascending id.
     *
     * Columns id,src,dst,class,tag,scope,bytes,start_ns,fct_ns,receiver_fct_ns,ideal_fct_ns,
     * slowdown,packets,retransmitted,status. scope is intra or inter, status finished or
     * unfinished. Times are relative to the start except start_ns; fct_ns is the sender's, with the
     * last ACK. Unfinished flows have empty fct_ns, receiver_fct_ns and slowdown, those whose phase
     * never began an empty start_ns, too.
     *
     * @param records all flows, in any order
     * @throw InputError when it cannot be written or a finished flow has no positive ideal FCT
     */
    void WriteFlows(const std::vector<FlowRecord>& records);

    /**
     * @brief Write fct.txt as the HPCC simulator (github.com/alibaba-edu/
     *        High-Precision-Congestion-Control) does, for its analysis scripts.
     *
     * One line per finished flow by ascending completion time: sip dip sport dport size start_ns
     * fct_ns standalone_ns. Addresses are those of HpccAddress() as 8 hexadecimal digits; times are
     * rounded half up to ns; sport is FlowSpec::srcPort or else 10000 plus the number of earlier
     * flows of that pair; dport is 100, or 200 for a flow whose tag is 1 (incast). standalone_ns is
     * FlowRecord::idealPs.
     *
     * @param records all flows, in any order
     * @param form see HpccForm
     * @throw InputError when it cannot be written or a node number is above 65535
     */
    void WriteHpccFct(const std::vector<FlowRecord>& records, const HpccForm& form);

    /// @brief The same in the default form. @param records all flows, in any order
    void WriteHpccFct(const std::vector<FlowRecord>& records)
    {
        WriteHpccFct(records, HpccForm());
    }

    /**
     * @brief Write a file of text.
     * @param name in the folder
     * @param text what is in it
     * @throw InputError when it cannot be written
     */
    void WriteFile(const std::string& name, const std::string& text);

    /**
     * @param summary what summary.json shall hold; Finish() adds "files" and, of "manifest",
     *        "outputs" and "inputs"
     */
    void SetSummary(const nlohmann::ordered_json& summary);

    /**
     * @brief Write summary.json, close everything, then rename everything to its final name.
     * @throw InputError when anything cannot be written: then the earlier result is as it was;
     *        std::logic_error without SetSummary() or when called twice
     */
    void Finish();

    /**
     * @param nodeId node number of the HPCC simulator, at most 65535
     * @return its IPv4 address there, 11.(id / 256).(id % 256).1, as a host-order integer
     * @throw InputError when out of range
     */
    static uint32_t HpccAddress(uint32_t nodeId);

  private:
    RunFolder m_folder;
    std::vector<std::unique_ptr<CsvFile>> m_tables;    //!< open tables
    std::unique_ptr<nlohmann::ordered_json> m_summary; //!< null until SetSummary()
};

} // namespace ns3::roce

#endif /* ROCE_RUN_WRITER_H */
