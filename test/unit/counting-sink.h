// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_COUNTING_SINK_H
#define ROCE_COUNTING_SINK_H

#include "ns3/roce-receiver-feedback.h"

#include <cstdint>
#include <vector>

namespace ns3::roce::test
{

/// Takes what a feedback sends: kinds, in order.
struct CountingSink : public ReplySink
{
    Frame* Make(FrameKind kind) override
    {
        Frame* frame = FramePool::Alloc();
        frame->kind = kind;
        return frame;
    }

    void Send(Frame* reply) override
    {
        sent.push_back(reply->kind);
        FramePool::Free(reply);
    }

    /// @return whether exactly a CNP is sent. @param feedback which @param data frame @param nowPs
    /// time
    bool SendsCnp(ReceiverFeedback& feedback, const Frame& data, int64_t nowPs)
    {
        sent.clear();
        feedback.OnData(data, nowPs, *this);
        return sent == std::vector<FrameKind>{FrameKind::CNP};
    }

    std::vector<FrameKind> sent;
};

} // namespace ns3::roce::test

#endif /* ROCE_COUNTING_SINK_H */
