# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Figures of expressions: effects (an expression for each value of an axis) and claims (what was
reported against what was measured).
"""

import textwrap
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

import plot_fct
import roce_results as rr

from .estimates import Estimate, Results, plain
from .expression import NotMeasured
from .grades import DEFAULT_RULES, GRADES, default_band, reported_number
from .grid import seed_count
from .plots import Plot
from .score import Score, Scorer, interval
from .tables import number

ROW_INCHES = 0.24
GRADE_COLOURS = {"A": "#009E73", "B": "#56B4E9", "C": "#E69F00", "U": "#CC79A7", "F": "#D55E00",
                 "N": "#999999", "X": "#999999"}
BAND_COLOUR = "#D9D9D9"
LABEL_WIDTH = 62  # of a claim's text, characters


# ------------------------------------------------------------------------------------------ effects


def draw_effects(results: Results, plot: Plot, file: str) -> None:
    """A panel for each expression, a row for each value of the axis, a mark for each series."""
    rows = results.experiment.axes[plot.fields["rows"][0]]
    panels = [(title, effects(results, plot, cases)) for title, cases in plot.fields["value"]]
    series = list(dict.fromkeys(s for _, found in panels for s, _ in found))
    if not series:
        raise rr.ResultError("no run has these values: nothing to plot")
    plt = rr.apply_style()
    from matplotlib.lines import Line2D

    label_inches = 0.08 * max(map(len, rows)) + 0.5
    fig, axes = plt.subplots(1, len(panels), squeeze=False, sharey=True, figsize=(
        label_inches + 2.5 * len(panels), ROW_INCHES * (len(series) + 1) * len(rows) / 2 + 1.4))
    for ax, (title, found) in zip(axes[0], panels):
        for (name, row), estimate in found.items():
            index = series.index(name)
            y = rows.index(row) + 0.6 * ((index + 0.5) / len(series) - 0.5)
            style = {**rr.run_style(index), "linestyle": ""}
            draw_mark(ax, y, estimate, style)
        ax.set_title(title)
        ax.set_xlabel(str(plot.fields.get("label", "")))
        if plot.fields.get("log"):
            logarithmic(ax, list(found.values()), [1.0])
        else:
            ax.axvline(0, color="#555555", linewidth=0.9, zorder=1)
            ax.set_xlim(*limits(list(found.values()), [0.0]))
        ax.set_yticks(range(len(rows)), rows)
        ax.set_ylim(len(rows) - 0.4, -0.6)
        ax.grid(False, axis="y")
        for y in range(0, len(rows), 2):
            ax.axhspan(y - 0.5, y + 0.5, color="#F5F5F5", zorder=0)
    axes[0][0].set_ylabel(plot.fields["rows"][0])
    handles = [Line2D([], [], label=name, **{**rr.run_style(i), "linestyle": ""})
               for i, name in enumerate(series) if name]
    plot_fct.finish_layout(fig, handles, [seeds_note(results)])
    plot_fct.save_figure(fig, file)
    plt.close(fig)


def write_effects(results: Results, plot: Plot, file: str) -> rr.Table:
    """The same as a table (and CSV file): a row for each value of the axis and each series, a column for each expression."""
    axis = plot.fields["rows"][0]
    columns = [(title, effects(results, plot, cases)) for title, cases in plot.fields["value"]]
    places = dict.fromkeys(p for _, found in columns for p in found)
    if not places:
        raise rr.ResultError("no run has these values: nothing to tabulate")
    order = sorted(places, key=lambda p: results.experiment.axes[axis].index(p.row))
    head = [axis] + (["series"] if any(p.series for p in order) else [])
    labels = {p: [p.row, p.series][:len(head)] for p in order}
    header = head + [f"{title}{end}" for title, _ in columns for end in ("", " ci_low", " ci_high")]
    rows = [(labels[p], [found.get(p) for _, found in columns]) for p in order]
    rr.write_csv(file, (header, [label + [plain(n) for e in row for n in ((e.value, e.low, e.high) if e else [None] * 3)]
                                 for label, row in rows]))
    return head + [title for title, _ in columns], [
        label + [f"{number(e.value)} {interval(e.low, e.high)}".strip() if e else "-" for e in row] for label, row in rows]


class Place(NamedTuple):
    """Where an effect belongs."""

    series: str
    row: str


def effects(results: Results, plot: Plot, cases: Sequence) -> Dict[Place, Estimate]:
    """The expression's values, as far as they are measured."""
    axis = plot.fields["rows"][0]
    scorer = Scorer(results)
    found: Dict[Place, Estimate] = {}
    for case in cases:
        name = ", ".join(v for n, v in case.variables.items() if n != axis)
        try:
            found[Place(name, case.variables[axis])] = scorer.value(case)[0]
        except NotMeasured:
            pass
    return found


# ------------------------------------------------------------------------------------------- claims


class Row(NamedTuple):
    """A claim with numbers: reported, its band, ours; all in the panel's unit."""

    score: Score
    reported: Optional[float]
    band: Optional[Tuple[float, float]]
    ours: Optional[Estimate]


def draw_claims(results: Results, plot: Plot, file: str) -> None:
    """Percentages, other numbers over the reported ones, and relations, one row per claim."""
    chosen = plot.fields.get("ids")
    scores = [s for s in Scorer(results).all()
              if s.claim and (chosen is None or s.id in chosen)]
    panels = [(title, kind, rows) for title, kind, rows in (
        ("Percent", "percent", [percent_row(s) for s in scores if is_percent(s)]),
        ("Ours over the reported number", "share", [share_row(s) for s in scores if is_number(s)]),
        ("Relations: share of the cases that hold", "relation",
         [Row(s, None, None, None) for s in scores if s.claim.kind == "relation"]))
        if rows]
    if not panels:
        raise rr.ResultError("no claim to show")
    plt = rr.apply_style()
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    heights = [len(rows) + 2.2 for _, _, rows in panels]
    fig, axes = plt.subplots(len(panels), 1, squeeze=False, height_ratios=heights,
                             figsize=(9.4, ROW_INCHES * sum(heights) + 0.9))
    for ax, (title, kind, rows) in zip(axes[:, 0], panels):
        draw_claim_panel(ax, kind, rows)
        ax.set_title(title)
    used = [g for g in GRADES if any(s.grade == g for s in scores)]
    handles = [Line2D([], [], label=f"{g}: {GRADES[g]}", color=GRADE_COLOURS[g], marker="o",
                      linestyle="") for g in used]
    if any(kind != "relation" for _, kind, _ in panels):
        handles += [Line2D([], [], label="reported", color="#333333", marker="D",
                           markerfacecolor="none", linestyle=""),
                    Patch(color=BAND_COLOUR, label="its band")]
    plot_fct.finish_layout(fig, handles, [seeds_note(results)])
    plot_fct.save_figure(fig, file)
    plt.close(fig)


def draw_claim_panel(ax, kind: str, rows: List[Row]) -> None:
    """One kind of claims."""
    for y, row in enumerate(rows):
        colour = GRADE_COLOURS[row.score.grade]
        if kind == "relation":
            share = share_held(row.score)
            if share is not None:
                ax.barh(y, share, height=0.55, color=colour, zorder=2)
                ax.plot([share], [y], marker="o", color=colour, zorder=3, clip_on=False)
            continue
        if row.band:
            ax.barh(y, row.band[1] - row.band[0], left=row.band[0], height=0.7, color=BAND_COLOUR,
                    zorder=1)
        if row.reported is not None:
            ax.plot([row.reported], [y], marker="D", color="#333333", markerfacecolor="none",
                    linestyle="", zorder=3)
        if row.ours:
            draw_mark(ax, y, row.ours, {"color": colour, "marker": "o", "linestyle": ""})
    if kind == "relation":
        ax.set_xlim(0, 100)
    else:
        known = [v for r in rows for v in ((r.reported,) + (r.band or ())) if v is not None]
        ours = [r.ours for r in rows if r.ours]
        if kind == "share":
            logarithmic(ax, ours, known)
        else:
            ax.set_xlim(*limits(ours, known + [0.0]))
            ax.axvline(0, color="#555555", linewidth=0.9, zorder=1)
    ax.set_yticks(range(len(rows)), [claim_label(r.score) for r in rows], fontsize=7)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.grid(False, axis="y")
    beside = ax.twinx()
    beside.set_yticks(range(len(rows)), [numbers_text(r.score) for r in rows], fontsize=7)
    beside.set_ylim(*ax.get_ylim())
    if kind != "relation":
        beside.annotate("ours [95 %] (reported)", (1, 1), (8, 4), xycoords="axes fraction",
                        textcoords="offset points", fontsize=7, color=rr.MUTED)
    beside.grid(False)


def share_held(s: Score) -> Optional[float]:
    """Percent of a relation's measured cases that hold."""
    held, _, cases = s.ours.partition("/")
    return 100 * int(held) / int(cases) if cases else None


def is_percent(s: Score) -> bool:
    """A reduction, or another number in percent."""
    return s.claim.kind != "relation" and s.claim.unit == "%"


def is_number(s: Score) -> bool:
    """Another number, to which the reported one gives the scale."""
    return s.claim.kind != "relation" and not is_percent(s) \
        and bool(reported_number(s.claim.reported))


def percent_row(s: Score) -> Row:
    """As it is."""
    reported = reported_number(s.claim.reported)
    ours = Estimate(float(s.ours), s.low, s.high, 0) if s.ours else None
    return Row(s, reported, band_of(s, reported), ours)


def share_row(s: Score) -> Row:
    """All over the reported number."""
    row = percent_row(s)
    unit = row.reported
    ours = row.ours and Estimate(row.ours.value / unit, *over((row.ours.low, row.ours.high), unit), 0)
    return Row(s, 1.0, row.band and over(row.band, unit), ours)


def over(ends: Tuple[Optional[float], Optional[float]], unit: float) -> Tuple:
    """The ends of an interval over a number, which may be negative."""
    return ends if None in ends else tuple(sorted(end / unit for end in ends))


def band_of(s: Score, reported: Optional[float]) -> Optional[Tuple[float, float]]:
    """The band of grade A, if the rule has one."""
    if s.claim.band:
        return s.claim.band
    if reported is None or "in band" not in (s.claim.rule or DEFAULT_RULES[s.claim.kind]):
        return None
    return default_band(s.claim.kind, reported)


def claim_label(s: Score) -> str:
    """T-1 [A] what it is"""
    text = textwrap.shorten(s.claim.text, LABEL_WIDTH, placeholder=" ...")
    return f"{text}   {s.id} [{s.grade}]" if text != s.id else f"{s.id} [{s.grade}]"


def numbers_text(s: Score) -> str:
    """Ours with its interval, and the reported number."""
    if not s.ours or "/" in s.ours:
        return s.ours or "not measured"
    range_text = interval(s.low, s.high)
    reported = f" ({s.claim.reported})" if s.claim.reported else ""
    return f"{float(s.ours):.4g} {range_text}{reported}"


# ------------------------------------------------------------------------------------------- common


def draw_mark(ax, y: float, e: Estimate, style: dict) -> None:
    """An estimate with its interval, lying.

    The value may be rounded, and then outside of an interval that is narrower.
    """
    low = e.value if e.low is None else min(e.low, e.value)
    high = e.value if e.high is None else max(e.high, e.value)
    ax.errorbar([e.value], [y], xerr=([e.value - low], [high - e.value]), capsize=2, elinewidth=1.1,
                markeredgecolor="white", markeredgewidth=0.5, zorder=4, **style)


def limits(estimates: Sequence[Estimate], others: Sequence[float]) -> Tuple[float, float]:
    """An axis with all values; of an interval as much as does not dwarf them."""
    values = [e.value for e in estimates] + list(others)
    span = (max(values) - min(values)) or 1.0
    low = min(values + [e.low for e in estimates if e.low is not None])
    high = max(values + [e.high for e in estimates if e.high is not None])
    return (max(low, min(values) - 0.6 * span) - 0.06 * span,
            min(high, max(values) + 0.6 * span) + 0.06 * span)


def logarithmic(ax, estimates: Sequence[Estimate], others: Sequence[float]) -> None:
    """The same for positive numbers; one that is not is at the left edge."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    values = [v for v in [e.value for e in estimates] + list(others) if v > 0]
    ax.set_xscale("log", nonpositive="clip")
    ax.set_xlim(min(values) / 1.5, max(values) * 1.5)
    subs = (1, 2, 5) if max(values) / min(values) < 500 else (1,)
    ax.xaxis.set_major_locator(LogLocator(subs=subs))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.axvline(1, color="#555555", linewidth=0.9, zorder=1)


def seeds_note(results: Results) -> str:
    """What the intervals are."""
    seeds = seed_count(results.points)
    return "One seed." if seeds == "1" else (
        f"{seeds} seeds; bars: 95 % confidence intervals over them (jackknife; bootstrap of "
        "statistics over seeds), cut off where they leave the axis.")
