// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WITH_PARAMETERS_H
#define ROCE_WITH_PARAMETERS_H

#include "roce-parameters.h"

#include <memory>

namespace ns3::roce
{

/**
 * @brief A class of this module whose attributes are the rows of a ParameterTable, and that has no
 * others.
 *
 * @tparam SELF the class
 * @tparam BASE what it derives from otherwise, an ns-3 object
 * @tparam P its parameters, see Parameters
 */
template <typename SELF, typename BASE, typename P>
class WithParameters : public BASE
{
  public:
    static TypeId GetTypeId()
    {
        static const TypeId tid = P::Table().AddTo(TypeId(P::Table().GetTypeName())
                                                       .template SetParent<BASE>()
                                                       .SetGroupName("Roce")
                                                       .template AddConstructor<SELF>(),
                                                   &WithParameters::m_parameters);
        return tid;
    }

    /// @return the parameters, from the current attributes
    /// @throw InputError for a value that cannot be read or is out of range
    const P& GetParams() const
    {
        return *m_parameters.Get();
    }

  protected:
    Parameters<P> m_parameters;   //!< attributes
    std::shared_ptr<const P> m_p; //!< effective values
};

} // namespace ns3::roce

#endif /* ROCE_WITH_PARAMETERS_H */
