// SPDX-License-Identifier: GPL-2.0-only
#include "roce-fixed-attribute.h"

#include "roce-attribute-wrapper.h"
#include "roce-link.h"
#include "roce-port.h"

#include "ns3/roce-input-error.h"

#include <string>
#include <utility>

namespace ns3::roce
{

namespace
{

/// @return the station that an object is, or belongs to; null: none yet
const Station*
StationOf(const ObjectBase& object)
{
    if (const auto* station = dynamic_cast<const Station*>(&object))
    {
        return station;
    }
    const auto* port = dynamic_cast<const Port*>(&object);
    if (const auto* link = dynamic_cast<const Link*>(&object))
    {
        port = link->PeekPort(0);
    }
    return port ? port->GetOwner() : nullptr;
}

class FixedAttribute final : public AttributeWrapper
{
  public:
    using AttributeWrapper::AttributeWrapper;

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        const Station* station = StationOf(*object);
        if (station && station->IsSetUp())
        {
            throw InputError(NameIn(object->GetInstanceTypeId()) +
                             " is set after Network::Build(), expected before");
        }
        return AttributeWrapper::Set(object, value);
    }

  private:
    /// @return full name of the attribute. @param tid type that has it, perhaps from a parent
    std::string NameIn(TypeId tid) const
    {
        for (TypeId next = tid;; next = next.GetParent())
        {
            for (std::size_t i = 0; i < next.GetAttributeN(); ++i)
            {
                if (PeekPointer(next.GetAttribute(i).accessor) == this)
                {
                    return next.GetAttributeFullName(i);
                }
            }
            if (!next.HasParent())
            {
                return tid.GetName();
            }
        }
    }
};

} // namespace

Ptr<const AttributeAccessor>
UntilBuilt(Ptr<const AttributeAccessor> accessor)
{
    return Create<FixedAttribute>(std::move(accessor));
}

} // namespace ns3::roce
