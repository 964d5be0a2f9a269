// SPDX-License-Identifier: GPL-2.0-only
#include "file-faults.h"

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace
{

bool g_armed = false;
bool g_kill = false;
int g_error = 0;
uint64_t g_at = 0;           //!< operation that fails; 0: none
uint64_t* g_count = nullptr; //!< shared

/// What an operation does to a full disk.
enum class Need
{
    NOTHING,
    SPACE
};

/// Count an operation. @return whether it is to fail, with errno set
bool
Fails(Need need)
{
    if (!g_armed)
    {
        return false;
    }
    const uint64_t now = ++*g_count;
    if (!g_at || now < g_at)
    {
        return false;
    }
    if (g_kill)
    {
        raise(SIGKILL);
    }
    // A full disk stays full, but only for what needs room on it.
    if (g_error == ENOSPC ? need == Need::SPACE : now == g_at)
    {
        errno = g_error;
        return true;
    }
    return false;
}

/// The C library's own function, or the sanitizer's.
template <typename F>
F
Next(F /* this function */, const char* name)
{
    return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

Need
NeedOf(const char* mode)
{
    return std::strpbrk(mode, "wa+") ? Need::SPACE : Need::NOTHING;
}

} // namespace

void
FileFaults::Reset()
{
    if (!g_count)
    {
        g_count = static_cast<uint64_t*>(mmap(nullptr,
                                              sizeof(uint64_t),
                                              PROT_READ | PROT_WRITE,
                                              MAP_SHARED | MAP_ANONYMOUS,
                                              -1,
                                              0));
    }
    *g_count = 0;
}

void
FileFaults::Arm(const std::string& fault)
{
    if (const std::size_t colon = fault.find(':'); colon != std::string::npos)
    {
        const std::string what = fault.substr(colon + 1);
        g_at = std::stoull(fault.substr(0, colon));
        g_kill = what == "kill";
        g_error = g_kill ? 0 : std::stoi(what);
    }
    g_armed = true;
}

uint64_t
FileFaults::Count()
{
    return *g_count;
}

extern "C"
{
    FILE* fopen(const char* path, const char* mode)
    {
        return Fails(NeedOf(mode)) ? nullptr : Next(fopen, "fopen")(path, mode);
    }

    FILE* fopen64(const char* path, const char* mode)
    {
        return Fails(NeedOf(mode)) ? nullptr : Next(fopen64, "fopen64")(path, mode);
    }

    int open(const char* path, int flags, ...)
    {
        va_list rest;
        va_start(rest, flags);
        const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
        va_end(rest);
        const bool writes = (flags & O_ACCMODE) != O_RDONLY;
        const Need need = flags & O_CREAT ? Need::SPACE : Need::NOTHING;
        return writes && Fails(need) ? -1 : Next(open, "open")(path, flags, mode);
    }

    int ftruncate(int file, off_t bytes) noexcept
    {
        return Fails(Need::NOTHING) ? -1 : Next(ftruncate, "ftruncate")(file, bytes);
    }

    size_t fwrite(const void* data, size_t size, size_t count, FILE* file)
    {
        static const auto next = Next(fwrite, "fwrite");
        if (file == stdout || file == stderr)
        {
            return next(data, size, count, file);
        }
        if (g_kill && *g_count + 1 == g_at)
        {
            next(data, size, count / 2, file); // killed in the middle
        }
        return Fails(Need::SPACE) ? 0 : next(data, size, count, file);
    }

    int fclose(FILE* file)
    {
        const bool fails = Fails(Need::SPACE);
        const int error = errno;
        const int result = Next(fclose, "fclose")(file);
        if (fails)
        {
            errno = error;
        }
        return fails ? EOF : result;
    }

    ssize_t write(int file, const void* data, size_t size)
    {
        static const auto next = Next(write, "write");
        return file > 2 && Fails(Need::SPACE) ? -1 : next(file, data, size);
    }

    ssize_t writev(int file, const iovec* parts, int count)
    {
        static const auto next = Next(writev, "writev");
        return file > 2 && Fails(Need::SPACE) ? -1 : next(file, parts, count);
    }

    int rename(const char* from, const char* to)
    {
        return Fails(Need::NOTHING) ? -1 : Next(rename, "rename")(from, to);
    }

    int remove(const char* path)
    {
        return Fails(Need::NOTHING) ? -1 : Next(remove, "remove")(path);
    }

    int unlink(const char* path)
    {
        return Fails(Need::NOTHING) ? -1 : Next(unlink, "unlink")(path);
    }

    int mkdir(const char* path, mode_t mode)
    {
        return Fails(Need::SPACE) ? -1 : Next(mkdir, "mkdir")(path, mode);
    }
}
