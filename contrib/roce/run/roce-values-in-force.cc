// SPDX-License-Identifier: GPL-2.0-only
#include "roce-values-in-force.h"

#include "ns3/object-factory.h"
#include "ns3/roce-attribute-values.h"
#include "ns3/roce-congestion-control.h"
#include "ns3/roce-ecn-marker.h"
#include "ns3/roce-egress-scheduler.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-network.h"
#include "ns3/roce-path-policy.h"
#include "ns3/roce-switch-stage.h"
#include "ns3/roce-tuner.h"
#include "ns3/roce-value-check.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3::roce
{

namespace
{

using Json = nlohmann::ordered_json;

/// @return type, values by attribute, and where each comes from
Json
Describe(const Object& object)
{
    Json entry;
    entry["type"] = object.GetInstanceTypeId().GetName();
    entry["count"] = 1;
    Json values = Json::object();
    Json origins = Json::object();
    for (const AttributeInForce& attribute : GetAttributesInForce(object))
    {
        values[attribute.name] = attribute.value;
        origins[attribute.name] = attribute.from;
    }
    entry["values"] = values;
    entry["from"] = origins;
    return entry;
}

/// @return a marking curve, bytes; empty if it marks none
Json
Describe(const EcnCurve& curve)
{
    Json json = Json::object();
    if (curve.CanMark())
    {
        json["ecnKminBytes"] = curve.kminBytes;
        json["ecnKmaxBytes"] = curve.kmaxBytes;
        json["ecnPmax"] = curve.pmax;
    }
    return json;
}

/// What PFC has for each lossless class of a port; zeros if there is none.
struct PfcThresholds
{
    int64_t delayPs{0}; //!< of the link, one way
    uint64_t headroomBytes{0};
    uint64_t xoffBytes{0}; //!< while the switch is empty
    uint64_t xonBytes{0};  //!< the same

    PfcThresholds(const Switch& sw, uint16_t port)
    {
        const SharedBuffer& buffer = sw.GetBuffer();
        for (uint8_t c = 0; c < N_CLASSES && !headroomBytes; ++c)
        {
            if (buffer.IsLossless(port, c))
            {
                delayPs = sw.PeekPort(port)->GetLink()->GetDelayPs();
                headroomBytes = buffer.GetHeadroomLimitBytes(port, c);
                std::tie(xoffBytes, xonBytes) = buffer.GetEmptyThresholdsBytes(port, c);
            }
        }
    }

    void AddTo(Json& json) const
    {
        if (headroomBytes)
        {
            json["linkDelayNs"] = static_cast<double>(delayPs) / 1e3;
            json["pfcHeadroomBytes"] = headroomBytes;
            json["pfcXoffBytes"] = xoffBytes;
            json["pfcXonBytes"] = xonBytes;
        }
    }
};

/// The different values that objects of one role have.
class Role
{
  public:
    /**
     * @brief Count an object among its equals.
     * @param object has this role
     * @param key of the object, and of the port that thresholds are of
     * @param thresholds called with nothing, gives them; null: there are none
     * @return which of the different ones it is like
     */
    template <typename THRESHOLDS>
    std::size_t Add(const Object& object, const std::string& key, THRESHOLDS thresholds)
    {
        const auto [known, isNew] = m_known.try_emplace(key, 0);
        if (isNew)
        {
            // Texts are made for the first of its kind only: a port has as much to tell as the
            // whole rest of its life takes.
            Json entry = Describe(object);
            if (const Json more = thresholds(); !more.is_null())
            {
                entry["thresholds"] = more;
            }
            known->second = static_cast<std::size_t>(
                std::find(m_entries.begin(), m_entries.end(), entry) - m_entries.begin());
            if (known->second == m_entries.size())
            {
                m_entries.push_back(std::move(entry));
                m_counts.push_back(0);
            }
        }
        ++m_counts[known->second];
        return known->second;
    }

    /// @brief Count one more. @param which see Add()
    void AddLike(std::size_t which)
    {
        ++m_counts[which];
    }

    /// @return all different ones, in the order of the first of each
    Json Make() const
    {
        Json json;
        for (std::size_t i = 0; i < m_entries.size(); ++i)
        {
            json.push_back(m_entries[i]);
            json.back()["count"] = m_counts[i];
        }
        return json;
    }

  private:
    std::unordered_map<std::string, std::size_t> m_known; //!< by key
    std::vector<Json> m_entries;                          //!< each with a count of 1
    std::vector<uint64_t> m_counts;
};

/// The roles, in the order in which they come up.
class Roles
{
  public:
    /// Which of a role an object is like.
    using Place = std::pair<std::size_t, std::size_t>;

    /// @brief Count an object among its equals. @param role name @param object has it
    Place Add(const std::string& role, const Object& object)
    {
        m_key.clear();
        return AddKnown(role, object, [] { return Json(); });
    }

    /// @brief As above. @param sw has the port @param marker of the switch, or null
    void AddPort(const std::string& role, const Switch& sw, uint16_t port, const EcnMarker* marker)
    {
        const EcnCurve curve = marker ? marker->GetCurve(port) : NO_ECN_CURVE;
        const PfcThresholds pfc(sw, port);
        m_key.clear();
        m_key.append(reinterpret_cast<const char*>(&curve), curve.CanMark() ? sizeof(curve) : 0);
        m_key.append(reinterpret_cast<const char*>(&pfc), sizeof(pfc));
        AddKnown(role, *sw.PeekPort(port), [&] {
            Json json = Describe(curve);
            pfc.AddTo(json);
            return json;
        });
    }

    /// @brief Count one more. @param place see Add()
    void AddLike(Place place)
    {
        m_roles[place.first].second.AddLike(place.second);
    }

    /// @return by name of the role
    Json Make() const
    {
        Json json = Json::object();
        for (const auto& [name, role] : m_roles)
        {
            json[name] = role.Make();
        }
        return json;
    }

  private:
    template <typename THRESHOLDS>
    Place AddKnown(const std::string& name, const Object& object, THRESHOLDS thresholds)
    {
        const auto found = std::find_if(m_roles.begin(), m_roles.end(), [&name](const auto& role) {
            return role.first == name;
        });
        const auto index = static_cast<std::size_t>(found - m_roles.begin());
        if (found == m_roles.end())
        {
            m_roles.emplace_back(name, Role());
        }
        m_keys.Append(object, m_key);
        return {index, m_roles[index].second.Add(object, m_key, thresholds)};
    }

    std::vector<std::pair<std::string, Role>> m_roles; //!< by name
    AttributeKeys m_keys;
    std::string m_key; //!< scratch
};

/// What queue pairs of NICs have within a datacenter, or across.
class ProfileRoles
{
  public:
    /// @param roles counts them @param interDc across datacenters
    ProfileRoles(Roles& roles, bool interDc)
        : m_roles(roles),
          m_interDc(interDc),
          m_scope(interDc ? "inter." : "intra.")
    {
    }

    /// @brief Count what a NIC has. @param nic any
    void Add(Nic& nic)
    {
        // Nobody can have changed a profile that is not there yet, so it is not made only to be
        // looked at. NICs that are alike have the law of their attributes alone.
        const void* const alike =
            nic.GetNLaws() == 1 && !nic.HasProfile(m_interDc, 0) ? nic.GetAlike() : nullptr;
        if (alike && alike == m_alike)
        {
            for (const Roles::Place& place : m_alikePlaces)
            {
                m_roles.AddLike(place);
            }
            return;
        }
        m_places.clear();
        for (std::size_t number = 0; number < nic.GetNLaws(); ++number)
        {
            const TransportProfile& profile =
                *nic.GetProfile(m_interDc, static_cast<uint8_t>(number));
            std::string role = m_scope + "congestionControl";
            for (Ptr<const CongestionControl> law = profile.GetLaw(); law; law = law->GetInnerLaw())
            {
                Count(role, *law);
                role += ".law";
            }
            Count(m_scope + "receiverFeedback", *profile.GetFeedback());
        }
        const TransportProfile& profile = *nic.GetProfile(m_interDc);
        Count(m_scope + "lossRecovery", *profile.GetRecovery());
        Count(m_scope + "pathSelector", *profile.GetSelector());
        if (alike)
        {
            m_alike = alike;
            m_alikePlaces = m_places;
        }
    }

  private:
    void Count(const std::string& role, const Object& object)
    {
        m_places.push_back(m_roles.Add(role, object));
    }

    Roles& m_roles;
    const bool m_interDc;
    const std::string m_scope;
    std::vector<Roles::Place> m_places;
    const void* m_alike{nullptr}; //!< of the last NIC whose profile was not there
    std::vector<Roles::Place> m_alikePlaces;
};

} // namespace

Json
ValuesInForce(const Network& network)
{
    Roles roles;
    bool hasInter = false;
    for (uint32_t i = 0; i < network.GetNNics(); ++i)
    {
        hasInter = hasInter || network.GetDatacenter(i) != network.GetDatacenter(0);
    }
    ProfileRoles intra(roles, false);
    ProfileRoles inter(roles, true);
    for (uint32_t i = 0; i < network.GetNNics(); ++i)
    {
        Nic& nic = *network.GetNic(i);
        roles.Add("nic", nic);
        intra.Add(nic);
        if (hasInter)
        {
            inter.Add(nic);
        }
    }
    for (uint32_t i = 0; i < network.GetNSwitches(); ++i)
    {
        const Switch& sw = *network.GetSwitch(i);
        const auto* marker = sw.FindStage<EcnMarker>();
        roles.Add("switch", sw);
        for (uint16_t p = 0; p < sw.GetNPorts(); ++p)
        {
            roles.AddPort("switchPort", sw, p, marker);
            roles.Add("scheduler", sw.GetQueue(p));
        }
        for (const Ptr<SwitchStage>& stage : sw.GetStages())
        {
            roles.Add("stage", *stage);
        }
        if (const Ptr<PathPolicy> policy = sw.GetPathPolicy())
        {
            roles.Add("pathPolicy", *policy);
        }
    }
    if (const Ptr<Tuner> tuner = network.GetTuner())
    {
        roles.Add("tuner", *tuner);
    }
    return roles.Make();
}

namespace
{

const char* const OPTION = "--PrintProfile";

/// @throw InputError if the name before the bracket is not that of a type that can be made
void
CheckName(const std::string& text)
{
    const std::string name = text.substr(0, text.find('['));
    const std::string known = ValueCheck::KnownTypes(Object::GetTypeId(), "Roce");
    TypeId tid;
    const bool found = TypeId::LookupByNameFailSafe("ns3::roce::" + name, &tid) ||
                       TypeId::LookupByNameFailSafe(name, &tid);
    if (!found || !tid.HasConstructor() || !tid.IsChildOf(Object::GetTypeId()))
    {
        throw InputError(std::string(OPTION) + " is '" + text + "', expected one of: " + known);
    }
}

} // namespace

std::string
PrintProfile(const std::string& text)
{
    CheckName(text);
    ObjectFactory factory;
    std::istringstream(ValueCheck::Factory(OPTION, text, Object::GetTypeId())) >> factory;
    const Ptr<Object> object = factory.Create<Object>();
    if (const auto* law = dynamic_cast<const CongestionControl*>(PeekPointer(object)))
    {
        law->Fork(); // throws for values that do not go together
    }
    std::vector<std::array<std::string, 5>> rows{{"parameter", "value", "from", "values", "help"}};
    for (const AttributeInForce& attribute : GetAttributesInForce(*object))
    {
        rows.push_back(
            {attribute.name, attribute.value, attribute.from, attribute.kind, attribute.help});
    }
    std::array<std::size_t, 4> widths{};
    for (const auto& row : rows)
    {
        for (std::size_t i = 0; i < widths.size(); ++i)
        {
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    std::string table = factory.GetTypeId().GetName() + "\n";
    for (const auto& row : rows)
    {
        for (std::size_t i = 0; i < widths.size(); ++i)
        {
            table += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
        }
        table += row.back() + "\n";
    }
    return table;
}

} // namespace ns3::roce
