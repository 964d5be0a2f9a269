// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_RANK_MAIL_H
#define ROCE_RANK_MAIL_H

#include "roce-rank-exchange.h"

#include "ns3/roce-link.h"
#include "ns3/roce-partition.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3::roce
{

class CutDirection;

/**
 * @brief What the processes of a ParallelRun send each other when they meet: frames on links
 * between their stations, reports of stations, and when something may happen next.
 */
class RankMail
{
  public:
    /// A report of a station of this or another process, see Station::Tell().
    struct Report
    {
        Report() = default;

        /// @param report of a station of this process
        explicit Report(const Partition::Report& report)
            : atPs(report.atPs),
              station(report.station),
              index(report.index)
        {
        }

        int64_t atPs{0};
        Station* station{nullptr}; //!< or its copy here
        uint64_t index{0};         //!< given to Station::Tell()
        bool isFromElsewhere{false};
        std::string bytes; //!< from elsewhere: see ReportCodec
    };

    /// Reports of the stations of a run, as bytes: a link does not know NICs.
    struct ReportCodec
    {
        /// @return what Station::Tell() would report
        std::function<std::string(const Station& station, std::size_t index)> pack;
        /// Reports it in another process.
        std::function<void(Station& station, const std::string& bytes)> tell;
    };

    /// What is to come, as far as it is known.
    struct Outlook
    {
        int64_t firstPs;    //!< nothing happens earlier
        int64_t leastEndPs; //!< the last completion of all is no earlier
    };

    /// @param ranks outlives this @param codec see ReportCodec
    RankMail(RankExchange& ranks, ReportCodec codec)
        : m_ranks(ranks),
          m_codec(std::move(codec)),
          m_toEach(ranks.GetN())
    {
    }

    /// @return the processes
    RankExchange& GetRanks() const
    {
        return m_ranks;
    }

    // --- set-up

    /// @brief A station of another process. @param station its copy here
    void AddRemote(Station& station);

    /**
     * @brief What is sent on a link from here goes to another process.
     * @param id of the direction, the same in all processes
     * @param direction from here; outlives this
     * @param rank of the receiving station
     */
    void AddOut(uint32_t id, CutDirection& direction, unsigned rank);

    /**
     * @brief What arrives here on a link comes from another process.
     * @param id see AddOut()
     * @param end the sending one
     */
    void AddIn(uint32_t id, Link& link, unsigned end);

    /// @brief Report something from another process.
    void Tell(const Report& report) const
    {
        m_codec.tell(*report.station, report.bytes);
    }

    // --- at work; by all processes

    /**
     * @brief Send what is queued, and receive what comes.
     * @param nowPs present time, the same in all processes
     * @param outlook of this process
     * @param sent directions with frames for other processes
     * @param [in,out] reports from here; then from everywhere
     * @return outlook of all processes, whatever was sent
     * @throw InputError if processes do not do the same
     */
    Outlook Swap(int64_t nowPs,
                 Outlook outlook,
                 const std::vector<CutDirection*>& sent,
                 std::vector<Report>& reports);

  private:
    /// Where frames from here go.
    struct Out
    {
        uint32_t id;
        unsigned rank;
    };

    /// Where frames from elsewhere come to.
    struct In
    {
        Link* link;
        unsigned end;
    };

    void WriteReports(const std::vector<Report>& reports);
    void ReadMessage(const std::string& bytes, int64_t nowPs, std::vector<Report>& reports) const;
    void ReadFrames(uint32_t id, const std::string& bytes, std::size_t& at, int64_t nowPs) const;

    RankExchange& m_ranks;
    ReportCodec m_codec;
    std::unordered_map<CutDirection*, Out> m_out;
    std::unordered_map<uint32_t, In> m_in;           //!< by direction
    std::unordered_map<uint32_t, Station*> m_remote; //!< by node
    std::vector<std::string> m_toEach;               //!< by rank; scratch
};

} // namespace ns3::roce

#endif /* ROCE_RANK_MAIL_H */
