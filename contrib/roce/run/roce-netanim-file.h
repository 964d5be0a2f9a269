// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NETANIM_FILE_H
#define ROCE_NETANIM_FILE_H

#include "roce-buffered-file.h"
#include "roce-station-records.h"

#include "ns3/roce-network.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Writes an animation for NetAnim: nodes by tier, links, and every frame sent in a window of
 * time, lost ones included.
 *
 * The format is that of ns-3's AnimationInterface (netanim-3.108), without that class, which needs
 * the netanim module and all that comes with it (wifi, lte and more: 38 MiB in each process), takes
 * times from Simulator::Now(), and draws the links of PointToPointChannels only. A program that
 * still uses AnimationInterface sees the frames through the trace source Link::TxRxPointToPoint; it
 * sets the attributes Eager of Nic and Switch, so that Now() is exact, and places the nodes with
 * GetLayout().
 *
 * NetAnim keeps everything in memory: choose a short window. At most MAX_PACKETS are written.
 */
class NetAnimFile
{
  public:
    /// AnimationInterface has the same limit.
    static constexpr uint64_t MAX_PACKETS = 100000;

    /// The time of the transmissions to be written.
    struct Window
    {
        int64_t fromPs{0};
        int64_t toPs{-1}; //!< included; -1: none

        /// @return whether anything is to be written
        bool IsOn() const
        {
            return toPs >= 0;
        }

        /**
         * @param text empty, or FROM-TO
         * @throw InputError for anything else
         */
        static Window Parse(const std::string& option, const std::string& text);
    };

    /// Where a node is drawn.
    struct Place
    {
        uint32_t node;
        std::string name;
        uint32_t tier; //!< links to the nearest host; 0: a host
        double x;
        double y; //!< downwards; hosts are at the bottom
    };

    /// @return a text with XML's entities in place of &, <, > and quotation marks
    static std::string Escape(const std::string& text);

    /// @return every node of it, tier by tier, in the order in which the nodes were added
    static std::vector<Place> GetLayout(const Network& network);

    /**
     * @param network built; outlives this
     * @param window see Window
     * @param path file to create or empty
     * @throw InputError when it cannot be created
     */
    NetAnimFile(Network& network, const Window& window, const std::string& path);

    /// @brief Begin to watch. Call before Simulator::Run(); must outlive the run.
    void Start();

    /**
     * @brief Complete the file. After Simulator::Run(), with the network caught up.
     * @throw InputError when it could not be written
     */
    void Finish();

    /// @return frames of the window beyond MAX_PACKETS, which are not in the file
    uint64_t GetLeftOut() const
    {
        return m_leftOut;
    }

  private:
    /// A transmission.
    struct Packet
    {
        uint32_t from; //!< node
        uint32_t to;
        int64_t txPs;
        int64_t delayPs;
    };

    static std::map<uint32_t, uint32_t> FindTiers(const Network& network);
    void WriteHead();
    void Write(int64_t atPs, const Packet& packet);
    void Attribute(const char* name, const std::string& value);
    void Seconds(const char* name, int64_t ps);

    Network& m_network;
    Window m_window;
    BufferedFile m_file;
    StationRecords<Packet> m_records;
    uint64_t m_packets{0};
    uint64_t m_leftOut{0};
};

} // namespace ns3::roce

#endif /* ROCE_NETANIM_FILE_H */
