// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TEST_PARALEON_VALUES_H
#define ROCE_TEST_PARALEON_VALUES_H

#include "ns3/object-factory.h"
#include "ns3/object.h"
#include "ns3/roce-paraleon-params.h"

#include <sstream>
#include <string>

namespace ns3::roce::test
{

/// An object that has PARALEON's parameters and does nothing with them.
class ParaleonValues : public Object
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId()
    {
        static const TypeId tid =
            ParaleonParams::Table().AddTo(TypeId("ns3::roce::test::ParaleonValues")
                                              .SetParent<Object>()
                                              .AddConstructor<ParaleonValues>(),
                                          &ParaleonValues::m_parameters);
        return tid;
    }

    /**
     * @param attributes "Profile=artifact-a1|Eta=0.5"
     * @return the values in force
     * @throw InputError for a bad one
     */
    static ParaleonParams Of(const std::string& attributes = "")
    {
        GetTypeId();
        ObjectFactory factory;
        std::istringstream("ns3::roce::test::ParaleonValues[" + attributes + "]") >> factory;
        return *factory.Create<ParaleonValues>()->m_parameters.Get();
    }

  private:
    Parameters<ParaleonParams> m_parameters;
};

} // namespace ns3::roce::test

#endif /* ROCE_TEST_PARALEON_VALUES_H */
