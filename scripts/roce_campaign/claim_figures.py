# SPDX-License-Identifier: GPL-2.0-only
"""Figures of expressions: effects (an expression for each value of an axis) and claims (what was reported against what was
measured).
"""

from typing import Dict, List, Optional, Tuple

import roce_results as rr
from roce_plot import axes, look
import pandas as pd

from .estimates import Estimate, Results, number, plain_of
from .expression import NotMeasured
from .grades import DEFAULT_RULES, GRADES, default_band, reported_number
from .grid import Selection, seed_count
from .plots import Plot
from .score import Score, Scorer, interval

ROW_INCHES = 0.24
LABEL_WIDTH = 70  # of a line of a claim's text, characters
NUMBERS = ["value", "low", "high", "reported", "band_low", "band_high"]
REPORTED = {"color": look.DARK, "marker": "D", "markerfacecolor": "none"}

# ------------------------------------------------------------------------------------------ effects


def effects(results: Results, plot: Plot) -> Dict[Tuple[str, str, str], Estimate]:
    """The expressions' values, as far as they are measured: by title of the expression, series and row."""
    axis, scorer = plot.fields["rows"][0], Scorer(results)
    found = {}
    for title, cases in plot.fields["value"]:
        for case in cases:
            series = ", ".join(v for n, v in case.variables.items() if n != axis)
            try:
                found[title, series, case.variables[axis]] = scorer.value(case)[0]
            except NotMeasured:
                pass
    if not found:
        raise rr.ResultError("no run has these values: nothing to plot")
    return found


def draw_effects(drawer, plot: Plot, where: Selection, file: str) -> None:
    """A panel for each expression, a row for each value of the axis, a mark for each series."""
    axis = plot.fields["rows"][0]
    used = {point.coordinates[axis] for point in drawer.experiment.points}  # the rest is excluded
    rows = [label for label in drawer.experiment.axes[axis] if label in used]
    data = pd.DataFrame([(*place, e.value, e.low, e.high) for place, e in effects(drawer.results, plot).items()],
                        columns=["panel", "series", "row", *NUMBERS[:3]]).astype(dict.fromkeys(NUMBERS[:3], float))
    shown = drawer.styles(data["series"].unique(), plot, where)
    places = {name: 0.6 * ((i + 0.5) / len(shown) - 0.5) for i, name in enumerate(shown)}
    data["y"] = data["row"].map(rows.index) + data["series"].map(places)
    titles, log = [title for title, _ in plot.fields["value"]], bool(plot.fields.get("log"))
    columns = min(len(titles), 3 if len(titles) != 4 else 2) if look.LOOK.widths else len(titles)
    figure = look.Figure(len(titles), columns, 0.08 * max(map(len, rows)) + 0.5 + 2.5 * columns,
                         min(1, look.LOOK.marker / 5) * ROW_INCHES * (len(shown) + 1) * len(rows) / 2 + 0.6, True, sharey=True)
    for ax, title in zip(figure.panels, titles):
        part = data[data["panel"] == title]
        axes.lying(ax, part, shown)
        axes.lying_scale(ax, part, [1.0 if log else 0.0], log)
        ax.set_title(look.wrapped(title, 32))
        ax.set_xlabel(str(plot.fields.get("label", "")))
        ax.set_yticks(range(len(rows)), rows)
        ax.set_ylim(len(rows) - 0.4, -0.6)
        for y in range(0, len(rows), 2):
            ax.axhspan(y - 0.5, y + 0.5, color="#F5F5F5", zorder=0)
    figure.panels[0].set_ylabel(plot.fields["rows"][0])
    figure.save(file, look.keys(shown, "mark"), [seeds_note(drawer.results)])


def write_effects(drawer, plot: Plot, _: Selection, file: str) -> rr.Table:
    """The same as a table (and CSV file): a row for each value of the axis and each series, a column for each expression."""
    axis, found = plot.fields["rows"][0], effects(drawer.results, plot)
    titles = [title for title, _ in plot.fields["value"]]
    places = sorted(dict.fromkeys((row, series) for _, series, row in found),
                    key=lambda place: drawer.experiment.axes[axis].index(place[0]))
    head = [axis] + (["series"] if any(series for _, series in places) else [])
    rows = [(list(place)[:len(head)], [found.get((title, place[1], place[0])) for title in titles]) for place in places]
    header = head + [f"{title}{end}" for title in titles for end in ("", " ci_low", " ci_high")]
    rr.write_file(file, rr.csv_text((header, [label + [n for e in row for n in plain_of(e)] for label, row in rows])))
    return head + titles, [
        label + [f"{number(e.value)} {interval(e.low, e.high)}".strip() if e else "-" for e in row] for label, row in rows]


# ------------------------------------------------------------------------------------------- claims


def kind_of(s: Score) -> Optional[str]:
    """In which panel a claim is, if it has numbers."""
    if s.claim.kind == "relation":
        return "relation"
    return "percent" if s.claim.unit == "%" else "share" if reported_number(s.claim.reported) else None


def claim_rows(scores: List[Score], kind: str) -> pd.DataFrame:
    """A row for each claim of a kind: id, series (its grade), label, text, value, low, high, and what is reported with its band;
    of a share, all over the reported number, which may be negative; of a relation, percent of the measured cases that hold."""
    rows = []
    for s in scores:
        if kind_of(s) != kind:
            continue
        reported = reported_number(s.claim.reported) if kind != "relation" else None
        band = s.claim.band or (None, None)
        if not s.claim.band and reported is not None and "in band" in (s.claim.rule or DEFAULT_RULES[s.claim.kind]):
            band = default_band(s.claim.kind, reported)
        held, _, cases = s.ours.partition("/")
        numbers = [100 * int(held) / int(cases) if cases else None] + [None] * 5 if kind == "relation" else \
            [float(s.ours) if s.ours else None, s.low, s.high, reported, *band]
        if kind == "share":
            numbers = [None if n is None else n / reported for n in numbers]
            for low in (1, 4) if reported < 0 else ():
                numbers[low:low + 2] = numbers[low + 1], numbers[low]
        label = (f"{s.claim.text}   " if s.claim.text != s.id else "") + f"{s.id}\u00a0[{s.grade}]"
        text = s.ours or "not measured"
        if s.ours and not cases:
            text = f"{float(s.ours):.4g} {interval(s.low, s.high)}" + (f" ({s.claim.reported})" if s.claim.reported else "")
        rows.append((s.id, s.grade, look.wrapped(label, LABEL_WIDTH), text, *numbers))
    data = pd.DataFrame(rows, columns=["id", "series", "label", "text", *NUMBERS]).astype(dict.fromkeys(NUMBERS, float))
    height = 1 + 0.5 * data["label"].str.count("\n")  # in rows
    return data.assign(height=height, y=height.cumsum() - height / 2)


def draw_claims(drawer, plot: Plot, _: Selection, file: str) -> None:
    """Percentages, other numbers over the reported ones, and relations, one row per claim."""
    chosen = plot.fields.get("ids")
    scores = [s for s in Scorer(drawer.results).all() if s.claim and (chosen is None or s.id in chosen)]
    panels = {kind: (title, claim_rows(scores, kind)) for kind, title in (
        ("percent", "Percent"), ("share", "Ours over the reported number"), ("relation", "Relations: percent of the cases that hold"))}
    panels = {kind: panel for kind, panel in panels.items() if len(panel[1])}
    if not panels:
        raise rr.ResultError("no claim to show")
    heights = [data["height"].sum() + 2.2 for _, data in panels.values()]
    figure = look.Figure(len(panels), 1, 9.4, ROW_INCHES * sum(heights) / len(panels), True, height_ratios=heights)
    for ax, (kind, (title, data)) in zip(figure.panels, panels.items()):
        draw_claim_panel(ax, kind, data)
        ax.set_title(title)
    handles = look.keys({f"{g}: {GRADES[g]}": {"color": look.GRADES[g], "marker": "o"} for g in GRADES
                         if any((data["series"] == g).any() for _, data in panels.values())}, "mark")
    if panels.keys() - {"relation"}:
        handles += look.keys({"reported": REPORTED}, "mark") + look.keys({"its band": {"color": look.BAND}}, "bar")
    figure.save(file, handles, [seeds_note(drawer.results)])


def draw_claim_panel(ax, kind: str, data: pd.DataFrame) -> None:
    shown = {grade: {"color": colour, "marker": "o"} for grade, colour in look.GRADES.items()}
    if kind == "relation":
        ax.barh(data["y"], data["value"], height=0.55, color=data["series"].map(look.GRADES), zorder=2)
        ax.set_xlim(-1, 101)
    else:
        ax.hlines(data["y"], data["band_low"], data["band_high"], linewidth=11, color=look.BAND, zorder=1)
        ax.plot(data["reported"], data["y"], zorder=3, linestyle="", **REPORTED)
        others = data[["reported", "band_low", "band_high"]].stack()
        axes.lying_scale(ax, data, [*others, 1.0 if kind == "share" else 0.0], kind == "share")
    axes.lying(ax, data, shown)
    beside = ax.twinx()
    for side, column in ((ax, "label"), (beside, "text")):
        side.set_yticks(data["y"], data[column], fontsize=look.SMALL)
        side.set_ylim(data["height"].sum() + 0.1, -0.1)
        side.grid(False, axis="y")
    if kind != "relation":
        beside.annotate("ours [95 %] (reported)", (1, 1), (8, 4), xycoords="axes fraction", textcoords="offset points",
                        fontsize=look.SMALL, color=look.MUTED)


def seeds_note(results: Results) -> str:
    seeds = seed_count(results.points)
    return "One seed." if seeds == "1" else (f"{seeds} seeds; bars: 95 % confidence intervals over them (jackknife; bootstrap of "
                                             "statistics over seeds), cut off where they leave the axis.")


DRAW = {"effects": draw_effects, "effect-table": write_effects, "claims": draw_claims}
