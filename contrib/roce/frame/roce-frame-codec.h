// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FRAME_CODEC_H
#define ROCE_FRAME_CODEC_H

#include "roce-frame.h"

#include <cstddef>
#include <string>

namespace ns3::roce
{

/**
 * @brief Frames as bytes, for the same program in another process.
 *
 * Unlike WireFormat it keeps all that the simulation knows of a frame, in the machine's own byte
 * order: arrival time, telemetry, extensions by their tags, fields that are not on the wire. Fields
 * of the place where a frame is (queue links, arrival port of the switch that holds it) are left
 * out. A frame without telemetry and extensions has 105 bytes.
 */
class FrameCodec
{
  public:
    /// @brief Append a frame's bytes. @param frame stays the caller's. @param out appended to
    static void Write(const Frame& frame, std::string& out);

    /**
     * @brief Make the frame again.
     * @param bytes has been written by Write(), several times perhaps
     * @param [in,out] at where the frame begins; then where the next one does
     * @return a frame from the pool
     * @throw InputError if the bytes end within the frame
     */
    static Frame* Read(const std::string& bytes, std::size_t& at);
};

} // namespace ns3::roce

#endif /* ROCE_FRAME_CODEC_H */
