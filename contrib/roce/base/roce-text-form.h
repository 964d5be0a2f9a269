// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_TEXT_FORM_H
#define ROCE_TEXT_FORM_H

#include <memory>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief The form of an input text: a regular expression.
 *
 * Users of this class need not compile `<regex>`, which takes seconds for each file.
 */
class TextForm
{
  public:
    /// @brief Constructor. @param pattern regular expression (ECMAScript) of the whole text
    explicit TextForm(const std::string& pattern);

    /**
     * @brief Compare a text with the form.
     * @param text any; more than 1000 characters never have a form
     * @return the text and its groups, "" for one that takes no part; empty if the text is not of
     * this form
     */
    std::vector<std::string> Match(const std::string& text) const;

  private:
    struct Expression;

    std::shared_ptr<const Expression> m_expression;
};

} // namespace ns3::roce

#endif /* ROCE_TEXT_FORM_H */
