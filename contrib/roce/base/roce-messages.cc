// SPDX-License-Identifier: GPL-2.0-only
#include "roce-messages.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <unistd.h>

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
        // What was printed before stands before it, also where both go to one terminal.
        std::cout.flush();
        const bool hasProgress = m_form == Form::TEXT && isatty(STDERR_FILENO);
        WriteLine(std::cerr, (hasProgress ? ERASE_LINE : "") + Format(m_form, kind, text, details));
    }
}

void
Messages::WriteLine(std::ostream& out, const std::string& text)
{
    const std::string line = text + "\n";
    out.write(line.data(), static_cast<std::streamsize>(line.size())).flush();
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
