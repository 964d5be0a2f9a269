// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_QUEUE_PAIR_CONFIG_H
#define ROCE_QUEUE_PAIR_CONFIG_H

#include "ns3/roce-frame-extension.h"

#include <cstdint>

namespace ns3::roce
{

/// @brief What a QueuePair is made with.
struct QueuePairConfig
{
    /// What a change of rate does to a pacing gap that has begun.
    enum class Repacing : uint8_t
    {
        STRETCH, //!< what is left of it becomes longer or shorter in proportion
        SHIFT,   //!< its end moves by the difference of the whole gaps at both rates
        NONE,    //!< nothing: the rate holds from the next packet on
    };

    uint32_t src{0};                          //!< own NIC
    uint32_t dst{0};                          //!< NIC of the receiver
    uint32_t dstQp{0};                        //!< its number there
    uint8_t trafficClass{3};                  //!< class of its data
    uint8_t law{0};                           //!< see FlowSpec::law
    uint16_t entropy{0};                      //!< UDP source port
    uint32_t mtuBytes{4096};                  //!< payload of a full packet
    uint32_t telemetryBytes{0};               //!< charged to each data frame at the sender
    const FrameExtension* extension{nullptr}; //!< of each data frame, or null
    uint32_t framingBytes{20};                //!< wire bytes per frame in addition to frameBytes
    uint32_t minFrameBytes{MIN_FRAME_BYTES};  //!< padding
    uint8_t flags{0};                         //!< FRAME_TIMESTAMP if the rate law needs it
    uint8_t ecn{ECN_ECT0};                    //!< code point of its data
    uint32_t ackEveryN{1};     //!< the receiver acknowledges at the latest every N packets
    uint32_t burstBytes{0};    //!< pacing quantum; 0: each packet
    bool telemetry{false};     //!< data carries an INT stack
    bool closeWhenDone{true};  //!< free it when every message is acknowledged
    bool payloadWindow{false}; //!< what is in flight is counted in payload bytes
    bool dueClock{false};      //!< a pacing gap begins when its packet was due, not when it left
    bool countsOthers{false};  //!< othersDuePs is wanted
    Repacing repacing{Repacing::STRETCH};
    uint16_t headerBytes{DATA_HEADER_BYTES}; //!< of each data frame, MAC header to FCS
    uint16_t firstHeaderBytes{RETH_BYTES};   //!< more of them in a message's first frame
    uint16_t alignMask{3};                   //!< payload is padded; alignment less 1
    int64_t tickPs{0};                       //!< pacing gaps are cut to whole multiples; 0: exact
    bool costs{false}; //!< a message is sent when Allow() says so, not when it is posted
};

} // namespace ns3::roce

#endif /* ROCE_QUEUE_PAIR_CONFIG_H */
