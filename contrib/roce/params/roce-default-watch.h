// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DEFAULT_WATCH_H
#define ROCE_DEFAULT_WATCH_H

#include "ns3/attribute.h"
#include "ns3/object.h"
#include "ns3/ptr.h"
#include "ns3/type-id.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Refuses a default value that changes after objects of its type were made.
 *
 * Some objects of a network are made when it is built, others when they are first asked for: NICs
 * make their rate laws that way. A default that changes in between would apply to some of them.
 * Network::Build() notes the types; the defaults are compared when flows are installed, and when
 * the simulation starts, since ns-3 initializes what is aggregated to a node then.
 */
class DefaultWatch : public Object
{
  public:
    static TypeId GetTypeId();

    /// @brief From now on, defaults of a type and of its parents must stay.
    void Note(const TypeId& type);

    /// @brief As above, of an object's type.
    void Note(const Object& object)
    {
        Note(object.GetInstanceTypeId());
    }

    /// @throw InputError naming an attribute whose default has changed
    void Check() const;

    /// @brief There are no such objects any longer.
    void Forget()
    {
        m_noted.clear();
        m_types.clear();
    }

  protected:
    void DoInitialize() override;

  private:
    using Defaults = std::vector<Ptr<const AttributeValue>>; //!< by number of the attribute

    std::map<std::string, Defaults> m_noted; //!< by the type's name
    std::set<uint16_t> m_types;              //!< uids of those that have been given to Note()
};

/**
 * @brief Remembers the default values of all attributes, and all global values, and puts them back
 * at its end: so one run's settings do not affect the next one in the same process.
 */
class DefaultScope
{
  public:
    DefaultScope();
    ~DefaultScope();
    DefaultScope(const DefaultScope&) = delete;
    DefaultScope& operator=(const DefaultScope&) = delete;

  private:
    /// An attribute of a type.
    struct Attribute
    {
        TypeId tid;
        std::size_t index;
        Ptr<const AttributeValue> value;
    };

    std::vector<Attribute> m_attributes;
    std::map<std::string, std::string> m_globals;
};

} // namespace ns3::roce

#endif /* ROCE_DEFAULT_WATCH_H */
