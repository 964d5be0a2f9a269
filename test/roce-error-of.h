// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_ERROR_OF_H
#define ROCE_ERROR_OF_H

#include "ns3/roce-input-error.h"

#include <gtest/gtest.h>
#include <string>

namespace ns3::roce::test
{

/**
 * @tparam Error what it throws; nothing else is caught
 * @tparam F callable
 * @param f called
 * @return message of the error that it throws, or "no error"
 */
template <typename Error = InputError, typename F>
std::string
ErrorOf(F&& f)
{
    try
    {
        f();
    }
    catch (const Error& e)
    {
        return e.what();
    }
    return "no error";
}

/**
 * @brief Expect that something is refused.
 * @tparam F callable, what is done
 * @param f called
 * @param part of the message
 * @param what is refused, for what is printed when it is not
 */
template <typename F>
void
ExpectRefused(F&& f, const std::string& part, const std::string& what = "")
{
    const std::string error = ErrorOf(f);
    EXPECT_NE(error.find(part), std::string::npos) << what << ": " << error;
}

} // namespace ns3::roce::test

#endif /* ROCE_ERROR_OF_H */
