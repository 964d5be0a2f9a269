// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_IDEAL_FCT_H
#define ROCE_IDEAL_FCT_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::roce
{

/// @brief One link of a path: its rate and its propagation delay.
struct HopSpec
{
    uint64_t rateBps; //!< line rate, bit/s, at least 1
    int64_t delayPs;  //!< propagation delay, picoseconds, at least 0
};

/**
 * @brief The bytes that a message costs on the wire.
 *
 * Defaults are RoCEv2 over IPv4 and untagged Ethernet (InfiniBand Architecture Specification,
 * Annex A17; IEEE 802.3): a middle packet is Ethernet 14, IPv4 20, UDP 8, BTH 12, payload, ICRC 4,
 * FCS 4; the first (or only) packet of an RDMA WRITE adds RETH 16; an ACK is 66 bytes with AETH.
 *
 * Telemetry: the data frame that leaves the sender's NIC carries intBytesBase, and each switch adds
 * intBytesPerHop before it sends the frame on. The ACK echoes what arrived, so it carries
 * intBytesBase + intBytesPerHop * (forward hops - 1) on each link of its way.
 */
struct WireSizes
{
    uint32_t mtuBytes{4096};           //!< payload of a full packet, at least 1
    uint32_t headerBytes{62};          //!< middle packet, MAC through FCS, without payload
    uint32_t rethBytes{16};            //!< added to the first packet of each message
    uint32_t ackFrameBytes{66};        //!< ACK frame, MAC through FCS
    uint32_t ackMinFrameBytes{0};      //!< shorter ACKs, telemetry included, have this size
    uint32_t framingOverheadBytes{20}; //!< preamble, start delimiter and inter-frame gap
    uint32_t minFrameBytes{64};        //!< shorter frames are padded to this, MAC through FCS
    uint32_t payloadAlignBytes{4};     //!< payload is padded to a multiple of this, at least 1
    uint32_t intBytesBase{0};          //!< telemetry on the sender's own link
    uint32_t intBytesPerHop{0};        //!< telemetry added by each switch
    uint32_t dataExtraBytes{0};        //!< other fixed bytes of each data frame
    uint32_t ackExtraBytes{0};         //!< other fixed bytes of each ACK frame
    /**
     * True: the receiver acknowledges every packet, so that on a return path slower than the data
     * path the last ACK waits behind earlier ones. False: only the last packet's ACK is counted.
     */
    bool ackEveryPacket{true};
    int64_t tickPs{0}; //!< see Port::SerialisationTime()
};

/**
 * @brief Exact completion time of one message on an otherwise empty store-and-forward network.
 *
 * The denominator of the slowdown. The sender's NIC starts at time 0 and sends back to back at its
 * link's rate (no window, no pacing below line rate); a switch begins to send a packet when its
 * last bit has arrived and the packet before it has left; switches and hosts take no processing
 * time. With packet i and link h:
 *
 *     start(h,i) = max(end(h-1,i) + delay(h-1), end(h,i-1)),   end(h,i) = start(h,i) + tx(h,i)
 *
 * where tx is rounded to integer picoseconds per frame (SerialisationPs). ACKs follow by the same
 * recursion on the return path: they are further links after the last one.
 *
 * The cost does not depend on the number of packets. Without the delays (they only shift) and with
 * m equal middle packets, end(h, i+m) is a longest path in a lattice of m rows: a path that enters
 * link j and leaves link h visits each of the links j..h at least once and the slowest of them in
 * every remaining row, hence
 *
 *     end(h,i+m) = max over j <= h of end(j,i) + sum(tx(j..h)) + (m-1) * max(tx(j..h))
 *
 * which is the max-plus matrix power of the recursion, exact in integers.
 */
class IdealFct
{
  public:
    /// @brief What Compute() returns.
    struct Result
    {
        int64_t senderFctPs;   //!< from the post to the arrival of the last ACK, picoseconds
        int64_t receiverFctPs; //!< from the post to the arrival of the last data byte, picoseconds
    };

    /**
     * @param forward the data's path; the first link is the sending NIC's own; not empty
     * @param ackPath the ACK's path back; the first link is the receiving NIC's own; not empty
     * @param sizes frame sizes
     * @throw InputError on an empty path, a zero rate, a negative delay, a zero MTU or alignment,
     * or sizes whose frames reach 2^20 bytes
     */
    IdealFct(const std::vector<HopSpec>& forward,
             const std::vector<HopSpec>& ackPath,
             const WireSizes& sizes = WireSizes());

    /**
     * @brief The completion time of one message of RDMA WRITE.
     * @param sizeBytes message size; 0 is one packet with RETH and no payload
     * @return sender's and receiver's completion time
     * @throw InputError if the result does not fit into 63 bits of picoseconds (106 days)
     */
    Result Compute(uint64_t sizeBytes) const;

    /// @param sizeBytes message size. @return the number of data packets, at least 1
    uint64_t PacketCount(uint64_t sizeBytes) const;

    /**
     * @brief The time that a frame occupies a link, see Port::SerialisationTime().
     * @param wireBytes frame, preamble and inter-frame gap; below 2^20
     * @param rateBps link rate, bit/s, at least 1
     * @param tickPs 0, or what the time is cut to whole multiples of
     * @return picoseconds
     * @throw InputError when an argument is out of range
     */
    static int64_t SerialisationPs(uint64_t wireBytes, uint64_t rateBps, int64_t tickPs = 0);

    /**
     * @brief Bytes that a data frame occupies on a forward link, with preamble and gap.
     * @param payloadBytes payload before padding
     * @param first true for the first or only packet of a message (carries RETH)
     * @param hop index of the forward link, from 0
     * @return bytes
     */
    uint64_t DataWireBytes(uint64_t payloadBytes, bool first, size_t hop) const;

    /// @return bytes that an ACK occupies on each link of the return path, with preamble and gap
    uint64_t AckWireBytes() const;

  private:
    /**
     * @brief Transmission times of one packet and its ACK on each link of the round.
     * @param payloadBytes payload before padding
     * @param first true for the first or only packet of a message
     * @return picoseconds per link, forward links first
     */
    std::vector<int64_t> StageTimes(uint64_t payloadBytes, bool first) const;

    /**
     * @brief Let one packet pass through all links after earlier packets.
     * @param tx its transmission time per link
     * @param [in,out] end when the previous packet left each link, then when this one did
     */
    void AdvanceOne(const std::vector<int64_t>& tx, std::vector<int64_t>& end) const;

    /**
     * @brief Let equal middle packets pass through all links.
     * @param count how many, at least 1
     * @param [in,out] end as in AdvanceOne()
     */
    void AdvanceMiddle(uint64_t count, std::vector<int64_t>& end) const;

    std::vector<HopSpec> m_hops;     //!< forward links, then return links
    size_t m_forwardHops;            //!< how many of m_hops are forward
    WireSizes m_sizes;               //!< frame sizes
    std::vector<int64_t> m_middleTx; //!< transmission times of a full middle packet and its ACK
    int64_t m_forwardDelayPs{0};     //!< sum of propagation delays to the receiver
    int64_t m_ackDelayPs{0};         //!< sum of propagation delays back
    int64_t m_roundBoundPs{0};       //!< bound on what one packet adds: all its times and delays
    int64_t m_slowestPs{0};          //!< largest transmission time of a middle packet or ACK
};

} // namespace ns3::roce

#endif /* ROCE_IDEAL_FCT_H */
