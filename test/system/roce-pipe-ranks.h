// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_PIPE_RANKS_H
#define ROCE_PIPE_RANKS_H

#include "ns3/roce-rank-exchange.h"

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace ns3::roce::test
{

/// Two processes without MPI: the test's own and one that is forked from it.
class PipeRanks : public RankExchange
{
  public:
    /// @param rank 0 or 1 @param socket to the other one
    PipeRanks(unsigned rank, int socket)
        : m_rank(rank),
          m_socket(socket)
    {
    }

    unsigned GetRank() const override
    {
        return m_rank;
    }

    unsigned GetN() const override
    {
        return 2;
    }

    std::vector<std::string> Gather(const std::string& own) override
    {
        std::vector<std::string> all(2);
        all[m_rank] = own;
        all[1 - m_rank] = Trade(own);
        return all;
    }

    std::vector<std::string> Swap(std::vector<int64_t>& numbers,
                                  const std::vector<std::string>& toEach) override
    {
        numbers = Join(numbers);
        std::vector<std::string> fromEach(2);
        fromEach[1 - m_rank] = Trade(toEach[1 - m_rank]);
        return fromEach;
    }

  private:
    /// One writes first and the other reads, so that neither waits for ever.
    std::string Trade(const std::string& own)
    {
        std::string other;
        if (m_rank == 0)
        {
            Write(own);
        }
        uint64_t bytes = 0;
        Move(::read, &bytes, sizeof bytes);
        other.resize(bytes);
        Move(::read, other.data(), bytes);
        if (m_rank == 1)
        {
            Write(own);
        }
        return other;
    }

    void Write(const std::string& own)
    {
        uint64_t bytes = own.size();
        // Whoever writes to a process that has gone is told so, and not killed.
        const auto send = [](int socket, const void* data, std::size_t n) {
            return ::send(socket, data, n, MSG_NOSIGNAL);
        };
        Move(send, &bytes, sizeof bytes);
        Move(send, const_cast<char*>(own.data()), bytes);
    }

    template <typename F>
    void Move(F&& call, void* data, std::size_t bytes)
    {
        for (char* at = static_cast<char*>(data); bytes;)
        {
            const ssize_t done = call(m_socket, at, bytes);
            if (done <= 0)
            {
                throw std::runtime_error("the other process has gone");
            }
            at += done;
            bytes -= static_cast<std::size_t>(done);
        }
    }

    unsigned m_rank;
    int m_socket;
};

/// Call something in two processes. @param run called with the processes; the second one's failures
/// are the test's
inline void
RunInTwo(const std::function<void(PipeRanks&)>& run)
{
    int sockets[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    const unsigned rank = child == 0 ? 1 : 0;
    ::close(sockets[1 - rank]);
    try
    {
        PipeRanks ranks(rank, sockets[rank]);
        run(ranks);
    }
    catch (const std::exception& error)
    {
        ADD_FAILURE() << "process " << rank << ": " << error.what();
    }
    ::close(sockets[rank]);
    if (child == 0)
    {
        ::_exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "the second process has failed, or differs";
}

} // namespace ns3::roce::test

#endif /* ROCE_PIPE_RANKS_H */
