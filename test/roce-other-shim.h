// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_OTHER_SHIM_H
#define ROCE_OTHER_SHIM_H

#include "ns3/roce-switch-stage.h"

#include <string>

namespace ns3::roce::test
{

/// Does nothing, but has a shim at the senders that is none of Reflex.
class OtherShim : public SwitchStage
{
  public:
    uint32_t GetHooks() const override
    {
        return 0;
    }

    std::string GetSenderShim() const override
    {
        return "ns3::roce::ReflexSenderOfOthers[A=1]";
    }
};

} // namespace ns3::roce::test

#endif /* ROCE_OTHER_SHIM_H */
