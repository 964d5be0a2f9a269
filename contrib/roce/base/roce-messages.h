// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_MESSAGES_H
#define ROCE_MESSAGES_H

#include <iosfwd>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Messages of a program on standard error: errors, warnings, notes, unfinished flows.
 *
 * TEXT is for people: `warning: <text>`, details in lines of their own, two blanks before each.
 * JSON is for programs: each message is one object in one line, `{"warning":"<text>"}`, with
 * details
 * `{"unfinished":"<text>","details":["<line>",..]}`. The form is the process's, as standard error
 * is.
 */
class Messages
{
  public:
    /// What takes back a line of a terminal that is not ended: that of Progress.
    static constexpr const char* ERASE_LINE = "\r\033[K";

    /// How messages are written.
    enum class Form
    {
        TEXT,
        JSON
    };

    /// @param form of messages from now on
    static void SetForm(Form form);

    /// @param muted print nothing from now on: another process does
    static void SetMuted(bool muted);

    /**
     * @brief Write a message to standard error.
     * @param kind error, warning, note ...
     * @param text one line
     * @param details further lines
     */
    static void Say(const std::string& kind,
                    const std::string& text,
                    const std::vector<std::string>& details = {});

    /// @brief Write a line and its end at once: no other process's text comes between.
    static void WriteLine(std::ostream& out, const std::string& text);

    /**
     * @param kind see Say()
     * @param text see Say()
     * @param details see Say()
     * @return the message without its last line end
     */
    static std::string Format(Form form,
                              const std::string& kind,
                              const std::string& text,
                              const std::vector<std::string>& details = {});

  private:
    static Form m_form;
    static bool m_muted;
};

} // namespace ns3::roce

#endif /* ROCE_MESSAGES_H */
