// SPDX-License-Identifier: GPL-2.0-only
#include "roce-nic-params.h"

#include "ns3/roce-time.h"

namespace ns3::roce
{

/*
 * Sources of the values of connectx5 (100 Gbit/s) and connectx7 (400 Gbit/s):
 * [b] messages per second that product briefs state.
 *
 * [m] 3.87 million messages of 1 KiB per second of a queue pair of a ConnectX-5, less 88 ns of
 * their wire (openfabric-systems/simllm, docs/design/rnic-anomaly-table.md, ANOM-14).
 *
 * [f] fitted to measurements of two ConnectX-5 at one switch, see doc/howto/your-nic.rst:
 * PostLatency and DeliveryLatency together to a WRITE of 2 B (2.08 us; how the sum is divided has
 * no effect on these), CompletionLatency to the offset of messages at depth 1 (4.48 us).
 *
 * [s] as the other profile: no measurement at hand.
 *
 * An ingress limit is in neither: which rate a NIC takes depends on its host.
 */
const ParameterTable<NicParams>&
NicParams::Table()
{
    using P = NicParams;
    constexpr int64_t NS = 1000; // ps
    static const ParameterTable<P> table =
        ParameterTable<P>("ns3::roce::Nic", {"none", "connectx5", "connectx7"})
            .Duration("PostLatency", &P::postPs, {0, 950 * NS, 950 * NS}, Range::AtLeast(0))
            .Help("From the post of a message until its first packet may be sent: doorbell, "
                  "fetching the work queue element and the first data") // [f] [s]
            .Duration("MessageGap", &P::gapPs, {0, 170 * NS, 170 * NS}, Range::AtLeast(0))
            .Help("Least time between the last packet of a message and the first one of the next "
                  "message of its queue pair") // [m] [s]
            .Number("MessageRate", &P::messageRate, {0, 200e6, 330e6}, Range::Within(0, 1e12))
            .Help("Messages per second that the NIC can begin, of all queue pairs; 0: any "
                  "number") // [b]
            .Duration("CompletionLatency",
                      &P::completionPs,
                      {0, 2480 * NS, 2480 * NS},
                      Range::AtLeast(0))
            .Help("From the last ACK of a message until its sender sees the completion, and may "
                  "post another one if QueueDepth were under way") // [f] [s]
            .Duration("DeliveryLatency", &P::deliveryPs, {0, 765 * NS, 765 * NS}, Range::AtLeast(0))
            .Help("From the arrival of a message's last packet until the receiver's host has it: "
                  "writing to memory. ACKs do not wait for it") // [f] [s]
            .Duration("CnpLatency", &P::cnpPs, {0}, Range::AtLeast(0))
            .Help("From the arrival of data that a CNP answers until the receiver sends the CNP")
            .Count("AckEveryN", &P::ackEveryN, {1}, Range::Within(1, UINT32_MAX))
            .Help("Acknowledge at the latest every N packets; the last packet of a message is "
                  "always acknowledged at once")
            .Rate("IngressRate", &P::ingressBps, {0}, Range::AtLeast(0))
            .Help(
                "Data, and packets of ns-3, that the NIC can take from its link, framing included; "
                "0: all")
            .Size("IngressBuffer", &P::ingressBytes, {262144}, Range::AtLeast(0))
            .Help("Wire bytes that may wait with IngressRate; what does not fit is lost")
            .Size("IngressMark", &P::ingressMarkBytes, {0}, Range::AtLeast(0))
            .Help("Data are marked CE if more wait with IngressRate, so that the receiver answers "
                  "them with CNPs; 0: none is");
    return table;
}

} // namespace ns3::roce
