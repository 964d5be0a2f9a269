// SPDX-License-Identifier: GPL-2.0-only
#include "roce-chakra-options.h"

#include "ns3/roce-input-error.h"

namespace ns3::roce
{

void
ChakraOptions::AddOptions(OptionTable& table)
{
    table.AddValue("trace",
                   "chakra: execution traces, PREFIX.0.et, PREFIX.1.et and so on: give PREFIX",
                   trace);
    table.AddValue("traceGroups",
                   "chakra: JSON file of process groups that traces name: {\"NAME\": [RANK, ...]}",
                   groups);
    table.AddValue("traceLevels",
                   "chakra: SIZE:ALGORITHM of collectives, from within servers to across, such as "
                   "8:direct,4:ring, with ring, tree, halving-doubling or direct; empty: one ring",
                   levels);
    table.AddValue("tracePieces",
                   "chakra: parts of a collective that go their way side by side",
                   rules.pieces,
                   Range::Within(1, 1000));
    table.AddValue("traceTurns",
                   "chakra: one CPU operation, one GPU operation and one communication of a rank "
                   "at a time, that of the smallest id first; false: what is ready starts",
                   rules.takesTurns);
}

RankProgram
ChakraOptions::Read() const
{
    if (trace.empty())
    {
        throw InputError("--pattern=chakra, expected --trace=PREFIX with it");
    }
    ChakraProgram program = rules;
    try
    {
        program.levels = CollectiveProgram::ParseLevels(levels);
    }
    catch (const InputError& e)
    {
        throw InputError(std::string("--traceLevels ") + e.what());
    }
    if (!groups.empty())
    {
        program.groups = ChakraProgram::ReadGroups(groups);
    }
    RankProgram made = program.Make(ChakraTrace::ReadAll(trace), trace);
    made.Check();
    return made;
}

} // namespace ns3::roce
