// SPDX-License-Identifier: GPL-2.0-only
#include "roce-messages.h"

#include <iostream>
#include <nlohmann/json.hpp>

namespace ns3::roce
{

Messages::Form Messages::m_form = Messages::Form::TEXT;
bool Messages::m_muted = false;

void
Messages::SetForm(Form form)
{
    m_form = form;
}

void
Messages::SetMuted(bool muted)
{
    m_muted = muted;
}

void
Messages::Say(const std::string& kind,
              const std::string& text,
              const std::vector<std::string>& details)
{
    if (!m_muted)
    {
        std::cerr << Format(m_form, kind, text, details) << std::endl;
    }
}

std::string
Messages::Format(Form form,
                 const std::string& kind,
                 const std::string& text,
                 const std::vector<std::string>& details)
{
    if (form == Form::TEXT)
    {
        std::string lines = kind + ": " + text;
        for (const std::string& detail : details)
        {
            lines += "\n  " + detail;
        }
        return lines;
    }
    nlohmann::ordered_json json{{kind, text}};
    if (!details.empty())
    {
        json["details"] = details;
    }
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace ns3::roce
