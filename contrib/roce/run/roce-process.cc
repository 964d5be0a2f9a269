// SPDX-License-Identifier: GPL-2.0-only
#include "roce-process.h"

#include "ns3/roce-messages.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <string>
#include <unistd.h>

namespace ns3::roce
{

namespace
{

bool g_outputToldOf = false; //!< standard output cannot be written, and that has been reported

void
OnExit()
{
    if (!Process::FlushOutput())
    {
        std::_Exit(2);
    }
}

} // namespace

void
Process::Begin()
{
    static bool begun = false;
    if (begun)
    {
        return;
    }
    begun = true;
    for (int file = 0; file <= 2; ++file)
    {
        if (fcntl(file, F_GETFD) < 0 && errno == EBADF)
        {
            // The lowest free number is this one: those below it are open.
            [[maybe_unused]] const int opened = open("/dev/null", file ? O_WRONLY : O_RDONLY);
        }
    }
    std::signal(SIGXFSZ, SIG_IGN);
    std::atexit(OnExit);
}

bool
Process::FlushOutput()
{
    if (g_outputToldOf)
    {
        return false;
    }
    std::cout.flush();
    errno = 0;
    const bool flushed = std::fflush(stdout) == 0;
    if (flushed && std::cout.good() && !std::ferror(stdout))
    {
        return true;
    }
    g_outputToldOf = true;
    Messages::Say("error",
                  "standard output: cannot write" +
                      (errno ? std::string(": ") + std::strerror(errno) : ""));
    return false;
}

} // namespace ns3::roce
