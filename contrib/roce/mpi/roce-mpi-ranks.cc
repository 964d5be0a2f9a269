// SPDX-License-Identifier: GPL-2.0-only
#include "roce-mpi-ranks.h"

#include "roce-rank-watch.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-messages.h"

#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <thread>

#ifdef ROCE_MPI
// The old C++ bindings are in no library that this one is linked with.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#endif

namespace ns3::roce
{

namespace
{

std::unique_ptr<MpiRanks> g_ranks; //!< null: one process

/// @return a number in the environment, or -1
long
NumberOf(const char* variable)
{
    const char* const text = std::getenv(variable);
    return text ? std::strtol(text, nullptr, 10) : -1;
}

/// What launchers of processes say of how many there are: Open MPI, PMI (MPICH, Intel, srun
/// --mpi=pmi2) and PMIx under Slurm.
long
CountStarted()
{
    for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    {
        if (const long n = NumberOf(variable); n >= 0)
        {
            return n;
        }
    }
    return NumberOf("PMIX_RANK") >= 0 ? NumberOf("SLURM_STEP_NUM_TASKS") : 1;
}

/// @return number of this process, from the same
long
RankStarted()
{
    for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
    {
        if (const long rank = NumberOf(variable); rank >= 0)
        {
            return rank;
        }
    }
    return 0;
}

} // namespace

MpiRanks*
MpiRanks::Get()
{
    return g_ranks.get();
}

bool
MpiRanks::IsFirst()
{
    return !g_ranks || g_ranks->m_rank == 0;
}

void
MpiRanks::Begin(bool mayShare)
{
    const long n = CountStarted();
    if (g_ranks) // not the first program of these processes
    {
        g_ranks->m_told = g_ranks->m_running = false;
        return;
    }
    if (n < 2)
    {
        return;
    }
    if (RankStarted() > 0 && !std::freopen("/dev/null", "w", stdout))
    {
        throw InputError("/dev/null: cannot be opened");
    }
    std::string problem;
    if (!mayShare)
    {
        problem = "this program runs in one";
    }
#ifndef ROCE_MPI
    problem = "it was built without MPI; expected one process, or a build with MPI (on Debian: "
              "scripts/install.sh, then scripts/build.sh)";
#endif
    if (problem.empty())
    {
        g_ranks.reset(new MpiRanks());
        Messages::SetMuted(!IsFirst());
        return;
    }
    if (RankStarted() > 0)
    {
        std::exit(2); // the first one prints it
    }
    throw InputError("started as one of " + std::to_string(n) + " processes, but " + problem);
}

void
MpiRanks::StartRun()
{
    if (g_ranks)
    {
        g_ranks->m_running = true;
    }
}

#ifdef ROCE_MPI

namespace
{

/// Called as the program ends, however it does.
void
EndMpi()
{
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended)
    {
        RankWatch::TakeIn();
        MPI_Finalize();
    }
}

/**
 * Wait for the others. MPI's own waiting uses a whole core, which the awaited process may need if
 * there are more processes than cores: so after about a window's work the thread sleeps between
 * polls. What passes while this process itself is stopped or starved is no waiting: at its return
 * it has not yet asked for what others have sent meanwhile.
 * @param request begun
 */
void
Await(MPI_Request& request)
{
    constexpr auto AWAKE = std::chrono::microseconds(200);
    constexpr auto NAP = std::chrono::microseconds(20);
    constexpr auto STOPPED = std::chrono::seconds(1); //!< so long between two polls
    auto begin = std::chrono::steady_clock::now();
    auto polled = begin;
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    while (!done)
    {
        const auto now = std::chrono::steady_clock::now();
        if (now - polled > STOPPED)
        {
            begin += now - polled;
        }
        polled = now;
        if (now - begin > AWAKE)
        {
            RankWatch::Look(now - begin);
            std::this_thread::sleep_for(NAP);
        }
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

/// @return a length as MPI takes it
int
LengthOf(std::size_t bytes)
{
    if (bytes > INT_MAX)
    {
        throw InputError("ranks: " + std::to_string(bytes) +
                         " B for other processes at once, expected less than 2 GiB");
    }
    return static_cast<int>(bytes);
}

/// Where pieces begin that follow each other. @param lengths of the pieces @return one more: the
/// end
std::vector<int>
PlacesOf(const std::vector<int>& lengths)
{
    std::vector<int> places{0};
    for (const int length : lengths)
    {
        places.push_back(LengthOf(static_cast<std::size_t>(places.back()) + length));
    }
    return places;
}

/// @param whole pieces that follow each other @return the pieces
std::vector<std::string>
Cut(const std::string& whole, const std::vector<int>& places)
{
    std::vector<std::string> pieces;
    for (std::size_t i = 0; i + 1 < places.size(); ++i)
    {
        pieces.push_back(whole.substr(places[i], places[i + 1] - places[i]));
    }
    return pieces;
}

} // namespace

MpiRanks::MpiRanks()
{
    if (NumberOf("OMPI_COMM_WORLD_LOCAL_SIZE") == CountStarted())
    {
        // All are on this machine. Open MPI needs a fifth of a second to look for networks.
        ::setenv("OMPI_MCA_pml", "ob1", 0);
    }
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    std::atexit(EndMpi);
    int number = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    m_rank = static_cast<unsigned>(number);
    MPI_Comm_size(MPI_COMM_WORLD, &number);
    m_n = static_cast<unsigned>(number);
}

MpiRanks::~MpiRanks() = default;

std::vector<std::string>
MpiRanks::Gather(const std::string& own)
{
    RankWatch::NoteMeeting();
    const int length = LengthOf(own.size());
    std::vector<int> lengths(m_n);
    MPI_Request request;
    MPI_Iallgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
    Await(request);
    const std::vector<int> places = PlacesOf(lengths);
    std::string all(static_cast<std::size_t>(places.back()), '\0');
    MPI_Iallgatherv(own.data(),
                    length,
                    MPI_BYTE,
                    all.data(),
                    lengths.data(),
                    places.data(),
                    MPI_BYTE,
                    MPI_COMM_WORLD,
                    &request);
    Await(request);
    return Cut(all, places);
}

std::vector<std::string>
MpiRanks::Swap(std::vector<int64_t>& numbers, const std::vector<std::string>& toEach)
{
    RankWatch::NoteMeeting();
    // The numbers, and how much goes to each: so all processes know whether anything is sent at
    // all.
    const std::size_t n = numbers.size();
    const std::size_t row = n + m_n;
    std::vector<int64_t> own = numbers;
    for (const std::string& bytes : toEach)
    {
        own.push_back(LengthOf(bytes.size()));
    }
    std::vector<int64_t> table(row * m_n);
    MPI_Request request;
    MPI_Iallgather(own.data(),
                   static_cast<int>(row),
                   MPI_INT64_T,
                   table.data(),
                   static_cast<int>(row),
                   MPI_INT64_T,
                   MPI_COMM_WORLD,
                   &request);
    Await(request);
    numbers.clear();
    // From string to string, without a copy in between: these may be megabytes at each meeting.
    std::vector<std::string> fromEach(m_n);
    std::vector<MPI_Request> requests;
    for (unsigned rank = 0; rank < m_n; ++rank)
    {
        const int64_t* const theirs = table.data() + rank * row;
        numbers.insert(numbers.end(), theirs, theirs + n);
        const auto bytes = static_cast<int>(theirs[n + m_rank]);
        if (bytes && rank != m_rank)
        {
            fromEach[rank].resize(bytes);
            requests.emplace_back();
            MPI_Irecv(fromEach[rank].data(),
                      bytes,
                      MPI_BYTE,
                      static_cast<int>(rank),
                      0,
                      MPI_COMM_WORLD,
                      &requests.back());
        }
    }
    for (unsigned rank = 0; rank < m_n; ++rank)
    {
        if (!toEach[rank].empty() && rank != m_rank)
        {
            requests.emplace_back();
            MPI_Isend(toEach[rank].data(),
                      LengthOf(toEach[rank].size()),
                      MPI_BYTE,
                      static_cast<int>(rank),
                      0,
                      MPI_COMM_WORLD,
                      &requests.back());
        }
    }
    for (MPI_Request& transfer : requests)
    {
        Await(transfer);
    }
    return fromEach;
}

void
MpiRanks::Leave(int status)
{
    if (g_ranks)
    {
        std::cout << std::flush;
        std::fflush(nullptr);
        EndMpi();
        std::_Exit(status);
    }
}

void
MpiRanks::SayError(const std::string& text)
{
    if (!g_ranks)
    {
        Messages::Say("error", text);
    }
    else if (g_ranks->m_running)
    {
        Messages::SetMuted(false);
        Messages::Say("error", "process " + std::to_string(g_ranks->m_rank) + ": " + text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    else if (!g_ranks->m_told)
    {
        Mismatch none;
        const std::string first = g_ranks->FirstError(text, {}, none);
        if (g_ranks->m_rank == 0)
        {
            Messages::Say("error", first);
        }
    }
}

#else

MpiRanks::MpiRanks() = default;
MpiRanks::~MpiRanks() = default;

std::vector<std::string>
MpiRanks::Gather(const std::string& own)
{
    return {own};
}

std::vector<std::string>
MpiRanks::Swap(std::vector<int64_t>&, const std::vector<std::string>& toEach)
{
    return toEach;
}

void
MpiRanks::Leave(int)
{
}

void
MpiRanks::SayError(const std::string& text)
{
    Messages::Say("error", text);
}

#endif

unsigned
MpiRanks::GetRank() const
{
    return m_rank;
}

unsigned
MpiRanks::GetN() const
{
    return m_n;
}

} // namespace ns3::roce
