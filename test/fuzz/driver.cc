// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Runs the programs many times without starting them each time: with sanitizers, loading and
 * linking takes longer than a small run. Each line on standard input is a request, each line on
 * standard output its result; a run is a fork of this process as it was at its start.
 *
 * A request is blanks between KEY=VALUE: folder (hex; the working directory), argv (hex, commas
 * between; the program's name first: one of those compiled in, or a path to execute), and if wanted
 *
 *   cpu=SECONDS wall=MILLISECONDS        the run is killed beyond them
 *   as=BYTES fsize=BYTES                 limits of address space and of each file
 *   uid=NUMBER                           the user to run as
 *   kill=SIGNAL:MICROSECONDS             a signal after this time
 *   closed=DIGITS                        standard streams that are closed, for example 12
 *   fault=N:kill|ERRNO                   at the Nth file operation, the process is killed or the
 *                                        operation fails, and with ENOSPC each later write, too
 *
 * A result is: status signal (0: ended by itself) late (0 or 1) cpu wall (microseconds) rss (KiB)
 * operations (on files) stdout stderr (hex, their first bytes, - if none).
 */

#include "file-faults.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

// The programs' main(), renamed by the build.
int RunLeafSpine(int argc, char* argv[]);
int RunFatTree(int argc, char* argv[]);
int RunReplay(int argc, char* argv[]);
int RunApiCalls(int argc, char* argv[]);

namespace
{

using Main = int (*)(int, char**);
using Request = std::map<std::string, std::string>;

const std::map<std::string, Main> PROGRAMS{{"two-dc-leaf-spine", RunLeafSpine},
                                           {"two-dc-fat-tree", RunFatTree},
                                           {"replay", RunReplay},
                                           {"roce-api-calls", RunApiCalls}};

constexpr std::size_t OUTPUT_BYTES = 16384;

std::string
FromHex(const std::string& hex)
{
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    {
        bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    return bytes;
}

/// @return the first bytes of a file in hex
std::string
HeadInHex(int file)
{
    std::string bytes(OUTPUT_BYTES, '\0');
    const ssize_t found = pread(file, bytes.data(), bytes.size(), 0);
    std::string hex;
    for (ssize_t i = 0; i < found; ++i)
    {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(bytes[i]));
        hex += digits;
    }
    return hex.empty() ? "-" : hex;
}

std::vector<std::string>
SplitArguments(const std::string& text)
{
    std::vector<std::string> arguments;
    std::istringstream list(text + ",");
    for (std::string item; std::getline(list, item, ',');)
    {
        arguments.push_back(FromHex(item));
    }
    return arguments;
}

uint64_t
Number(const Request& request, const char* key)
{
    const auto entry = request.find(key);
    return entry == request.end() ? 0 : std::stoull(entry->second);
}

void
Limit(int resource, uint64_t value)
{
    if (value)
    {
        const rlimit limit{value, value};
        setrlimit(static_cast<__rlimit_resource>(resource), &limit);
    }
}

[[noreturn]] void
RunChild(const Request& request, int out, int err)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    dup2(out, 1);
    dup2(err, 2);
    close(null);
    Limit(RLIMIT_CPU, Number(request, "cpu"));
    Limit(RLIMIT_AS, Number(request, "as"));
    const rlimit noCore{0, 0};
    setrlimit(RLIMIT_CORE, &noCore);
    Limit(RLIMIT_FSIZE, Number(request, "fsize"));
    const auto uid = static_cast<uid_t>(Number(request, "uid"));
    if (chdir(FromHex(request.at("folder")).c_str()) != 0 || (uid && setresuid(uid, uid, uid) != 0))
    {
        std::perror("driver");
        _exit(125);
    }
    std::vector<std::string> arguments = SplitArguments(request.at("argv"));
    std::vector<char*> argv;
    for (std::string& argument : arguments)
    {
        argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    const auto program = PROGRAMS.find(arguments.front());
    if (program == PROGRAMS.end())
    {
        execv(argv.front(), argv.data());
        std::perror("driver");
        _exit(125);
    }
    if (const auto closed = request.find("closed"); closed != request.end())
    {
        for (const char stream : closed->second)
        {
            close(stream - '0');
        }
    }
    const auto fault = request.find("fault");
    FileFaults::Arm(fault == request.end() ? "" : fault->second);
    std::exit(program->second(static_cast<int>(arguments.size()), argv.data()));
}

int64_t
NowUs()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<int64_t>(now.tv_sec) * 1000000 + now.tv_nsec / 1000;
}

/// Wait for a child at most until a time. @return whether it has ended
bool
WaitUntil(pid_t child, int64_t untilUs, int& status, rusage& usage)
{
    sigset_t childSignal;
    sigemptyset(&childSignal);
    sigaddset(&childSignal, SIGCHLD);
    while (wait4(child, &status, WNOHANG, &usage) == 0)
    {
        const int64_t leftUs = untilUs - NowUs();
        if (leftUs <= 0)
        {
            return false;
        }
        const timespec left{leftUs / 1000000, leftUs % 1000000 * 1000};
        sigtimedwait(&childSignal, nullptr, &left);
    }
    return true;
}

void
Serve(const Request& request)
{
    const int out = memfd_create("stdout", MFD_CLOEXEC);
    const int err = memfd_create("stderr", MFD_CLOEXEC);
    FileFaults::Reset();
    const int64_t startUs = NowUs();
    const pid_t child = fork();
    if (child == 0)
    {
        RunChild(request, out, err);
    }
    const int64_t wallMs = static_cast<int64_t>(Number(request, "wall"));
    const int64_t endUs = startUs + (wallMs ? wallMs : 600000) * 1000;
    int status = 0;
    rusage usage{};
    bool ended = false;
    if (const auto kill = request.find("kill"); kill != request.end())
    {
        const std::size_t colon = kill->second.find(':');
        ended =
            WaitUntil(child, startUs + std::stoll(kill->second.substr(colon + 1)), status, usage);
        if (!ended)
        {
            ::kill(child, std::stoi(kill->second.substr(0, colon)));
        }
    }
    ended = ended || WaitUntil(child, endUs, status, usage);
    if (!ended)
    {
        ::kill(child, SIGKILL);
        wait4(child, &status, 0, &usage);
    }
    const int64_t cpuUs =
        static_cast<int64_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
        usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
    std::cout << (WIFEXITED(status) ? WEXITSTATUS(status) : -1) << ' '
              << (WIFSIGNALED(status) ? WTERMSIG(status) : 0) << ' ' << !ended << ' ' << cpuUs
              << ' ' << NowUs() - startUs << ' ' << usage.ru_maxrss << ' ' << FileFaults::Count()
              << ' ' << HeadInHex(out) << ' ' << HeadInHex(err) << std::endl;
    close(out);
    close(err);
}

} // namespace

int
main()
{
    sigset_t childSignal;
    sigemptyset(&childSignal);
    sigaddset(&childSignal, SIGCHLD);
    sigprocmask(SIG_BLOCK, &childSignal, nullptr);
#ifdef __SANITIZE_ADDRESS__
    std::cout << "ready sanitized" << std::endl;
#else
    std::cout << "ready" << std::endl;
#endif
    for (std::string line; std::getline(std::cin, line);)
    {
        Request request;
        std::istringstream fields(line);
        for (std::string field; fields >> field;)
        {
            const std::size_t equal = field.find('=');
            request[field.substr(0, equal)] = field.substr(equal + 1);
        }
        Serve(request);
    }
    return 0;
}
