// SPDX-License-Identifier: GPL-2.0-only
#include "roce-text-form.h"

#include <regex>

namespace ns3::roce
{

struct TextForm::Expression
{
    std::regex regex;
};

TextForm::TextForm(const std::string& pattern)
    : m_expression(std::make_shared<Expression>(Expression{std::regex(pattern)}))
{
}

std::vector<std::string>
TextForm::Match(const std::string& text) const
{
    // std::regex_match() recurses with each character: a longer text overflows the stack.
    constexpr std::size_t MAX_LENGTH = 1000;
    std::smatch match;
    if (text.size() > MAX_LENGTH || !std::regex_match(text, match, m_expression->regex))
    {
        return {};
    }
    return {match.begin(), match.end()};
}

} // namespace ns3::roce
