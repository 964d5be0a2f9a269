// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DEPLOYMENT_FIXTURE_H
#define ROCE_DEPLOYMENT_FIXTURE_H

#include "roce-error-of.h"

#include "ns3/roce-deployment.h"
#include "ns3/roce-go-back-n.h"
#include "ns3/roce-line-rate.h"

#include <gtest/gtest.h>
#include <string>

namespace ns3::roce::test
{

/// Parts of a network, and what its check says of them.
struct DeploymentTest : ::testing::Test
{
    template <typename LAW>
    void Use(bool interDc = false)
    {
        transport.interDc = interDc;
        transport.law = CreateObject<LAW>();
    }

    DeploymentTest()
    {
        Use<LineRate>();
        transport.feedback = CreateObject<PlainFeedback>();
        transport.recovery = CreateObject<GoBackN>();
        transport.selector = CreateObject<FlowHash>();
    }

    std::string Check(bool complete = true)
    {
        Deployment all = deployment;
        all.Add(transport);
        if (!complete)
        {
            all.ExpectMoreStages();
        }
        return ErrorOf([&] { all.Check(); });
    }

    Deployment deployment;
    Deployment::Transport transport;
};

} // namespace ns3::roce::test

#endif /* ROCE_DEPLOYMENT_FIXTURE_H */
