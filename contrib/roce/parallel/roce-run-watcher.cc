// SPDX-License-Identifier: GPL-2.0-only
#include "roce-run-watcher.h"

#include <algorithm>

namespace ns3::roce
{

std::vector<RunWatcher*>&
RunWatcher::All()
{
    static std::vector<RunWatcher*> all;
    return all;
}

RunWatcher::RunWatcher()
{
    All().push_back(this);
}

RunWatcher::~RunWatcher()
{
    std::vector<RunWatcher*>& all = All();
    all.erase(std::find(all.begin(), all.end(), this));
}

void
RunWatcher::TellAll(const ParallelRun& run, int64_t untilPs)
{
    for (RunWatcher* watcher : All())
    {
        watcher->OnSettled(run, untilPs);
    }
}

} // namespace ns3::roce
