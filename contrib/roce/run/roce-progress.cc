// SPDX-License-Identifier: GPL-2.0-only
#include "roce-progress.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-messages.h"
#include "ns3/roce-wake-timer.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <unistd.h>
#include <utility>

namespace ns3::roce
{

namespace
{

constexpr double LINE_SECONDS = 1;                   //!< wall-clock time between lines
constexpr double TICK_SECONDS = 0.2;                 //!< wall-clock time between looks at the clock
constexpr int64_t FIRST_PERIOD_PS = 1000000;         //!< simulated time of the first look
constexpr int64_t LONGEST_PERIOD_PS = 1000000000000; //!< 1 s: an idle stretch may end
constexpr int64_t LEAST_TICKS = 200; //!< in the expected length of the run, however fast it is

/// @return a text as printf makes it
[[gnu::format(printf, 1, 2)]] std::string
Print(const char* format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    std::vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return text;
}

std::string
BytesText(uint64_t bytes)
{
    const auto n = static_cast<double>(bytes);
    return bytes < 1000      ? Print("%.0f B", n)
           : bytes < 1000000 ? Print("%.1f kB", n / 1e3)
           : n < 1e9         ? Print("%.1f MB", n / 1e6)
                             : Print("%.1f GB", n / 1e9);
}

std::string
DurationText(double seconds)
{
    const auto whole = static_cast<unsigned>(seconds + 0.5);
    return whole < 60     ? Print("%u s", whole)
           : whole < 3600 ? Print("%u min %02u s", whole / 60, whole % 60)
                          : Print("%u h %02u min", whole / 3600, whole % 3600 / 60);
}

} // namespace

Progress::Mode
Progress::ParseMode(const std::string& text)
{
    if (text == "none")
    {
        return Mode::NONE;
    }
    if (text == "text")
    {
        return Mode::TEXT;
    }
    if (text == "json")
    {
        return Mode::JSON;
    }
    throw InputError("progress is '" + text + "', expected none, text or json");
}

Progress::Progress(Mode mode, int64_t endPs, std::function<Status()> status, std::ostream& out)
    : m_mode(mode),
      m_endPs(endPs),
      m_status(std::move(status)),
      m_out(out),
      m_periodPs(FIRST_PERIOD_PS),
      m_isTerminal(mode == Mode::TEXT && &out == &std::cerr && isatty(STDERR_FILENO))
{
}

Progress::Progress(Mode mode, int64_t endPs, std::function<Status()> status)
    : Progress(mode, endPs, std::move(status), std::cerr)
{
}

Progress::~Progress()
{
    m_next.Cancel();
}

double
Progress::ProcessSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void
Progress::Start()
{
    m_running = true;
    m_wallStart = std::chrono::steady_clock::now();
    m_cpuStart = ProcessSeconds();
    m_lastTick = m_lastLine = 0;
    if (m_mode != Mode::NONE)
    {
        ScheduleNext();
    }
}

void
Progress::Finish()
{
    if (!m_running)
    {
        return;
    }
    m_next.Cancel();
    m_wallSeconds = GetWallSeconds();
    m_cpuSeconds = GetCpuSeconds();
    m_running = false;
    if (m_mode != Mode::NONE)
    {
        Write(true);
    }
}

double
Progress::GetWallSeconds() const
{
    return m_running ? std::chrono::duration<double>(std::chrono::steady_clock::now() - m_wallStart)
                           .count()
                     : m_wallSeconds;
}

double
Progress::GetCpuSeconds() const
{
    return m_running ? ProcessSeconds() - m_cpuStart : m_cpuSeconds;
}

void
Progress::ScheduleNext()
{
    m_next = Simulator::Schedule(PicoSeconds(m_periodPs), &Progress::OnTick, this);
}

void
Progress::OnTick()
{
    ++m_events;
    if (Simulator::IsFinished())
    {
        return; // nothing else is left: do not keep the run alive
    }
    const double now = GetWallSeconds();
    // At most doubled: after an idle stretch, time may pass more slowly again.
    const double scale = TICK_SECONDS / std::max(now - m_lastTick, TICK_SECONDS / 2);
    const int64_t longest = std::max(
        FIRST_PERIOD_PS,
        std::min(LONGEST_PERIOD_PS, NowPs() < m_endPs ? m_endPs / LEAST_TICKS : LONGEST_PERIOD_PS));
    m_periodPs = std::clamp(static_cast<int64_t>(static_cast<double>(m_periodPs) * scale),
                            FIRST_PERIOD_PS,
                            longest);
    m_lastTick = now;
    if (now - m_lastLine >= LINE_SECONDS)
    {
        m_lastLine = now;
        Write(false);
    }
    ScheduleNext();
}

void
Progress::Write(bool isLast)
{
    const Status status = m_status();
    const int64_t nowPs = NowPs();
    if (isLast) // says what the run was like, not its last moment
    {
        m_lastPs = 0;
        m_lastBytes = 0;
    }
    const double bits = 8 * static_cast<double>(status.deliveredBytes - m_lastBytes);
    const double goodputBps =
        nowPs > m_lastPs ? bits * 1e12 / static_cast<double>(nowPs - m_lastPs) : 0;
    m_lastPs = nowPs;
    m_lastBytes = status.deliveredBytes;
    const std::string line = Format(nowPs, GetWallSeconds(), status, goodputBps);
    if (m_isTerminal && !isLast)
    {
        // A terminal cuts off what is too long for it, so that the line can be taken back.
        m_out << (Messages::ERASE_LINE + ("\033[?7l" + line) + "\033[?7h") << std::flush;
        return;
    }
    Messages::WriteLine(m_out, (m_isTerminal ? Messages::ERASE_LINE : "") + line);
}

std::string
Progress::Format(int64_t simulatedPs,
                 double wallSeconds,
                 const Status& status,
                 double goodputBps) const
{
    const auto flowsDone = static_cast<unsigned long long>(status.flowsDone);
    const auto flowsTotal = static_cast<unsigned long long>(status.flowsTotal);
    if (m_mode == Mode::JSON)
    {
        return Print(
            "{\"progress\":{\"simulatedPs\":%lld,\"endPs\":%lld,\"done\":%.6f,"
            "\"flowsDone\":%llu,\"flowsTotal\":%llu,\"packetHops\":%llu,\"goodputBps\":%.0f,"
            "\"queuedBytes\":%llu,\"longestQueuedBytes\":%llu,\"wallSeconds\":%.3f}}",
            static_cast<long long>(simulatedPs),
            static_cast<long long>(m_endPs),
            status.done,
            flowsDone,
            flowsTotal,
            static_cast<unsigned long long>(status.packetHops),
            goodputBps,
            static_cast<unsigned long long>(status.queuedBytes),
            static_cast<unsigned long long>(status.longestQueuedBytes),
            wallSeconds);
    }
    const double hops = static_cast<double>(status.packetHops);
    std::string rest = DurationText(wallSeconds);
    if (m_running)
    {
        const double done = status.done; // 0: nothing has arrived yet
        rest = "ETA " + (done > 0 ? DurationText(wallSeconds * (1 - done) / done) : "unknown");
    }
    const std::string queued =
        BytesText(status.queuedBytes) + " queued" +
        (status.longestQueuedBytes
             ? " (" + BytesText(status.longestQueuedBytes) + " at " + status.fullestSwitch + ")"
             : "");
    return Print("%.3f ms simulated (%.1f %%), %s, %llu of %llu flows done, %.1f Gbit/s goodput, "
                 "%s, %.2f M packet-hops/s",
                 static_cast<double>(simulatedPs) / 1e9,
                 100 * status.done,
                 rest.c_str(),
                 flowsDone,
                 flowsTotal,
                 goodputBps / 1e9,
                 queued.c_str(),
                 wallSeconds > 0 ? hops / wallSeconds / 1e6 : 0);
}

} // namespace ns3::roce
