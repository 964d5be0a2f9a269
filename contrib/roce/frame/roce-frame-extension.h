// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_FRAME_EXTENSION_H
#define ROCE_FRAME_EXTENSION_H

#include "roce-frame.h"

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @brief What a mechanism adds to the RoCEv2 headers of frames: its name, what the wire is charged
 * for it, and its bytes there.
 *
 * A frame has room for Frame::MAX_EXTENSIONS extensions of at most Frame::EXTENSION_BYTES each, one
 * of its rate law, one of its loss recovery and one of switches, say, in a cache line that frames
 * without them never touch. On the wire they are in the order in which the frame got them. A
 * mechanism declares a plain struct with a static member of this type:
 *
 * @code
 * struct CreditMark
 * {
 *     uint32_t rateMbps;
 *     static const FrameExtension EXTENSION;
 * };
 *
 * const FrameExtension CreditMark::EXTENSION{"credit-mark",
 *                                            {4, 4, 0, 0}, // bytes in data, ACK, CNP, notification
 *                                            true,         // the ACK has the data's
 *                                            [](const void* value, std::vector<uint8_t>& out) { ...
 * }};
 * @endcode
 *
 * and reads and writes it with Frame::Extend(), Frame::FindExtension() and
 * Frame::RemoveExtension(). A rate law names it in CongestionControl::GetDataExtension(), a loss
 * recovery in LossRecovery::GetDataExtension(), to have it in each of its data frames.
 */
class FrameExtension
{
  public:
    /// What the wire is charged for it, by kind of frame; a PFC frame has none.
    struct WireBytes
    {
        uint8_t data{0};
        uint8_t ack{0}; //!< and NAK
        uint8_t cnp{0};
        uint8_t notification{0};
    };

    /// Appends the wire bytes of a value: the result is cut, or filled with zeros, to what the
    /// frame is charged.
    using Encode = void (*)(const void* value, std::vector<uint8_t>& out);

    /**
     * @brief Register it. For objects of static storage duration.
     * @param name unique; for messages
     * @param wireBytes what the wire is charged
     * @param isEchoed the ACK of a data frame that carries it carries the same value
     * @param encode for captures; null: zeros
     */
    FrameExtension(const char* name, WireBytes wireBytes, bool isEchoed, Encode encode = nullptr);
    FrameExtension(const FrameExtension&) = delete;
    FrameExtension& operator=(const FrameExtension&) = delete;

    /// @return its tag in ExtensionChunk::tag, 1 to 255; differs from run to run of a changed
    /// program
    uint8_t GetId() const
    {
        return m_id;
    }

    const char* GetName() const
    {
        return m_name;
    }

    /// @return whether an ACK carries the value of the data that it answers
    bool IsEchoed() const
    {
        return m_isEchoed;
    }

    /// @return bytes that the wire is charged for it. @param kind of the frame
    uint32_t GetWireBytes(FrameKind kind) const;

    /// @param id of an extension, not 0.
    static const FrameExtension& Get(uint8_t id);

    /**
     * @brief Have a frame carry an extension, of value zero. The caller adds to frameBytes.
     * @param frame does not carry it
     * @return the value
     * @throw InputError if it carries MAX_EXTENSIONS others
     */
    void* AddTo(Frame& frame) const;

    /**
     * @brief Append the extensions' bytes, as many as the wire is charged.
     * @param frame may have none
     * @param out appended to
     */
    static void Write(const Frame& frame, std::vector<uint8_t>& out);

    /// @param frame may have none. @return bytes of frame.frameBytes that are its extensions
    static uint32_t BytesIn(const Frame& frame)
    {
        uint32_t bytes = 0;
        for (unsigned i = 0; const uint8_t id = frame.GetExtension(i); ++i)
        {
            bytes += Get(id).GetWireBytes(frame.kind);
        }
        return bytes;
    }

    /**
     * @brief Copy to the answer to a data frame what it echoes of it.
     * @param answer carries none of the data's extensions
     * @param data may have none
     */
    static void Echo(Frame& answer, const Frame& data);

  private:
    const char* m_name;
    WireBytes m_wireBytes;
    bool m_isEchoed;
    Encode m_encode;
    uint8_t m_id;
};

/// @brief An extension as seen by a rate law: of a frame that the NIC owns.
class ExtensionView
{
  public:
    ExtensionView() = default;

    /// @brief Of a frame that outlives this. @param frame may have none
    explicit ExtensionView(Frame& frame)
        : m_frame(&frame)
    {
    }

    /**
     * @brief Of a value outside of a frame, for shims and tests.
     * @param extension its kind
     * @param value outlives this
     */
    ExtensionView(const FrameExtension& extension, void* value)
        : m_id(extension.GetId()),
          m_value(value)
    {
    }

    /// @return the value, or null if the frame has none of this kind. @tparam T as for
    /// Frame::Extend
    template <typename T>
    T* As() const
    {
        return m_frame                        ? m_frame->FindExtension<T>()
               : m_id == T::EXTENSION.GetId() ? static_cast<T*>(m_value)
                                              : nullptr;
    }

  private:
    Frame* m_frame{nullptr};
    uint8_t m_id{0};
    void* m_value{nullptr};
};

template <typename T>
T&
Frame::Extend()
{
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= EXTENSION_BYTES &&
                  alignof(T) <= 8);
    if (T* value = FindExtension<T>())
    {
        return *value;
    }
    void* const value = T::EXTENSION.AddTo(*this);
    frameBytes += T::EXTENSION.GetWireBytes(kind);
    return *static_cast<T*>(value);
}

template <typename T>
const T*
Frame::FindExtension() const
{
    for (unsigned i = 0; const uint8_t id = GetExtension(i); ++i)
    {
        if (id == T::EXTENSION.GetId())
        {
            return reinterpret_cast<const T*>(extensions->value[i]);
        }
    }
    return nullptr;
}

template <typename T>
T*
Frame::FindExtension()
{
    return const_cast<T*>(std::as_const(*this).FindExtension<T>());
}

template <typename T>
void
Frame::RemoveExtension()
{
    unsigned i = 0;
    while (GetExtension(i) && GetExtension(i) != T::EXTENSION.GetId())
    {
        ++i;
    }
    if (!GetExtension(i))
    {
        return;
    }
    frameBytes -= T::EXTENSION.GetWireBytes(kind);
    for (; i + 1 < MAX_EXTENSIONS; ++i)
    {
        extensions->tag[i] = extensions->tag[i + 1];
        std::memcpy(extensions->value[i], extensions->value[i + 1], EXTENSION_BYTES);
    }
    extensions->tag[i] = 0;
}

} // namespace ns3::roce

#endif /* ROCE_FRAME_EXTENSION_H */
