// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_ATTRIBUTE_WRAPPER_H
#define ROCE_ATTRIBUTE_WRAPPER_H

#include "ns3/attribute.h"
#include "ns3/ptr.h"

#include <utility>

namespace ns3::roce
{

/// @brief An attribute's accessor that does what another one does. A derived class adds something
/// to Set().
class AttributeWrapper : public AttributeAccessor
{
  public:
    /// @param accessor the other one
    explicit AttributeWrapper(Ptr<const AttributeAccessor> accessor)
        : m_accessor(std::move(accessor))
    {
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        return m_accessor->Set(object, value);
    }

    bool Get(const ObjectBase* object, AttributeValue& value) const override
    {
        return m_accessor->Get(object, value);
    }

    bool HasGetter() const override
    {
        return m_accessor->HasGetter();
    }

    bool HasSetter() const override
    {
        return m_accessor->HasSetter();
    }

  private:
    Ptr<const AttributeAccessor> m_accessor;
};

} // namespace ns3::roce

#endif /* ROCE_ATTRIBUTE_WRAPPER_H */
