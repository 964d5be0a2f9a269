# SPDX-License-Identifier: GPL-2.0-only
"""The look of all figures: colours, fonts, units, logarithmic axes, legend, caption, saving."""

import argparse
import math
import os
import textwrap
from typing import Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from roce_manifest import ResultError

# Okabe and Ito's palette for the colour-blind without yellow, which is too pale for lines on white; then some of Tol's.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#882255", "#999933", "#332288",
           "#44AA99", "#AA8866")
# What has a colour of its own in all figures, by COLOURS; of a row, one is in the figures of a paper. "reflex+timely" is also
# "Timely+Reflex". Other names get what is left.
SCHEMES = (("dcqcn", "default", "reflex+timely", "uno-phantom"), ("mlcc", "paraleon", "mlcc+hpcc", "plb+ec"),
           ("hpcc", "expert", "reflex+swift", "rps"), ("swift", "naive sketch", "uno-ec"), ("timely", "naive sa", "uno+ecmp"),
           ("powertcp", "netflow", "rps+ec", "mlcc+powertcp"), ("wrcc", "plb", "dcqcn+, other floor"), ("uno", "no fsd", "unocc"),
           ("gemini", "pretrained 1"), ("mprdma+bbr", "dcqcn+", "ndt+timely"), ("bicc", "acc", "uno+ec", "nsf+swift", "unolb"),
           ("dctcp", "pretrained 2", "ndt+swift", "ec+unolb"))
PLACES = {frozenset(name.split("+")): colour + len(COLOURS) * ring for colour, names in enumerate(SCHEMES) for ring, name in enumerate(names)}
MARKERS = ("o", "s", "^", "D", "v", "<", ">")
LINES = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)), (0, (9, 2.5)), (0, (3, 1, 1, 1, 1, 1)))
HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "----", "++++")
DARK, MUTED, PALE, BAND = "#333333", "#666666", "#BBBBBB", "#D9D9D9"
GRADES = {"A": COLOURS[2], "B": COLOURS[5], "C": COLOURS[4], "U": COLOURS[3], "F": COLOURS[1], "N": "#999999", "X": "#999999"}
FARTHEST = 10.0  # times the best, where colours end
SMALL = 7.5  # points: what is written within panels and beside them; use() sets it
FORMATS = (".png", ".svg", ".pdf")  # of each figure
DATA = "-data.csv"  # what is drawn, beside it
EDGE = {"markeredgecolor": "white", "markeredgewidth": 0.5}
UNITS = ({"ns": 1, "\u00b5s": 1e3, "ms": 1e6, "s": 1e9}, {"B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9},
         {"bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9})
SPELLED = {"us": "\u00b5s", "kB": "KB", "bytes": "B"}  # as others write them


class Style(NamedTuple):
    """What figures are made for: a page, a paper or a talk."""

    font: float  # points
    small: float
    line: float
    marker: float
    widths: Optional[Tuple[float, float]] = None  # inches: of a figure with one column of panels, and of others; none: its own
    words: bool = True  # a caption, and the title of a single panel
    grey: bool = False  # series differ without colours, too


STYLES = {"page": Style(9, 7.5, 1.6, 5), "paper": Style(8, 7, 1.1, 3.6, (3.3, 7.0), False, True),
          "talk": Style(10, 9, 2.0, 6, (6.4, 6.4), False)}  # the last is enlarged to a slide
WIDE, WIDE_TEXT = 8.0, 4.5  # inches: what is wider, or has lines of text that are, is as wide as a paper's page
LEAST_PANEL = 0.9  # inches: height of what is within the axes, in a paper or a talk
LOOK = STYLES["page"]


def use(name: str) -> str:
    """Draw all figures in a style from now on. @return its name"""
    global LOOK, SMALL  # pylint: disable=global-statement
    if name not in STYLES:
        raise argparse.ArgumentTypeError(f"'{name}', expected one of {', '.join(STYLES)}")
    LOOK = STYLES[name]
    SMALL = LOOK.small
    return name


def add_style(parser: argparse.ArgumentParser) -> None:
    """--style"""
    parser.add_argument("--style", type=use, metavar="|".join(STYLES), help="paper: 3.3 inches wide (7 with panels side by side), 8 "
                        "points, no caption, readable in grey; talk: large; default page")


def pyplot():
    """@return matplotlib.pyplot with the common look; it needs no display."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({
        "figure.dpi": 150, "savefig.dpi": 300 if LOOK.widths else 150, "font.size": LOOK.font, "axes.titlesize": LOOK.font + LOOK.words,
        "axes.titlelocation": "left", "axes.labelsize": LOOK.font, "axes.labelcolor": DARK, "axes.edgecolor": "#999999",
        "axes.linewidth": 0.8, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
        "grid.color": "#E4E4E4", "grid.linewidth": 0.7, "xtick.color": "#555555", "ytick.color": "#555555",
        "lines.linewidth": LOOK.line, "lines.markersize": LOOK.marker, "hatch.linewidth": 0.5, "legend.frameon": False,
        "legend.fontsize": LOOK.font - 0.5 * LOOK.words, "legend.handlelength": 2.3 if LOOK.grey else 2.0, "legend.columnspacing": 2.0 if LOOK.words else 1.0, "legend.handletextpad": 0.8 if LOOK.words else 0.5,
        # Text stays text, and the same data give the same bytes.
        "svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "ns-3 RoCE",
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


def place_of(name: str) -> Optional[int]:
    """Where a scheme's colour is, or none of another name."""
    return PLACES.get(frozenset(name.lower().split("+")))


def pale(colour: str, share: float) -> tuple:
    """A colour on white paper, of which it has that share."""
    from matplotlib.colors import to_rgb
    return tuple(1 - share * (1 - part) for part in to_rgb(colour))


def styles(names: Iterable[str], order: Sequence[str] = ()) -> Dict[str, dict]:
    """A style for each name: that of SCHEMES, or else what is left, by its place in an order, so that it is the same in all figures
    of an experiment. Two of one colour differ in dashes; there are none as long as there are colours."""
    names, most = list(names), len(COLOURS)
    everyone = [*order, *names] if set(names) <= set(order) else names
    known = {name: place_of(name) for name in everyone}
    left = iter([c for c in range(most) if c not in {p % most for p in known.values() if p is not None}])
    places = {name: next(left, i) if place is None else place for i, (name, place) in enumerate(known.items())}
    free = [c for c in range(most) if c not in {places[name] % most for name in names}]
    taken = set()
    for name in names:
        if places[name] % most in taken and free:
            places[name] = free.pop(0)
        taken.add(places[name] % most)
    if len(taken) == len(names):  # colours suffice
        places = {name: place % most for name, place in places.items()}
    return {name: {**style(places[name]), **({"linestyle": LINES[i % len(LINES)]} if LOOK.grey else {})} for i, name in enumerate(names)}


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
    axis.set_label_text(f"{title} ({fit})" if title and fit else title or fit)
    axis.roce_factor = factor


def logarithmic(axis, low: float, high: float, unit: str = "") -> None:
    """Make an axis logarithmic between two numbers, with as many labels as it has room for. @param unit written beside each"""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

    text, axis.roce_unit = text_of(unit) if unit else None, unit
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
        return [Patch(facecolor=look["color"], edgecolor=look.get("edge", "white"), hatch=hatch(place), label=name, linewidth=0.8)
                for place, (name, look) in enumerate(shown.items()) if name]
    more = {"linestyle": ""} if kind == "mark" else {}
    return [Line2D([], [], label=name, **{**look, **more}) for name, look in shown.items() if name]


def hatch(place: int) -> str:
    """Of bars that differ without colours, too."""
    return HATCHES[place % len(HATCHES)] if LOOK.grey else ""


def is_number(text: str) -> bool:
    """True for a plain number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def wrapped(text: str, width: int) -> str:
    """A text on several lines."""
    return "\n".join(textwrap.wrap(text.replace(" %", "\u00a0%"), width))


def record(ax, **columns) -> None:
    """Remember what is drawn in a panel, for its CSV file: series, x, y, x_low, x_high, y_low, y_high and others, numbers as those of
    the panel's axes."""
    import pandas as pd

    try:
        data = pd.DataFrame(columns)
    except ValueError:  # all are single values
        data = pd.DataFrame([columns])
    ax.__dict__.setdefault("roce_data", []).append(data)


def recorded(panels: Sequence):
    """A data frame of what is drawn in the panels, in the units that are on their axes."""
    import pandas as pd

    found = []
    for ax in panels:
        for data in getattr(ax, "roce_data", ()):
            title = (ax.get_title() or ax.get_title("left") or (ax.get_ylabel() if len(panels) > 1 else "")).replace("\n", " ")
            data = data.assign(panel=title)
            for name, siblings in (("x", ax.get_shared_x_axes()), ("y", ax.get_shared_y_axes())):
                shared = [getattr(other, f"{name}axis") for other in [ax, *sorted(siblings.get_siblings(ax), key=id)]]
                factor = next((axis.roce_factor for axis in shared if hasattr(axis, "roce_factor")), 1)
                label = next((axis.get_label_text() for axis in shared if axis.get_label_text()), "")
                unit = next((axis.roce_unit for axis in shared if getattr(axis, "roce_unit", "")), "")
                data[f"{name}_axis"] = (label + (f", {unit}" if unit else "")).replace("\n", " ")
                for column in data.columns.intersection([name, f"{name}_low", f"{name}_high", f"{name}_end"]):
                    if factor != 1 and pd.api.types.is_numeric_dtype(data[column]):
                        data[column] = data[column] / factor
            found.append(data)
    data = pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=["panel"])
    first = [c for c in ("panel", "series", "x", "x_low", "x_high", "y", "y_low", "y_high") if c in data]
    return data[first + [c for c in data if c not in first]].replace("", math.nan).dropna(axis=1, how="all")


class Figure:
    """Panels in rows, one legend above them and a caption below."""

    def __init__(self, count: int, columns: int, width: float, height: float, text_rows: bool = False, **more) -> None:
        """@param width of the figure, inches
        @param height of a row
        @param text_rows whether the height is that of lines of text, and stays with a smaller width
        @param more arguments of subplots()"""
        self.rows, self.text_rows = -(-count // columns), text_rows
        if LOOK.widths:
            fit = LOOK.widths[columns > 1 or width > (WIDE_TEXT if text_rows else WIDE)]
            height, width = height if text_rows else max(1.5, height * min(1, fit / width)), fit
        self.plt = pyplot()
        self.fig, axes = self.plt.subplots(self.rows, columns, squeeze=False, figsize=(width, height * self.rows + 0.8 * LOOK.words), **more)
        self.columns = columns
        self.panels = list(axes.flat[:count])
        for ax in axes.flat[count:]:
            ax.set_visible(False)
        for ax in self.panels[-columns:]:  # also what is above an empty place
            ax.xaxis.set_tick_params(labelbottom=True)

    def turn_labels(self, ax, labels: Sequence[str]) -> None:
        """Turn the labels of the x axis if they would not fit side by side."""
        if sum(len(label) + 2 for label in labels) * self.columns > 94 / LOOK.font * self.fig.get_size_inches()[0]:
            for label in ax.get_xticklabels():
                label.set(rotation=30, ha="right", rotation_mode="anchor")

    def name(self, ax, title: str, unit: str, width: int) -> None:
        """What a panel's values are: its title, above the unit; a single panel without title has it at the axis."""
        alone = len(self.panels) == 1 and not LOOK.words
        ax.set_title("" if alone else wrapped(title, width))
        ax.set_ylabel(wrapped(title if not unit or unit in title else f"{title} ({unit})", 26) if alone else unit)

    def save(self, file: str, handles: Sequence, lines: List[str]) -> None:
        """Fit all, and write a PNG, an SVG, a PDF and the data as CSV, making their folder.

        @param file the PNG
        @param handles what the legend shows; their labels name them
        @param lines paragraphs of the caption, wrapped to the figure's width"""
        width, height = self.fig.get_size_inches()
        data = recorded(self.panels)
        if len(self.panels) == 1 and not LOOK.words:
            self.panels[0].set_title("")
        top = 1.0
        if handles:
            for columns in range(len(handles), 0, -1):  # as many as there is room for
                by_row = [handles[i] for column in range(columns) for i in range(column, len(handles), columns)]
                legend = self.fig.legend(handles=by_row, loc="upper left", ncol=columns, bbox_to_anchor=(0.0, 1.0))
                box = legend.get_window_extent(self.fig.canvas.get_renderer())
                if columns == 1 or box.width <= width * self.fig.dpi:
                    break
                legend.remove()
            above = box.height / self.fig.dpi + (0 if LOOK.words else 0.05)
            height += 0 if LOOK.words else above
            self.fig.set_size_inches(width, height)
            top = 1 - above / height
        bottom = 0.0
        if LOOK.words:
            caption = "\n".join(wrapped(line, int(width * 17.5)) for line in lines)
            self.fig.text(0.12 / width, 0.1 / height, caption, va="bottom", fontsize=SMALL, color=MUTED, linespacing=1.35)
            bottom = (0.14 + 0.145 * (caption.count("\n") + 1)) / height
        for _ in range(1 if LOOK.words else 2):  # a smaller panel has other ticks
            self.fig.tight_layout(rect=(0, bottom, 1, top), **({} if LOOK.words else {"pad": 0.3, "h_pad": 1.0}))
            if not LOOK.words and not self.text_rows:  # long labels that are turned may have left little
                height += self.rows * max(0, LEAST_PANEL - height * min(ax.get_position().height for ax in self.panels))
                top = 1 - (1 - top) * self.fig.get_size_inches()[1] / height
                self.fig.set_size_inches(width, height)
        # Without dates, and the version of what writes it, the same data give the same files.
        words, stem = " ".join(lines), os.path.splitext(file)[0]
        about = {".png": {"Software": None}, ".svg": {"Date": None, "Creator": None, "Description": words},
                 ".pdf": {"CreationDate": None, "Creator": None, "Producer": None, "Subject": words}}
        try:
            os.makedirs(os.path.dirname(file) or ".", exist_ok=True)
            for end in FORMATS:
                self.fig.savefig(stem + end, metadata=about[end])
            if len(data):
                data.to_csv(stem + DATA, index=False, float_format="%.10g")
        except OSError as error:
            raise ResultError(f"{file}: {error.strerror}") from None
        finally:
            self.plt.close(self.fig)
