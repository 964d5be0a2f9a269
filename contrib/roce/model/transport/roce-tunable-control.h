/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ROCE_TUNABLE_CONTROL_H
#define ROCE_TUNABLE_CONTROL_H

#include "roce-congestion-control.h"

#include <memory>
#include <type_traits>
#include <utility>

namespace ns3
{
namespace roce
{

template <typename Settings>
class SettingsAttributes;

/**
 * @ingroup roce
 * @brief Base of rate laws with many parameters that profiles give values to.
 *
 * A network has thousands of queue pairs and a few settings. So the attributes are not members of
 * the rate law but of Settings, which all forks share until one of them is changed, and so are the
 * parameters that Settings::Resolve() makes of them: a queue pair keeps two pointers. A rate law
 * with a handful of plain attributes does not need this: derive it from CongestionControl (as
 * examples/own-transport.cc, Hpcc and LineRate do).
 *
 * To use it, for a rate law Law:
 * - LawParams: what the rate law computes with, in its units.
 * - LawSettings: the attributes as the user gives them, each with a value that means "from the
 *   profile", and `LawParams Resolve() const`, which puts profile and attributes together and
 *   throws InputError for a bad value (see SettingsCheck).
 * - `class Law : public TunableControl<LawSettings>`. Its Fork() is `GetParams()`, so that forks
 *   share what is resolved, then CopyObject(). DoStart() calls GetParams(); from then on m_params
 *   is valid.
 * - Its GetTypeId() names CongestionControl as parent (this template has no TypeId) and adds the
 *   attributes with SettingsAttributes (roce-settings-attributes.h).
 *
 * Swift is an example.
 *
 * @tparam Settings the attributes; has a const member function Resolve()
 */
template <typename Settings>
class TunableControl : public CongestionControl
{
  public:
    /// What Settings::Resolve() returns.
    using Params = decltype(std::declval<const Settings&>().Resolve());

    TunableControl()
        : m_settings(std::make_shared<Settings>())
    {
    }

    /**
     * @return the parameters as the attributes stand now
     * @throw InputError if an attribute is out of range
     */
    const Params& GetParams() const
    {
        if (m_stale)
        {
            m_params = std::make_shared<const Params>(m_settings->Resolve());
            m_stale = false;
        }
        return *m_params;
    }

  protected:
    /**
     * @brief Share settings and parameters with the other one.
     * @param other the prototype
     */
    TunableControl(const TunableControl& other) = default;

    /// @return the attributes as they stand now
    const Settings& GetSettings() const
    {
        return *m_settings;
    }

    /**
     * @brief Share the settings of another object from now on.
     * @param from where the attributes are taken from; may be this object
     * @throw InputError if an attribute of from is out of range
     */
    void ShareSettings(const TunableControl& from)
    {
        from.GetParams();
        m_settings = from.m_settings;
        m_params = from.m_params;
        m_stale = false;
    }

    mutable std::shared_ptr<const Params> m_params; //!< as of the last GetParams(); shared by forks

  private:
    friend class SettingsAttributes<Settings>;

    /// Type of a member of Settings, named by a pointer to it.
    template <auto M>
    using Member = std::decay_t<decltype(std::declval<Settings&>().*M)>;

    /// Setter of an attribute.
    template <auto M>
    void Set(Member<M> value)
    {
        if (m_settings.use_count() > 1)
        {
            m_settings = std::make_shared<Settings>(*m_settings);
        }
        (*m_settings).*M = value;
        m_stale = true;
    }

    /// Getter of an attribute.
    template <auto M>
    Member<M> Get() const
    {
        return (*m_settings).*M;
    }

    std::shared_ptr<Settings> m_settings; //!< shared by forks, copied on write
    mutable bool m_stale{true};           //!< m_settings are newer than m_params
};

} // namespace roce
} // namespace ns3

#endif /* ROCE_TUNABLE_CONTROL_H */
