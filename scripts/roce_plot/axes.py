# SPDX-License-Identifier: GPL-2.0-only
"""A function for each kind of axis. Each draws a data frame into a panel; styles are those of look.styles(), by series."""

import math
from typing import Dict, List, Sequence, Tuple

import numpy as np
import pandas as pd

import roce_results as rr

from . import look

MAX_POINTS = 4000  # of a line over time; beyond, peaks and last values of stretches of time are drawn
MAX_STEPS = 2000  # of a distribution; beyond, so many that lie as far apart as they can
HEAT_NAMED = 120  # rows of a heat map that have their own names; of more, nodes have
HEAT_PARTED = 3  # rows of a heat map's group that lines part from others of its kind
HEAT_MOST = 600  # rows of a heat map; beyond, neighbours share one
HEAT_ROW, HEAT_THIN = 0.125, 0.02  # inches of a row: with its name, and of three pixels without
SPREAD = 0.3  # of the runs' dots, of the distance between boxes
Styles = Dict[str, dict]


# ------------------------------------------------------------------------------------------- flows


def curves(ax, data: pd.DataFrame, shown: Styles) -> None:
    """Columns series, x, y: a line with marks for each series."""
    for name, part in data.groupby("series"):
        ax.plot(part["x"], part["y"], **look.EDGE, **shown[name])
        look.record(ax, series=name, x=part["x"], y=part["y"])


def cdf(ax, data: pd.DataFrame, shown: Styles) -> None:
    """Columns series and value, which is none of a flow that is not done: how many are done within which time.

    A curve that ends below 100 % says that flows did not finish. One mark for each tenth tells close curves apart."""
    for name, part in data.groupby("series"):
        x = np.sort(part["value"].dropna())
        if len(x):
            y = 100 * np.arange(1, len(x) + 1) / len(part)
            at = [rr.nearest_rank(len(x), tenth * 100_000 + 50_000) - 1 for tenth in range(10)]
            kept = np.unique(np.linspace(0, len(x) - 1, MAX_STEPS).astype(int))
            line = np.append(x[0], x[kept]), np.append(0, y[kept])
            ax.plot(*line, drawstyle="steps-post", **{**shown[name], "marker": ""})
            look.record(ax, series=name, x=line[0], y=line[1])
            ax.plot(x[at], y[at], **look.EDGE, **{**shown[name], "linestyle": ""})
    low, high = ax.dataLim.intervalx
    look.logarithmic(ax.xaxis, low / 1.1, high * 1.1, "us")
    ax.set_ylim(0, 101)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g} %")


# --------------------------------------------------------------------------------------- estimates


def errors(data: pd.DataFrame) -> np.ndarray:
    """Lengths of the error bars down and up; an interval may be missing, or lie on one side."""
    value = data["value"]
    return np.array([(value - data["low"]).clip(lower=0).fillna(0), (data["high"] - value).clip(lower=0).fillna(0)])


def estimates(ax, data: pd.DataFrame, labels: Sequence[str], shown: Styles, bars: bool, log: bool) -> None:
    """Columns series, x, value, low, high, reported: lines, or bars side by side, over the labels of an axis.

    On a logarithmic axis, where the length of a bar would say nothing, there are marks in place of bars. It is linear if a value
    does not allow it. What is reported is a hollow bar or mark beside ours."""
    log = log and (data["value"] > 0).all()
    numeric = not bars and all(map(look.is_number, labels))
    places = [float(label) for label in labels] if numeric else list(range(len(labels)))
    # Side by side, or the intervals of the series hide each other.
    step = 0.8 / len(shown) if bars else 0.012 * ((max(places) - min(places)) or 1)
    beside = step / 4 * data["reported"].notna().any()
    for index, (name, style) in enumerate(shown.items()):
        part = data[data["series"] == name].set_index("x").reindex(labels)
        x = np.array(places) + step * (index - (len(shown) - 1) / 2)
        there, known = part["value"].notna().to_numpy(), part["reported"].notna().to_numpy()
        if bars and not log:
            width = (0.92 if not beside else 0.46) * step
            error = {"capsize": 1.5 if beside else 2, "elinewidth": 1, "ecolor": look.DARK}
            is_scheme = name == "" and any(look.place_of(label) is not None for label in labels)
            colours = [s["color"] for s in look.styles(labels).values()] if is_scheme else [style["color"]] * len(labels)
            ax.bar(x - beside, part["value"], width, yerr=errors(part), color=colours, hatch=look.hatch(index), zorder=2,
                   error_kw=error, **({"edgecolor": "white", "linewidth": 0} if look.LOOK.grey else {}))
            theirs = [colour for colour, there in zip(colours, known) if there]
            ax.bar(x[known] + beside, part["reported"][known], 0.9 * width, color=[look.pale(colour, 0.12) for colour in theirs],
                   edgecolor=theirs, linewidth=0.8, zorder=2)
        else:
            more = {"linestyle": ""} if bars else {}
            ax.errorbar(x[there] - beside, part["value"][there], yerr=errors(part[there]), capsize=2.5, elinewidth=1, **look.EDGE,
                        **{**style, **more})
            ax.plot(x[known] + beside, part["reported"][known], zorder=3, markerfacecolor="white", **{**style, "linestyle": ""})
        part = part[there | known]
        look.record(ax, series=name, x=part.index, y=part["value"].to_numpy(), y_low=part["low"].to_numpy(),
                    y_high=part["high"].to_numpy(), reported=part["reported"].to_numpy())
    if not numeric or len(labels) <= 8:
        ax.set_xticks(places, labels)
    if bars:
        ax.set_xlim(-0.6, len(labels) - 0.4)
    values = data[["value", "reported"]].stack()
    ends = data[["value", "low", "high", "reported"]].stack()
    if log:
        look.logarithmic(ax.yaxis, max(ends[ends > 0].min() / 1.15, values.min() / 5), ends.max() * 1.15)
    else:
        span = (ends.max() - min(0, ends.min())) or 1
        ax.set_ylim(ends.min() - 0.05 * span if values.min() < 0 else 0, ends.max() + 0.05 * span)


def lying(ax, data: pd.DataFrame, shown: Styles) -> None:
    """Columns series, y, value, low, high: marks with lying intervals.

    A value may be rounded, and then outside of an interval that is narrower."""
    for name, part in data.dropna(subset=["value"]).groupby("series"):
        ax.errorbar(part["value"], part["y"], xerr=errors(part), capsize=2, elinewidth=1.1, zorder=4, **look.EDGE,
                    **{**shown[name], "linestyle": ""})
        look.record(ax, series=name, x=part["value"], x_low=part["low"], x_high=part["high"],
                    y=next(part[c] for c in ("row", "id", "y") if c in part),
                    **{c: part[c] for c in ("reported", "band_low", "band_high") if c in part})
    ax.grid(False, axis="y")


def lying_scale(ax, data: pd.DataFrame, others: Sequence[float], log: bool) -> None:
    """A scale for lying(), with all values and a line at no effect; of an interval as much as does not dwarf the values."""
    values = pd.concat([data["value"], pd.Series(others, dtype=float)]).dropna()
    if log:
        values = values[values > 0]
        look.logarithmic(ax.xaxis, values.min() / 1.5, values.max() * 1.5)
    else:
        ax.set_xlim(*limits(values, data["low"].min(), data["high"].max()))
    ax.axvline(1 if log else 0, color="#555555", linewidth=0.9, zorder=1)


def limits(values: pd.Series, low: float, high: float) -> Tuple[float, float]:
    """Ends of an axis with these values, and of their intervals as much as does not dwarf them."""
    span = (values.max() - values.min()) or 1.0
    return (np.nanmax([np.nanmin([low, values.min()]), values.min() - 0.6 * span]) - 0.06 * span,
            np.nanmin([np.nanmax([high, values.max()]), values.max() + 0.6 * span]) + 0.06 * span)


def boxes(ax, data: pd.DataFrame, shown: Styles, log: bool) -> None:
    """Columns x and value: a box for each label, with quartiles and median, whiskers to the ends, a dot for each run, a diamond
    at P99."""
    for at, (label, style) in enumerate(shown.items()):
        runs = sorted(data["value"][data["x"] == label])
        if not runs:
            continue
        low, middle, high, tail = (rr.percentile(runs, p) for p in (250_000, 500_000, 750_000, 990_000))
        line = {"color": style["color"]}
        ax.bxp([{"med": middle, "q1": low, "q3": high, "whislo": runs[0], "whishi": runs[-1]}], positions=[at], widths=0.55,
               showfliers=False, patch_artist=True, zorder=2, whiskerprops=line, capprops=line,
               boxprops={"facecolor": style["color"], "alpha": 0.35, "edgecolor": style["color"]},
               medianprops={"color": look.DARK, "linewidth": 1.6})
        # Neighbours in size lie apart; no chance in it, so that the figure stays the same.
        shifts = SPREAD * ((np.arange(len(runs)) * 0.618034) % 1 - 0.5)
        ax.plot(at + shifts, runs, linestyle="", marker="o", markersize=1.8, alpha=0.6, zorder=3, **line)
        ax.plot([at], [tail], linestyle="", marker="D", color=look.DARK, markersize=4.5, zorder=5)
        numbers = {"smallest": runs[0], "quartile_1": low, "median": middle, "quartile_3": high, "largest": runs[-1], "p99": tail}
        look.record(ax, series=list(numbers) + ["run"] * len(runs), x=label, y=[*numbers.values(), *runs])
    ax.set_xticks(range(len(shown)), list(shown))
    ax.set_xlim(-0.6, len(shown) - 0.4)
    least, greatest = data["value"].min(), data["value"].max()
    if log and least > 0:
        margin = max(1.01, (greatest / least) ** 0.06)
        look.logarithmic(ax.yaxis, least / margin, greatest * margin)
    elif least >= 0:
        ax.set_ylim(0, 1.08 * greatest or 1)


# --------------------------------------------------------------------------------------- over time


def held(data: pd.DataFrame, begin: float, end: float) -> Tuple[np.ndarray, np.ndarray]:
    """Times and values between two times, for a step line; of many, peaks and last values of stretches of time."""
    first = max(0, data["time_us"].searchsorted(begin, side="right") - 1)
    data = data.iloc[first:data["time_us"].searchsorted(end, side="right")].reset_index(drop=True)
    if len(data) > MAX_POINTS:
        data["stretch"] = ((data["time_us"] - begin) * (MAX_POINTS / 2 / (end - begin))).astype(int)
        peaks = data.sort_values(["stretch", "value"]).drop_duplicates("stretch", keep="last").index
        data = data.loc[peaks.union(data.drop_duplicates("stretch", keep="last").index)]
    time, value = data["time_us"].clip(lower=begin).to_numpy(), data["value"].to_numpy()
    return (np.append(time, end), np.append(value, value[-1])) if len(time) else (time, value)


def over_time(ax, data: pd.DataFrame, begin: float, end: float, shown: Styles, rest: str = "") -> None:
    """Columns series, time_us, value, which holds until the next: a step line for each series; the first is on top.

    @param rest what the others are called, which are grey"""
    parts = dict(list(data.groupby("series", sort=False)))
    lines = {name: held(part, begin, end) for name, part in parts.items()}
    for rank, (name, style) in enumerate(shown.items()):
        if name in parts:
            ax.plot(*lines[name], drawstyle="steps-post", label=name, zorder=3 + 1 / (rank + 1),
                    **{"linewidth": 1.1, **style, "marker": "", **({} if look.LOOK.grey else {"linestyle": "-"})})
    for name in (name for name in parts if name not in shown):
        ax.plot(*lines[name], drawstyle="steps-post", color=look.PALE, linewidth=0.6, zorder=2, label=rest)
        rest = ""
    for name, (x, y) in lines.items():
        look.record(ax, series=name, x=x, y=y)


def line(ax, x: Sequence[float], y: Sequence[float], series: str, **how) -> None:
    """A line without marks. @param how arguments of plot()"""
    ax.plot(x, y, zorder=3, **how)
    look.record(ax, series=series, x=x, y=y)


def strips(ax, data: pd.DataFrame) -> None:
    """Columns series, begin, end, share (above 0, to 1): a row for each series, the first at the top, with a strip from begin to
    end, darker for a larger share."""
    names = list(data["series"].unique())
    for strip in data.itertuples():
        ax.broken_barh([(strip.begin, strip.end - strip.begin)], (names.index(strip.series) - 0.4, 0.8), linewidth=0,
                       facecolors=look.COLOURS[1], alpha=0.15 + 0.85 * strip.share)
    look.record(ax, series=data["series"], x=data["begin"], x_end=data["end"], share=data["share"])
    ax.set_yticks(range(len(names)), names, fontsize=look.SMALL)
    ax.set_ylim(len(names) - 0.4, -0.6)


def names_beside(ax) -> None:
    """A legend of a panel of its own, beside it."""
    if ax.get_legend_handles_labels()[0]:
        ax.legend(fontsize=look.SMALL, loc="upper left", bbox_to_anchor=(1.005, 1.05), borderaxespad=0)


# --------------------------------------------------------------------------------------------- fields


def cells(ax, data: pd.DataFrame, rows: Sequence[str], columns: Sequence[str]) -> None:
    """Columns row, column, colour, text, bold: a coloured cell with a text for each."""
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Rectangle

    for cell in data.itertuples():
        x, y, colour = columns.index(cell.column), rows.index(cell.row), to_rgb(cell.colour)
        ax.add_patch(Rectangle((x - 0.49, y - 0.48), 0.98, 0.96, facecolor=colour, linewidth=0))
        ax.text(x, y, cell.text, ha="center", va="center", fontsize=look.SMALL, fontweight="bold" if cell.bold else "normal",
                color="white" if np.dot(colour, (0.3, 0.6, 0.1)) < 0.5 else "black")
    look.record(ax, x=data["column"], y=data["row"], text=data["text"], bold=data["bold"])
    ax.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(rows) - 0.5, -0.5))
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.grid(False)


def fewer_rows(values: np.ndarray, groups: Sequence, most: int, merge) -> Tuple[np.ndarray, np.ndarray, int]:
    """Neighbours of one group share a row if there are more rows than `most`: the rows, which was the first of each, and of how many.

    @param values by row in the last but one dimension
    @param groups of the rows, neighbours together
    @param merge np.add, which gives averages, or np.maximum"""
    rows = len(groups)
    count = 1 << (-(-rows // most) - 1).bit_length()  # ports and ranks come in powers of two
    starts = np.array([i for i in range(rows) if not i or groups[i] != groups[i - 1]])
    place = np.arange(rows) - starts[np.searchsorted(starts, np.arange(rows), side="right") - 1]  # within its group
    first = np.flatnonzero(place % count == 0)
    merged = merge.reduceat(values, first, axis=-2)
    return merged / np.diff(np.append(first, rows))[:, None] if merge is np.add else merged, first, count


def heat_rows(ax, shares: np.ndarray, names: Sequence[str], groups: Sequence[str], time: Tuple[float, float], height: float) -> None:
    """A coloured row for each name, the first at the top, over time from left to right; shares from 0 to 1.

    @param groups of the names, neighbours together: parted by lines, and named if there are too many names. Digits at the end of a
    group's name are its number among those of its kind
    @param height of the rows, inches"""
    from matplotlib import colormaps

    count = len(names)
    image = ax.imshow(shares, aspect="auto", interpolation="nearest", cmap=colormaps["YlOrRd"].with_extremes(under="white"), vmin=1e-6,
                      vmax=1, extent=(*time, count, 0))
    record_rows(ax, shares, names, np.linspace(*time, shares.shape[1] + 1))
    starts = [i for i in range(count) if not i or groups[i] != groups[i - 1]]
    lengths = dict(zip(starts, np.diff([*starts, count])))
    parted = [at for last, at in zip(starts, starts[1:])  # of thin groups only kinds, or lines would cover them
              if min(lengths[last], lengths[at]) >= HEAT_PARTED or groups[last].rstrip("0123456789") != groups[at].rstrip("0123456789")]
    ax.hlines(parted, *time, color=look.MUTED, linewidth=0.4)
    if count <= HEAT_NAMED:
        ax.set_yticks(np.arange(count) + 0.5, names, fontsize=look.SMALL)
    else:
        middles: Dict[float, str] = {}
        for first, last in zip(starts, [*starts[1:], count]):
            if not middles or (first + last) / 2 - max(middles) > HEAT_ROW * count / height:
                middles[(first + last) / 2] = groups[first]
        ax.set_yticks(list(middles), list(middles.values()), fontsize=look.SMALL)
    ax.tick_params(axis="y", length=0)
    ax.grid(False)
    bar = ax.figure.colorbar(image, ax=ax, location="top", fraction=0.12 / height, pad=0.1 / height, aspect=60)
    bar.ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
    bar.outline.set_visible(False)


def record_rows(ax, shares: np.ndarray, names: Sequence[str], edges: np.ndarray, series: str = "") -> None:
    """Remember rows of shares over time, without what is 0; neighbours that are equal are one."""
    parts = []
    for row, name in zip(shares, names):
        first = np.flatnonzero(np.append(True, np.diff(row) != 0))
        last = np.append(first[1:], len(row))
        parts += [(series, edges[a], edges[b], name, row[a]) for a, b in zip(first, last) if row[a] > 0]
    look.record(ax, **{c: list(part) for c, part in zip(("series", "x", "x_end", "y", "share"), zip(*parts))})


# ------------------------------------------------------------------------------------------ scatter


def frontier(data: pd.DataFrame) -> pd.DataFrame:
    """Those of columns value_x and value_y that none is at least as good as in both and better in one, by x."""
    ordered = data[["value_x", "value_y"]].drop_duplicates().sort_values(["value_x", "value_y"])
    return ordered[ordered["value_y"] < ordered["value_y"].cummin().shift(fill_value=math.inf)]


def scatter(ax, data: pd.DataFrame, shown: Styles) -> None:
    """Columns series, value_x, low_x, high_x and the same of y: marks with names and intervals, both axes logarithmic."""
    line = frontier(data)
    ax.plot(line["value_x"], line["value_y"], color=look.MUTED, linewidth=0.9, zorder=1)
    for mark in data.itertuples():
        style = shown[mark.series]
        thin = {"color": style["color"], "linewidth": 0.8, "alpha": 0.4}
        for draw, at, low, high in ((ax.hlines, mark.value_y, mark.low_x, mark.high_x), (ax.vlines, mark.value_x, mark.low_y, mark.high_y)):
            if low <= high:
                draw(at, max(low, 1e-3), high, **thin)
        ax.plot([mark.value_x], [mark.value_y], **{**style, "linestyle": ""})
    look.record(ax, series=data["series"], **{axis + end: data[f"{column}_{axis}"] for axis in "xy"
                                              for end, column in (("", "value"), ("_low", "low"), ("_high", "high"))})
    for axis, values in ((ax.xaxis, data["value_x"]), (ax.yaxis, data["value_y"])):  # just around the marks, whatever their intervals
        margin = max((values.max() / values.min()) ** 0.12, 1.05)
        look.logarithmic(axis, values.min() / margin, values.max() * margin ** 1.6)
    write_names(ax, {mark.series: (mark.value_x, mark.value_y) for mark in data.itertuples()})


def write_names(ax, marks: Dict[str, tuple]) -> None:
    """Each name where it covers the fewest others and marks, within the panel; a thin line to its mark if it is far."""
    at = {name: ax.transData.transform(value) for name, value in marks.items()}
    dot = ax.figure.dpi / 72
    edge = ax.get_window_extent()
    taken: List[tuple] = [(x - 4, y - 4, x + 4, y + 4) for x, y in at.values()]
    for name, (x, y) in sorted(at.items(), key=lambda item: tuple(item[1])):
        width, height = 0.54 * look.SMALL * len(name) * dot, 8 * dot
        found = []
        for far in (5, 14, 24, 36, 50):
            for right, up in ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1)):
                left, bottom = x + right * far * dot - width * (1 - right) / 2, y + up * far * dot - height / 2
                box = (left, bottom, left + width, bottom + height)
                outside = width * height - overlap(box, (edge.x0, edge.y0, edge.x1, edge.y1))
                found.append((sum(overlap(box, other) for other in taken) + 2 * outside + 0.4 * height * far, box, far))
        _, box, far = min(found, key=lambda place: place[0])
        taken.append(box)
        ax.annotate(name, marks[name], xytext=((box[0] - x) / dot, (box[1] - y) / dot), textcoords="offset points",
                    fontsize=look.SMALL, va="bottom", annotation_clip=False,
                    arrowprops={"arrowstyle": "-", "color": look.MUTED, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 3}
                    if far > 5 else None)


def overlap(a: tuple, b: tuple) -> float:
    """The area that two boxes share."""
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))


# --------------------------------------------------------------------------------------------- tables


def draw_table(file: str, header: Sequence[str], rows: Sequence[Sequence[str]], names: int, caption: str) -> None:
    """A table as a figure, with lines above, below and under its header. @param names how many of the columns are no numbers"""
    header = [look.wrapped(text, 16) for text in header]
    widths = [max(len(part) for text in (head, *(row[i] for row in rows)) for part in text.split("\n")) + 2 for i, head in enumerate(header)]
    ends = np.cumsum(widths) / sum(widths)
    lines = 1 + max(head.count("\n") for head in header)
    height = 0.17 * (len(rows) + lines + 1)
    figure = look.Figure(1, 1, 0.075 * sum(widths) + 0.3, height, True)
    ax = figure.panels[0]
    ax.axis("off")
    ax.set(xlim=(0, 1), ylim=(len(rows) + 0.3, -lines - 0.3))
    for y, width in ((-lines - 0.2, 1.0), (-0.05, 0.6), (len(rows) + 0.1, 1.0)):
        ax.axhline(y, color=look.DARK, linewidth=width)
    for i, head in enumerate(header):
        x, align = (ends[i] - widths[i] / sum(widths), "left") if i < names else (ends[i] - 0.5 / sum(widths), "right")
        ax.text(x, -0.25, head, ha=align, va="bottom", fontsize=look.SMALL, fontweight="bold")
        last = None
        for y, row in enumerate(rows):
            if i or row[i] != last:  # a name of a group of rows stands once
                ax.text(x, y + 0.5, row[i], ha=align, va="center", fontsize=look.SMALL)
            if not i and y and row[i] != last:
                ax.axhline(y, color=look.PALE, linewidth=0.5)
            last = row[i]
    figure.save(file, [], [caption])
