# SPDX-License-Identifier: GPL-2.0-only
"""The look of all figures: colours, fonts, units, logarithmic axes, legend, caption, saving."""

import math
import os
import textwrap
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from roce_manifest import ResultError

# Okabe and Ito's palette for the colour-blind without yellow, which is too pale for lines on white; then some of Tol's.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#882255", "#999933", "#332288",
           "#44AA99", "#AA8866")
MARKERS = ("o", "s", "^", "D", "v", "p", "X")
LINES = ("-", (0, (5, 2)), (0, (1, 1.2)))
DARK, MUTED, PALE, BAND = "#333333", "#666666", "#BBBBBB", "#D9D9D9"
GRADES = {"A": COLOURS[2], "B": COLOURS[5], "C": COLOURS[4], "U": COLOURS[3], "F": COLOURS[1], "N": "#999999", "X": "#999999"}
FARTHEST = 10.0  # times the best, where colours end
SMALL = 7.5  # points: what is written within panels and beside them
EDGE = {"markeredgecolor": "white", "markeredgewidth": 0.5}
UNITS = ({"ns": 1, "\u00b5s": 1e3, "ms": 1e6, "s": 1e9}, {"B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9})
SPELLED = {"us": "\u00b5s", "kB": "KB", "bytes": "B"}  # as others write them


def pyplot():
    """@return matplotlib.pyplot with the common look; it needs no display."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({
        "figure.dpi": 150, "savefig.dpi": 150, "font.size": 9, "axes.titlesize": 10, "axes.titlelocation": "left",
        "axes.labelsize": 9, "axes.labelcolor": DARK, "axes.edgecolor": "#999999", "axes.linewidth": 0.8,
        "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
        "grid.color": "#E4E4E4", "grid.linewidth": 0.7, "xtick.color": "#555555", "ytick.color": "#555555",
        "lines.linewidth": 1.6, "lines.markersize": 5, "legend.frameon": False, "legend.fontsize": 8.5,
        "text.parse_math": False})  # a label with $ is shown as it is
    return plt


def style(place: int) -> dict:
    """Of a line: colours first, then dashes."""
    return {"color": COLOURS[place % len(COLOURS)], "marker": MARKERS[place % len(MARKERS)],
            "linestyle": LINES[place // len(COLOURS) % len(LINES)]}


def heat(ratio: float) -> tuple:
    """The colour of a number of times the best, up to FARTHEST; white of none."""
    from matplotlib import colormaps
    return (1, 1, 1) if math.isnan(ratio) else colormaps["YlOrRd"](math.log(min(max(ratio, 1), FARTHEST)) / math.log(FARTHEST))


def pale(colour: str, share: float) -> tuple:
    """A colour on white paper, of which it has that share."""
    from matplotlib.colors import to_rgb
    return tuple(1 - share * (1 - part) for part in to_rgb(colour))


def styles(names: Iterable[str], order: Sequence[str] = ()) -> Dict[str, dict]:
    """A style for each name, by its place in an order, so that it has one colour in all figures; by its place among the names if
    two would have the same colour."""
    names = list(names)
    places = [order.index(name) if name in order else len(COLOURS) for name in names]
    if len({place % len(COLOURS) for place in places}) < len(names) or not set(names) <= set(order):
        places = list(range(len(names)))
    return {name: style(place) for name, place in zip(names, places)}


# ------------------------------------------------------------------------------------------- units


def scaled(unit: str, greatest: float) -> Tuple[str, float]:
    """The unit of the same kind of which the greatest value is at least one, and what values are divided by."""
    unit = SPELLED.get(unit, unit)
    for sizes in UNITS:
        if unit in sizes:
            fit = [u for u in sizes if sizes[u] <= abs(greatest) * sizes[unit]] or [min(sizes, key=sizes.get)]
            return fit[-1], sizes[fit[-1]] / sizes[unit]
    return unit, 1.0


def text_of(unit: str) -> Callable[[float], str]:
    """What writes a number of a unit: 10 KB, 1.5 ms."""
    def text(value: float) -> str:
        fit, factor = scaled(unit, value)
        return f"{value / factor:.3g} {fit}"
    return text


def scale(axis, unit: str, greatest: float, title: str = "") -> None:
    """Label an axis in the unit that fits its greatest value: queue (MB)."""
    fit, factor = scaled(unit, greatest)
    axis.set_major_formatter(lambda value, _: f"{value / factor:g}")
    axis.set_label_text(f"{title} ({fit})" if title else fit)


def logarithmic(axis, low: float, high: float, text: Optional[Callable[[float], str]] = None) -> None:
    """Make an axis logarithmic between two numbers, with as many labels as it has room for."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

    axis.axes.set(**{f"{axis.axis_name}scale": "log", f"{axis.axis_name}lim": (low, high)})
    ratio = high / low
    subs = (1, 1.2, 1.5, 2, 3, 4, 5, 7) if ratio < 5 else (1, 1.5, 2, 3, 5, 7) if ratio < 12 else \
        (1, 2, 5) if ratio < (60 if text else 300) else (1,)
    axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]) if ratio < 2 else LogLocator(subs=subs))
    axis.set_major_formatter(lambda value, _: text(value) if text else f"{value:g}")
    axis.set_minor_formatter(NullFormatter())


# ------------------------------------------------------------------------------------------ figures


def keys(shown: Dict[str, dict], kind: str = "line") -> list:
    """Entries of a legend: lines, bars or marks; none for a single series without a name."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if kind == "bar":
        return [Patch(color=look["color"], label=name) for name, look in shown.items() if name]
    more = {"linestyle": ""} if kind == "mark" else {}
    return [Line2D([], [], label=name, **{**look, **more}) for name, look in shown.items() if name]


def is_number(text: str) -> bool:
    """True for a plain number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def wrapped(text: str, width: int) -> str:
    """A text on several lines."""
    return "\n".join(textwrap.wrap(text.replace(" %", "\u00a0%"), width))


class Figure:
    """Panels in rows, one legend above them and a caption below."""

    def __init__(self, count: int, columns: int, width: float, height: float, **more) -> None:
        """@param width of the figure, inches
        @param height of a row
        @param more arguments of subplots()"""
        rows = -(-count // columns)
        self.plt = pyplot()
        self.fig, axes = self.plt.subplots(rows, columns, squeeze=False, figsize=(width, height * rows + 0.8), **more)
        self.columns = columns
        self.panels = list(axes.flat[:count])
        for ax in axes.flat[count:]:
            ax.set_visible(False)
        for ax in self.panels[-columns:]:  # also what is above an empty place
            ax.xaxis.set_tick_params(labelbottom=True)

    def turn_labels(self, ax, labels: Sequence[str]) -> None:
        """Turn the labels of the x axis if they would not fit side by side."""
        if sum(len(label) + 2 for label in labels) * self.columns > 9 * self.fig.get_size_inches()[0]:
            for label in ax.get_xticklabels():
                label.set(rotation=30, ha="right", rotation_mode="anchor")

    def save(self, file: str, handles: Sequence, lines: List[str]) -> None:
        """Fit all, and write a PNG, making its folder.

        @param handles what the legend shows; their labels name them
        @param lines paragraphs of the caption, wrapped to the figure's width"""
        width, height = self.fig.get_size_inches()
        top = 1.0
        if handles:
            longest = max(len(handle.get_label()) for handle in handles)
            columns = min(max(1, int((width - 0.3) / (0.55 + 0.085 * longest))), len(handles))
            self.fig.legend(handles=handles, loc="upper left", ncol=columns, bbox_to_anchor=(0.0, 1.0))
            top = 1 - (0.18 * -(-len(handles) // columns) + 0.12) / height
        caption = "\n".join(wrapped(line, int(width * 17.5)) for line in lines)
        self.fig.text(0.12 / width, 0.1 / height, caption, va="bottom", fontsize=SMALL, color=MUTED, linespacing=1.35)
        self.fig.tight_layout(rect=(0, (0.14 + 0.145 * (caption.count("\n") + 1)) / height, 1, top))
        try:
            os.makedirs(os.path.dirname(file) or ".", exist_ok=True)
            # Without the writing program's version the same data give the same file.
            self.fig.savefig(file, metadata={"Software": None})
        except OSError as error:
            raise ResultError(f"{file}: {error.strerror}") from None
        finally:
            self.plt.close(self.fig)
