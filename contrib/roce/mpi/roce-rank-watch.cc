// SPDX-License-Identifier: GPL-2.0-only
#include "roce-rank-watch.h"

#ifdef ROCE_MPI
// The old C++ bindings are in no library that this one is linked with.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1

#include "ns3/roce-messages.h"

#include <algorithm>
#include <cstdint>
#include <list>
#include <mpi.h>
#include <string>
#include <vector>

namespace ns3::roce
{

namespace
{

using std::chrono::seconds;

constexpr int TAG = 1; //!< of messages that say "I wait"
constexpr seconds FIRST_PATIENCE{10};
constexpr seconds TIME_TO_TELL{1};

/// A message on its way.
struct Sent
{
    int64_t meeting;
    MPI_Request request;
};

seconds g_patience = FIRST_PATIENCE;
int64_t g_meeting{0};           //!< the present one, from 1
int64_t g_told{0};              //!< the last one that this process has announced
std::vector<int64_t> g_waiting; //!< by process: the last one that it has announced
std::list<Sent> g_sent;

int
OwnRank()
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

void
TellAll()
{
    g_told = g_meeting;
    for (int rank = 0; rank < static_cast<int>(g_waiting.size()); ++rank)
    {
        if (rank != OwnRank())
        {
            Sent& sent = g_sent.emplace_back(Sent{g_meeting, MPI_REQUEST_NULL});
            MPI_Isend(&sent.meeting, 1, MPI_INT64_T, rank, TAG, MPI_COMM_WORLD, &sent.request);
        }
    }
}

/// @return "process 3", "processes 1, 2 and 5"
std::string
NamesOf(const std::vector<int>& ranks)
{
    std::string names = ranks.size() == 1 ? "process " : "processes ";
    for (std::size_t i = 0; i < ranks.size(); ++i)
    {
        names += (i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ") + std::to_string(ranks[i]);
    }
    return names;
}

/// Name those that do not wait, if this process is the first that does. @param waited for so long
void
NameMissing(seconds waited)
{
    std::vector<int> missing;
    const int own = OwnRank();
    for (int rank = 0; rank < static_cast<int>(g_waiting.size()); ++rank)
    {
        const bool waits = rank == own || g_waiting[rank] >= g_meeting;
        if (waits && rank < own)
        {
            return; // that one reports it
        }
        if (!waits)
        {
            missing.push_back(rank);
        }
    }
    if (!missing.empty())
    {
        Messages::SetMuted(false);
        Messages::Say("warning",
                      NamesOf(missing) + (missing.size() == 1 ? " has" : " have") +
                          " not answered for " + std::to_string(waited.count()) +
                          " s, the other processes wait");
        Messages::SetMuted(own != 0);
    }
}

} // namespace

void
RankWatch::NoteMeeting()
{
    ++g_meeting;
}

void
RankWatch::Look(std::chrono::steady_clock::duration waited)
{
    if (waited < g_patience)
    {
        return;
    }
    if (g_waiting.empty())
    {
        int n = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &n);
        g_waiting.resize(n);
    }
    if (g_told != g_meeting)
    {
        TellAll();
    }
    TakeIn();
    if (waited >= g_patience + TIME_TO_TELL)
    {
        NameMissing(std::chrono::duration_cast<seconds>(g_patience));
        g_patience *= 2;
    }
}

void
RankWatch::TakeIn()
{
    for (int isThere = 1; isThere;)
    {
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &isThere, &status);
        if (isThere)
        {
            int64_t meeting = 0;
            MPI_Recv(&meeting,
                     1,
                     MPI_INT64_T,
                     status.MPI_SOURCE,
                     TAG,
                     MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            g_waiting.resize(std::max<std::size_t>(g_waiting.size(), status.MPI_SOURCE + 1));
            g_waiting[status.MPI_SOURCE] = std::max(g_waiting[status.MPI_SOURCE], meeting);
        }
    }
    g_sent.remove_if([](Sent& sent) {
        int done = 0;
        MPI_Test(&sent.request, &done, MPI_STATUS_IGNORE);
        return done != 0;
    });
}

} // namespace ns3::roce

#endif // ROCE_MPI
