// SPDX-License-Identifier: GPL-2.0-only
#include "roce-interruption.h"

#include "ns3/simulator.h"

#include <ctime>

namespace ns3::roce
{

namespace
{

constexpr int64_t AGAIN_NS = 500'000'000; //!< `timeout` sends its signal twice at once

volatile std::sig_atomic_t g_requested = 0; //!< the first signal
volatile std::sig_atomic_t g_stops = 0;     //!< it ends the simulation at once
volatile std::sig_atomic_t g_taken = 0;
volatile int64_t g_requestedNs = 0;

int64_t
MonotonicNs()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

extern "C" void
OnInterruption(int number)
{
    if (!g_requested)
    {
        g_requestedNs = MonotonicNs();
        g_requested = number;
        if (g_stops)
        {
            g_taken = number;
            // Sets a flag that the simulator looks at after each event, in every one of ns-3's.
            Simulator::Stop();
        }
    }
    // From its soft limit on, SIGXCPU comes every second.
    else if (number != SIGXCPU && MonotonicNs() - g_requestedNs >= AGAIN_NS)
    {
        std::signal(number, SIG_DFL);
        std::raise(number); // comes when this function ends
    }
}

} // namespace

Interruption::Interruption(bool shared)
{
    g_requested = 0;
    g_taken = 0;
    g_stops = !shared;
    for (const int number : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU})
    {
        Action before{};
        sigaction(number, nullptr, &before);
        if (before.sa_handler != SIG_IGN)
        {
            Action action{};
            action.sa_handler = OnInterruption;
            action.sa_flags = SA_RESTART;
            sigemptyset(&action.sa_mask);
            sigaction(number, &action, nullptr);
            m_before.emplace_back(number, before);
        }
    }
}

Interruption::~Interruption()
{
    for (const auto& [number, before] : m_before)
    {
        sigaction(number, &before, nullptr);
    }
    if (g_requested == SIGXCPU)
    {
        std::signal(SIGXCPU, SIG_IGN); // it still comes every second, while the program ends
    }
    g_stops = 0;
    g_requested = 0;
    g_taken = 0;
}

int
Interruption::GetRequested()
{
    return g_requested;
}

void
Interruption::Take(int number)
{
    g_taken = number;
    Simulator::Stop();
}

int
Interruption::GetTaken()
{
    return g_taken;
}

const char*
Interruption::NameOf(int number)
{
    switch (number)
    {
    case SIGINT:
        return "SIGINT";
    case SIGTERM:
        return "SIGTERM";
    case SIGUSR1:
        return "SIGUSR1";
    case SIGUSR2:
        return "SIGUSR2";
    case SIGXCPU:
        return "SIGXCPU, its limit of processor time";
    default:
        return "a signal";
    }
}

} // namespace ns3::roce
