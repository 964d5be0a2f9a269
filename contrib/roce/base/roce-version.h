// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_VERSION_H
#define ROCE_VERSION_H

namespace ns3::roce
{

/// Version of this module, the one place: --version, summary.json and the documentation read it.
constexpr const char* MODULE_VERSION = "0.9.0";

/// @return the commit that was built, for summary.json: 40 hex digits, then "-dirty" if files
/// differed from it; "unknown" outside a repository. The build writes its definition (commit.cmake)
const char* GetCommit();

} // namespace ns3::roce

#endif /* ROCE_VERSION_H */
