# SPDX-License-Identifier: GPL-2.0-only
"""What the figures show, on small tables made here. Nothing is run.

    plots.py BUILD_DIR
"""

import warnings

import numpy as np
import pandas as pd
import plot_queues
import plot_ranks
import plot_series
import roce_results as rr
from roce_plot import axes, look

from support.campaigns import run

ESTIMATES = pd.DataFrame([("a", "x", 2.0, 1.0, 4.0, 3.0), ("b", "x", 200.0, None, None, None), ("a", "y", 20.0, 10.0, 40.0, None)],
                         columns=["series", "x", "value", "low", "high", "reported"])


def panel():
    """@return a panel to draw into."""
    return look.Figure(1, 1, 4, 3).panels[0]


def test_look():
    """Units that fit, texts that are not cut, one colour for each name."""
    texts = [look.text_of(unit)(value) for unit, value in
             (("us", 0.5), ("us", 1500.0), ("us", 2e6), ("B", 999.0), ("kB", 2500.0), ("slowdown", 2e6), ("B", 0.0))]
    assert texts == ["500 ns", "1.5 ms", "2 s", "999 B", "2.5 MB", "2e+06 slowdown", "0 B"], f"texts: {texts}"
    assert look.scaled("us", 4000.0) == ("ms", 1000) and look.scaled("frames", 1e9) == ("frames", 1), "the unit of an axis"
    order = ["a", "b", "c"] + [f"other {i}" for i in range(len(look.COLOURS))]
    assert look.styles(["c", "a"], order) == {"c": look.style(2), "a": look.style(0)}, "the place in the order"
    same = look.styles(["a", order[len(look.COLOURS)]], order)
    assert len({style["color"] for style in same.values()}) == 2, f"two names with one colour: {same}"
    assert len(set(look.COLOURS)) == len(look.COLOURS), "a colour that is there twice"
    text = "one two three four 95 %"
    assert look.wrapped(text, 8).replace("\n", " ").replace("\u00a0", " ") == text, "a text is cut"


def test_bars():
    """Bars from 0; on a logarithmic axis marks, and what is reported is seen on both."""
    linear, log, mixed = panel(), panel(), panel()
    shown = look.styles(["a", "b"])
    axes.estimates(linear, ESTIMATES, ["x", "y"], shown, True, False)
    heights = sorted(bar.get_height() for bar in linear.patches if np.isfinite(bar.get_height()))
    assert heights == [2, 20, 200] and linear.get_ylim()[0] == 0, f"bars: {heights} {linear.get_ylim()}"
    axes.estimates(log, ESTIMATES, ["x", "y"], shown, True, True)
    assert not log.patches and log.get_yscale() == "log" and log.get_ylim()[0] > 0, "bars on a logarithmic axis"
    marks = sorted(y for line in log.get_lines() if line.get_marker() in "os" for y in line.get_ydata())
    assert marks == [2, 20, 200], f"marks: {marks}"
    axes.estimates(mixed, ESTIMATES.assign(value=-ESTIMATES["value"]), ["x", "y"], shown, True, True)
    assert mixed.get_yscale() == "linear" and len(mixed.patches), "negative values on a logarithmic axis"
    for ax in (linear, log):
        lines = [part for found in ax.collections for part in found.get_segments() if found.get_linewidth()[0] == 2]
        assert len(lines) == 1 and {y for _, y in lines[0]} == {3.0}, f"reported: {lines}"


def test_flows():
    """A curve of completion times ends at the share of flows that finished."""
    ax = panel()
    axes.cdf(ax, pd.DataFrame({"series": "a", "value": [4.0, 1.0, None, 2.0]}), look.styles(["a"]))
    x, y = ax.get_lines()[0].get_data()
    assert list(x) == [1, 1, 2, 4] and list(y) == [0, 25, 50, 75], f"curve: {x} {y}"


def test_over_time():
    """Of many samples, peaks and last values remain; a value holds until the next, also from before the window."""
    time = np.arange(100_000.0)
    value = np.where(time == 54_321, 9.0, time % 3)
    data = pd.DataFrame({"time_us": time, "value": value})
    x, y = axes.held(data, 0, 1e5)
    assert len(x) <= axes.MAX_POINTS + 2 and y.max() == 9 and x[-1] == 1e5 and y[-1] == value[-1], f"thinned: {len(x)}, {y.max()}"
    x, y = axes.held(data, 10.5, 12)
    assert list(x) == [10.5, 11, 12, 12] and list(y) == [1, 2, 0, 0], f"a window: {x} {y}"
    edges = np.linspace(0, 40, 5)
    sampled = pd.DataFrame({"time_us": [10.0, 40.0], "value": [0.5, 1.0]})  # nothing was sent from 10 to 30
    assert (np.allclose(plot_series.busy_share(sampled, edges, 10.0), [0.5, 0, 0, 1])
          and np.allclose(plot_series.busy_share(sampled, edges, None), [0, 0.5, 0.5, 0.5])), "utilisation, sampled and on change"
    paused = plot_series.strips(pd.DataFrame({"series": "p", "time_us": [10.0, 20.0, 30.0], "value": [5000.0, 5000.0, 15000.0]}), 10.0)
    assert paused.values.tolist() == [["p", 0, 10, 0.5], ["p", 20, 30, 1]], f"pauses: {paused}"


def test_links(folder):
    """A heat map of ports: a row for each, in the network's order, also if it sent nothing; colours and names."""
    (folder / "summary.json").write_text('{"configuration": {"utilisation": "10us"}, "neighbours": {"nic0": "sw:0", "nic1": "sw:1", '
                                         '"sw:0": "nic0", "sw:1": "nic1"}}')
    (folder / "utilisation.csv").write_text("time_ns,node,port,tx_bytes,utilisation,node_name,port_name\n10000.000,2,1,9,1,sw,sw:1\n"
                                            "10000.000,0,0,9,0.5,a,nic0\n20000.000,0,0,9,0.5,a,nic0\n40000.000,2,1,9,0.25,sw,sw:1\n")
    done = run("plot_series.py", folder)
    assert done.stdout.split() == [str(folder / "series.png"), str(folder / "links.png")], f"plot_series.py: {done}"
    edges = np.linspace(0, 40, 5)
    summary = rr.read_summary(str(folder))
    busy = plot_series.links_of(str(folder), summary, edges)
    assert list(busy.index) == ["nic0", "nic1", "sw:0", "sw:1"], f"ports: {list(busy.index)}"
    assert np.allclose(busy.to_numpy(), [[0.5, 0.5, 0, 0], [0] * 4, [0] * 4, [1, 0, 0, 0.25]]), f"busy: {busy}"
    summary["configuration"]["seriesPorts"] = "nic0,sw:1"
    assert list(plot_series.links_of(str(folder), summary, edges).index) == ["nic0", "sw:1"], "--seriesPorts"
    ax = panel()
    axes.heat_rows(ax, busy.to_numpy(), list(busy.index), ["NICs", "NICs", "sw", "sw"], (0, 40), 2)
    image = ax.images[0]
    pixels = image.to_rgba(image.get_array())[..., :3]
    assert (pixels[1] == 1).all() and pixels[3, 0].sum() < pixels[0, 0].sum() < pixels[3, 3].sum() < 3, "white, and darker if busier"
    assert [text.get_text() for text in ax.get_yticklabels()] == list(busy.index), "names of ports"
    assert len(ax.collections[0].get_segments()) == 1, "a line between NICs and ports of a switch"
    names = [f"sw{i // 2}:{i % 2}" for i in range(1000)]
    ax = panel()
    axes.heat_rows(ax, np.zeros((1000, 4)), names, [name.split(":")[0] for name in names], (0, 40), 20)
    assert not ax.collections[0].get_segments(), "as many lines as there are switches hide their ports"
    found = [text.get_text() for text in ax.get_yticklabels()]
    assert found[0] == "sw0" and 100 < len(found) <= 20 / axes.HEAT_ROW, f"names of nodes, as many as there is room for: {len(found)}"


OPERATIONS = """job,rank,operation,kind,stream,peer,bytes,part,iteration,sent_ns,start_ns,end_ns
0,0,1,calc,0,,,,1,,0.000,4000.000
0,0,2,calc,1,,,,1,,2000.000,6000.000
0,0,3,send,0,1,9,,1,,4000.000,8000.000
0,1,1,recv,0,0,9,"a, b",1,4000.000,0.000,7000.000
0,1,2,recv,0,0,9,,2,,7000.000,
0,1,3,send,0,0,9,,,,,
"""


def test_ranks(folder):
    """What overlaps counts once; a message is under way at its receiver from when it is sent; what has not started is nothing."""
    (folder / "operations.csv").write_text(OPERATIONS)
    data = plot_ranks.read(str(folder), None, None)
    shares = plot_ranks.shares_of(data, np.array([0.0, 4, 6, 8]))
    assert np.allclose(shares[:, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]]), f"rank 0: {shares[:, 0]}"
    assert np.allclose(shares[:, 1], [[0] * 3, [0] * 3, [0, 1, 0.5], [1, 0, 0.5]]), f"rank 1: {shares[:, 1]}"
    late = plot_ranks.shares_of(data, np.array([5.0, 7]))
    assert np.allclose(late[:, 0, 0], [0, 0.5, 0.5, 0]), f"of a stretch that operations overlap: {late}"
    assert plot_ranks.read(str(folder), 0, (1, 1))["rank"].unique() == [1]
    done = run("plot_ranks.py", folder, "--out", folder / "new", "--to", "9us")
    assert done.stdout.split() == [str(folder / "new" / "ranks.png")] and (folder / "new" / "ranks.png").stat().st_size > 10000, f"{done}"
    for text, options, words in ((OPERATIONS.replace("send", "sent"), (), ":4: kind: expected calc, send or recv"),
                                 (OPERATIONS.replace("end_ns", "end"), (), "missing column(s) end_ns"),
                                 (OPERATIONS, ("--ranks", "7-9"), "no operation of these ranks"), (OPERATIONS, ("--to", "0"), "--to 0 us"),
                                 (OPERATIONS, ("--from", "5"), "--from: '5', expected a time with unit"),
                                 (OPERATIONS, ("--ranks", "x"), "--ranks: 'x', expected for example 0-63")):
        (folder / "operations.csv").write_text(text)
        done = run("plot_ranks.py", folder, *options)
        assert done.returncode == 2 and words in done.stderr, f"{options}: {done}"


def test_many_ranks():
    """They share rows, but not with those of another job; numbers are beside as many rows as there is room for."""
    shares = np.zeros((4, 1500, 1))
    shares[0, 1, 0], shares[3, 1499, 0] = 1, 1
    jobs = np.repeat([0, 1], [1001, 499])
    rows, first, count = axes.fewer_rows(shares, jobs, 256, np.add)
    assert count == 8 and rows.shape == (4, 126 + 63, 1) and first[126] == 1001, f"{count} ranks a row, {rows.shape}"
    assert rows[0, 0, 0] == 1 / 8 and rows[3, -1, 0] == 1 / 3, "averages of whole and last rows"
    assert axes.fewer_rows(shares, jobs, 256, np.maximum)[0][3, -1, 0] == 1, "the busiest of them"
    assert axes.fewer_rows(shares[:, :256], jobs[:256], 256, np.add)[2] == 1
    ax = panel()
    plot_ranks.label_rows(ax, pd.DataFrame({"job": jobs[first], "rank": [*range(0, 1001, 8), *range(0, 499, 8)]}), 6.8)
    found = [text.get_text() for text in ax.get_yticklabels()]
    assert found[:2] == ["job 0: 0", "32"] and "job 1: 0" in found and len(found) <= 6.8 / 0.14 + 1, f"{found}"


def test_gaps():
    """What was not measured, or has no interval, is drawn without a word on the terminal."""
    warnings.simplefilter("error")
    shown = look.styles(["a", "b"])
    rows = pd.DataFrame({"series": ["a", "b"], "y": [0, 1], "value": [np.nan, 2.0], "low": np.nan, "high": np.nan})
    for log in (False, True):
        ax = panel()
        axes.lying(ax, rows, shown)
        axes.lying_scale(ax, rows, [1.0], log)
        low, high = ax.get_xlim()
        assert low < 1 < 2 < high, f"an axis from {low} to {high}"
    ax = panel()
    axes.scatter(ax, pd.DataFrame([("a", 1.0, np.nan, np.nan, 2.0, -1.0, 5.0)],
                                  columns=["series", "value_x", "low_x", "high_x", "value_y", "low_y", "high_y"]), shown)
    assert [text.get_text() for text in ax.texts] == ["a"], "a mark without intervals"
    axes.boxes(panel(), pd.DataFrame({"x": ["one"], "value": [0.0]}), look.styles(["none", "one"]), True)


def test_cells():
    """Text in a cell has contrast, wherever it is."""
    ax = panel()
    data = pd.DataFrame([("r", c, look.heat(v), f"{v}", False) for c, v in (("near", 1.0), ("far", 9.0))],
                        columns=["row", "column", "colour", "text", "bold"])
    axes.cells(ax, data, ["r"], ["near", "far"])
    assert [text.get_color() for text in ax.texts] == ["black", "white"], "contrast"


def test_tables(folder):
    """A table over time; what is wrong in it is one line."""
    (folder / "summary.json").write_text("{}")
    file = folder / "queues.csv"
    head = "time_ns,node,port,class,queue_bytes\n"
    file.write_text(head + "0.1,7,0,3,0.25\n300.000,7,0,3,2\n300.000,7,1,3,0\n")
    found = plot_queues.read_queues(str(folder), {"7": "leaf"})
    assert found["value"].tolist() == [0.25, 2] and set(found["series"]) == {"leaf port 0"}, f"queues: {found}"
    for text, words in (("", "queues.csv:1: missing column(s) time_ns"), (head.replace(",node", ""), "missing column(s) node"),
                        (head + "1,7,0,3,x\n", "queues.csv:2: queue_bytes: expected numbers"),
                        (head + "1,7,0,3,5\n,7,0,3,5\n", "queues.csv:3: expected time_ns, node"),
                        (head + "2,7,0,3,5\n1,7,0,3,5\n", "queues.csv:3: time goes backwards"),
                        (head + "2,7,0,3\n", "queues.csv:2: "), (head + '1,7,0,3,"5', "EOF inside string")):
        file.write_text(text)
        done = run("plot_queues.py", folder, "--out", folder)
        assert done.returncode == 2 and words in done.stderr and done.stderr.count("\n") == 1, f"{text!r}: {done}"
