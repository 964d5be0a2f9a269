// SPDX-License-Identifier: GPL-2.0-only
#include "roce-mutation-table.h"

namespace ns3::roce
{

// PARALEON's parameters of DCQCN at NICs and of ECN at switches.

namespace
{

using Unit = TunedParameter::Unit;

/// Step and bounds.
struct Span
{
    double step;
    double least;
    double greatest;
};

/// In which sets a row is.
enum Sets : unsigned
{
    DEFAULT13 = 1,
    EFFECTIVE10 = 2,
    A2 = 4,
    TWELVE = DEFAULT13 | A2,    //!< artifact 1 has it, without effect
    TEN = TWELVE | EFFECTIVE10, //!< with effect: three until a NIC's next first CNP
};

/// A row with both tables of steps and bounds.
struct Row
{
    TunedParameter parameter; //!< step and bounds to be filled in
    Span a1;
    Span a2;
    unsigned sets;
};

/// A row without step and bounds.
TunedParameter
Make(const char* target, const char* attribute, Unit unit, bool up, double start)
{
    TunedParameter p{target, attribute, unit, up, 0, 0, 0, start};
    return p;
}

/// Values are proportional to the line rate.
TunedParameter
Scaling(TunedParameter p)
{
    p.scales = true;
    return p;
}

/// Moves are not rounded.
TunedParameter
Fraction(TunedParameter p)
{
    p.isWhole = false;
    return p;
}

/// The attribute is offset + factor * value.
TunedParameter
Linear(TunedParameter p, double factor, double offset)
{
    p.factor = factor;
    p.offset = offset;
    return p;
}

/// Kmin is never above Kmax.
TunedParameter
Kmin()
{
    TunedParameter p = Scaling(Make("EcnMarker", "Kmin", Unit::KILOBYTES, true, 400));
    p.below = "Kmax";
    return p;
}

/*
 * Directions, steps and bounds are those of the tuners of the two simulators that PARALEON's
 * authors have made public; the paper has only the directions of TimeReset, HaiRate, CutPeriod and
 * Kmax. Where a simulator does not tune a parameter, both tables have our values. Starts are the
 * vendor's defaults ("DCQCN CC parameters"), of ECN the authors'.
 *
 * [1] artifact 1 goes down to 1 us; [2] and up to 1, with which nothing is ever cut; so both only
 * with the ten of it, of which MinDecFac, Gd and Gain act there until any queue pair of a NIC has
 * its first CNP (CutFaults of Dcqcn): seldom while flows come and go, always in training; [3]
 * artifact 2 sets the period between cuts with it, which is CutPeriod here.
 */
std::vector<Row>
Rows(const MutationTable::Config& config)
{
    const double first = config.firstCnpFraction;
    const bool up = config.minDecFacUp;
    const auto us = Unit::MICROSECONDS;
    const auto number = Unit::NUMBER;
    const auto mbps = Unit::MBPS;
    return {
        {Make("Dcqcn", "TimeReset", us, false, 300), {50, 5, 131071}, {50, 50, 600}, TEN}, // [1]
        {Scaling(Make("Dcqcn", "AiRate", mbps, true, 5)), {50, 1, 500}, {5, 5, 100}, TEN},
        {Scaling(Make("Dcqcn", "HaiRate", mbps, true, 50)), {100, 10, 5000}, {50, 30, 600}, TEN},
        {Fraction(Make("Dcqcn", "FractionOnFirstCnp", number, true, first)),
         {0.1, 0.1, 1},
         {0.1, 0.3, 0.8},
         TEN},
        {Fraction(Make("Dcqcn", "MinDecFac", number, up, 0.5)),
         {0.1, 0.1, 0.9}, // [2]
         {0.1, 0.3, 0.8},
         TEN},
        {Scaling(Make("Dcqcn", "MinRate", mbps, true, 1)), {300, 1, 5000}, {300, 1, 5000}, TEN},
        {Make("Dcqcn", "Gd", number, true, 11), {1, 1, 13}, {1, 11, 13}, TEN},
        {Make("Dcqcn", "MinTimeBetweenCnps", us, true, 4),
         {16, 0, 4095},
         {8, 4, 128}, // [3]
         TWELVE},
        {Linear(Make("Dcqcn", "Gain", number, false, 1019), -1.0 / 1024, 1),
         {16, 1, 1019},
         {5, 960, 1020},
         TEN},
        {Linear(Make("Dcqcn", "InitialAlpha", number, false, 1023), 1.0 / 1024, 0),
         {16, 1, 1023},
         {16, 1, 1023},
         TWELVE},
        {Kmin(), {100, 10, 1600}, {100, 40, 1600}, TEN},
        {Scaling(Make("EcnMarker", "Kmax", Unit::KILOBYTES, true, 1600)),
         {400, 40, 6400},
         {400, 480, 6400},
         TEN},
        {Make("Dcqcn", "CutPeriod", us, true, 4), {8, 2, 128}, {8, 2, 128}, DEFAULT13},
        {Fraction(Make("EcnMarker", "Pmax", number, false, 0.2)),
         {0.01, 0.1, 0.4},
         {0.01, 0.1, 0.4},
         A2},
    };
}

/// Whether a row belongs to a set.
bool
IsIn(const Row& row, MutationTable::TunedSet set)
{
    switch (set)
    {
    case MutationTable::TunedSet::DEFAULT13:
        return row.sets & DEFAULT13;
    case MutationTable::TunedSet::A1_EFFECTIVE10:
        return row.sets & EFFECTIVE10;
    case MutationTable::TunedSet::A2:
        return row.sets & A2;
    }
    return false;
}

} // namespace

MutationTable
MutationTable::ForDcqcn(const Config& config)
{
    MutationTable table;
    for (const Row& row : Rows(config))
    {
        if (!IsIn(row, config.tunedSet))
        {
            continue;
        }
        const Span& span = config.bounds == Bounds::A1 ? row.a1 : row.a2;
        TunedParameter p = row.parameter;
        p.step = span.step;
        p.least = span.least;
        p.greatest = span.greatest;
        if (config.tunedSet == TunedSet::A1_EFFECTIVE10)
        {
            p.least = p.attribute == "TimeReset" ? 1 : p.least;       // [1]
            p.greatest = p.attribute == "MinDecFac" ? 1 : p.greatest; // [2]
        }
        table.Add(p);
    }
    return table;
}

} // namespace ns3::roce
