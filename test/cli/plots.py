# SPDX-License-Identifier: GPL-2.0-only
"""What the figures show, on small tables made here. Nothing is run.

    plots.py BUILD_DIR
"""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import plot_fct
import plot_queues
import plot_ranks
import plot_series
import roce_results as rr
from matplotlib.colors import to_rgba
from roce_campaign import claim_figures
from roce_plot import axes, look

from support.campaigns import run

ESTIMATES = pd.DataFrame([("a", "x", 2.0, 1.0, 4.0, 3.0), ("b", "x", 200.0, None, None, None), ("a", "y", 20.0, 10.0, 40.0, None)],
                         columns=["series", "x", "value", "low", "high", "reported"])


@pytest.fixture(autouse=True)
def closed():
    """What was not saved does not stay."""
    yield
    look.pyplot().close("all")


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
    for name, others in (("DCQCN", ["Dcqcn", "HPCC"]), ("Reflex+TIMELY", ["Timely", "Timely+Reflex"]), ("MLCC", ["HPCC", "variant", "MLCC"])):
        known = look.styles([name, "other"])[name]["color"]
        found = look.styles(others)
        assert known in [style["color"] for style in found.values()], f"{name} has another colour: {found}"
        assert len({style["color"] for style in found.values()}) == len(others), f"one colour for two: {found}"
    many = look.styles([f"law {i}" for i in range(len(look.COLOURS) + 5)])
    assert len({(style["color"], style["linestyle"]) for style in many.values()}) == len(many), "two laws look the same"
    text = "one two three four 95 %"
    assert look.wrapped(text, 8).replace("\n", " ").replace("\u00a0", " ") == text, "a text is cut"


def test_bars():
    """Bars from 0, with a hollow one of what is reported beside; on a logarithmic axis marks."""
    linear, log, mixed = panel(), panel(), panel()
    shown = look.styles(["a", "b"])
    axes.estimates(linear, ESTIMATES, ["x", "y"], shown, True, False)
    bars = {bar.get_x(): bar for bar in linear.patches if np.isfinite(bar.get_height())}
    heights = [bars[x].get_height() for x in sorted(bars)]
    assert heights == [2, 3, 200, 20] and linear.get_ylim()[0] == 0, f"bars: {heights} {linear.get_ylim()}"
    theirs = next(bar for bar in bars.values() if bar.get_height() == 3)
    assert min(theirs.get_facecolor()[:3]) > 0.85, "the paper's bar is not hollow"
    schemes, own = panel(), ESTIMATES[ESTIMATES["series"] == "a"].assign(series="", x=["DCQCN", "HPCC"])
    axes.estimates(schemes, own, ["DCQCN", "HPCC"], look.styles([""]), True, False)
    colours = [bar.get_facecolor() for bar in schemes.patches[:2]]
    assert colours == [to_rgba(look.styles([name])[name]["color"]) for name in ("DCQCN", "HPCC")], f"bars of schemes: {colours}"
    axes.estimates(log, ESTIMATES, ["x", "y"], shown, True, True)
    assert not log.patches and log.get_yscale() == "log" and log.get_ylim()[0] > 0, "bars on a logarithmic axis"
    marks = sorted(y for line in log.get_lines() if line.get_marker() in "os" for y in line.get_ydata())
    assert marks == [2, 3, 20, 200], f"marks: {marks}"
    axes.estimates(mixed, ESTIMATES.assign(value=-ESTIMATES["value"]), ["x", "y"], shown, True, True)
    assert mixed.get_yscale() == "linear" and len(mixed.patches), "negative values on a logarithmic axis"
    claims = panel()
    rows = [("c", "A", "claim", "text", *(1.1, 1.0, 1.2, 1.0, 0.7, 1.3), 1.0, 0.5)]
    claim_figures.draw_claim_panel(claims, "share", pd.DataFrame(rows, columns=["id", "series", "label", "text", *claim_figures.NUMBERS,
                                                                               "height", "y"]))
    assert claims.get_xscale() == "log" and not claims.patches, "bars on a logarithmic axis"


def test_recorded():
    """The data beside a figure are what is drawn, in the units of its axes."""
    shown = look.styles(["a", "b"])
    figure = look.Figure(2, 2, 6, 3)
    left, right = figure.panels
    axes.estimates(left, ESTIMATES, ["x", "y"], shown, True, False)
    figure.name(left, "Left", "ms", 30)
    steps = pd.DataFrame({"series": ["a", "a", "b"], "time_us": [0.0, 500.0, 0.0], "value": [2000.0, 0.0, 5000.0]})
    axes.over_time(right, steps, 0, 1000, shown)
    look.scale(right.xaxis, "us", 1000, "time")
    look.scale(right.yaxis, "B", 5000, "queue")
    data = look.recorded(figure.panels)
    bars = data[data["panel"] == "Left"]
    assert sorted(zip(bars["series"], bars["x"], bars["y"])) == [("a", "x", 2), ("a", "y", 20), ("b", "x", 200)], f"bars: {bars}"
    assert bars["y_low"].tolist()[:2] == [1, 10] and bars["reported"].tolist()[0] == 3 and set(bars["y_axis"]) == {"ms"}, f"bars: {bars}"
    lines = data[data["panel"] != "Left"]
    drawn = [tuple(point) for line in right.get_lines() for point in zip(line.get_xdata() / 1000, line.get_ydata() / 1000)]
    assert list(zip(lines["x"], lines["y"])) == drawn and (1.0, 5.0) in drawn, f"lines: {lines}, {drawn}"
    assert set(lines["x_axis"]) == {"time (ms)"} and set(lines["y_axis"]) == {"queue (KB)"}, f"lines: {lines}"
    for draw in (lambda ax: axes.curves(ax, pd.DataFrame({"series": "a", "x": [1.0, 2.0], "y": [3.0, 4.0]}), shown),
                 lambda ax: axes.cdf(ax, pd.DataFrame({"series": "a", "value": np.arange(1.0, 9999.0)}), shown),
                 lambda ax: axes.line(ax, [1.0, 2.0], [3.0, 4.0], "a")):
        ax = panel()
        draw(ax)
        found, line = look.recorded([ax]), ax.get_lines()[0]
        assert np.array_equal(found["x"], line.get_xdata()) and np.array_equal(found["y"], line.get_ydata()), f"{found}"
        assert len(found) <= axes.MAX_STEPS + 1, "a point for each of very many flows"
    ax = panel()
    axes.heat_rows(ax, np.array([[0.5, 0.5, 0, 1.0]]), ["port"], ["sw"], (0, 40), 2)
    found = look.recorded([ax])[["x", "x_end", "y", "share"]].values.tolist()
    assert found == [[0, 20, "port", 0.5], [30, 40, "port", 1]], f"rows of shares: {found}"


def test_files(folder):
    """Each figure in three formats with its data, the same bytes in each run; a paper's has its width and its font."""
    (folder / "summary.json").write_text("{}")
    (folder / "queues.csv").write_text("time_ns,node,port,class,queue_bytes\n0,7,0,3,2000\n300000,7,0,3,0\n900000,7,0,3,5\n")
    (folder / "flows.csv").write_text("id,src,dst,class,tag,scope,bytes,start_ns,fct_ns,receiver_fct_ns,ideal_fct_ns,slowdown,packets,"
                                      "retransmitted,status\n" + "".join(
                                          f"{i},0,1,3,0,intra,{1000 * i + 1},0.000,{2000 + i}.000,,1000.000,{2 + i / 1000},1,0,finished\n"
                                          for i in range(40)))
    before = sorted(folder.iterdir())
    for i in (1, 2):
        done = run("plot_fct.py", folder, "--out", folder / f"paper{i}", "--style", "paper", env={"PYTHONHASHSEED": str(i)})
        assert done.returncode == 0, f"{done}"
    files = sorted(p.name for p in (folder / "paper1").iterdir())
    assert files == sorted(f"{name}{end}" for name in ("fct-cdf", "slowdown-by-size") for end in (*look.FORMATS, look.DATA)), f"{files}"
    for name in files:
        assert (folder / "paper1" / name).read_bytes() == (folder / "paper2" / name).read_bytes(), f"{name} differs from run to run"
    pdf, svg = (folder / "paper1" / "fct-cdf.pdf").read_bytes(), (folder / "paper1" / "fct-cdf.svg").read_text()
    assert re.search(rb"/MediaBox \[ 0 0 237.6 ", pdf) and b"/CreationDate" not in pdf, "3.3 inches"
    assert set(re.findall(r"font: ([\d.]+)px", svg)) == {"8"} and ">flow completion time (log scale)<" in svg, "text of 8 points"
    assert "Markers at each tenth" in svg and "Markers at each tenth" not in re.sub("<metadata.*</metadata>", "", svg, flags=re.S), "caption"
    done = run("plot_queues.py", folder, "--out", folder, "--style", "talk")
    assert done.stdout.split() == [str(folder / "queues.png")] and set(before) < set(folder.iterdir()), f"{done}"
    assert (folder / "queues.csv").read_text().startswith("time_ns,"), "the run's own table is gone"
    assert run("plot_queues.py", folder, "--style", "poster").stderr.endswith("expected one of page, paper, talk\n")


def test_grey():
    """In a paper, series differ without colours; a single panel has no title."""
    look.use("paper")
    try:
        shown = look.styles(["DCQCN", "HPCC", "MLCC", "x", "y"])
        assert len({str(style["linestyle"]) for style in shown.values()}) == 5, f"{shown}"
        ax = panel()
        axes.estimates(ax, ESTIMATES, ["x", "y"], look.styles(["a", "b"]), True, False)
        assert {bar.get_hatch() for bar in ax.patches if np.isfinite(bar.get_height())} == {None, "", look.HATCHES[1]}, "hatches"
        figure = look.Figure(1, 1, 5, 3)
        figure.name(figure.panels[0], "FCT, mean", "ms", 30)
        assert figure.panels[0].get_title("left") == "" and figure.panels[0].get_ylabel() == "FCT, mean (ms)"
        assert look.Figure(2, 2, 5, 3).fig.get_size_inches()[0] == 7
    finally:
        look.use("page")


def test_statistics():
    """Of slowdowns by size: bins that are large enough for the percentile."""
    flows = [rr.Flow(i, 0, 1, 3, 0, "intra", 1000 + i, 0, 1, None, 1, 1.0 + (i % 1000 == 0), 1, 0, True) for i in range(8000)]
    found = plot_fct.slowdowns([rr.Run("a", "", flows, 0, {})], ["mean", "p99.9"])
    assert (found["flows"] >= 1000).all() and np.allclose(found["mean"], 1.001) and (found["p99.9"] == 1).all(), f"{found}"
    assert plot_fct.slowdowns([rr.Run("a", "", flows, 0, {})])["flows"].max() == 400, "20 bins"


def test_table(folder):
    """A table as a figure has the text of its cells."""
    axes.draw_table(str(folder / "t.png"), ["load", "P50", "the paper's"], [["30 %", "1.9 [1, 2]", "2.0"], ["30 %", "3.1", "3.0"]], 1, "Caption.")
    found = re.findall(r">([^<>]+)</text>", (folder / "t.svg").read_text())
    assert found.count("30 %") == 1 and {"load", "1.9 [1, 2]", "2.0", "3.1", "3.0", "Caption."} <= set(found), f"{found}"


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


SYSTEMS = {
    "pfr": "time_ns,node,port,fair_rate_bps,input_bps,slow_down,avg_rtt_ns,extra_bytes,branch,queue_bytes,threshold_bytes,pauses,node_name,port_name\n"
           "10000,7,0,5000000000,0,0,0,0,md,300,400,2,leaf,leaf:0\n20000,7,0,9000000000,0,0,0,0,ai,0,0,0,leaf,leaf:0\n"
           "20000,7,1,20000000000,0,0,0,0,ai,100,400,0,leaf,leaf:1\n",
    "voqs": "time_ns,node,port,voq,queue_bytes,rate_bps,node_name,port_name\n10000,8,1,5,700,4000000000,dci,dci:1\n20000,8,1,6,900,2000000000,dci,dci:1\n",
    "pfq": "time_ns,node,src,qp,flow,queue_bytes,rate_bps,epoch,node_name\n10000,8,3,0,11,500,3000000000,1,dci\n"
           "20000,8,4,2,12,800,1000000000,1,dci\n30000,8,4,2,13,0,1000000000,1,dci\n",
    "mlcc": "time_ns,flow,src,dst,variable,value\n10000,11,3,9,r_ns_bps,25000000000\n20000,11,3,9,r_ns_bps,5000000000\n20000,11,3,9,rbar_bps,8000000000\n",
    "notifications": "time_ns,flow,kind,from,to,rate_bps,hops,marked\n1000,11,cnp,nic9,nic3,,0,0\n2000,11,cnp,nic9,nic3,,0,0\n"
                     "35000,12,fcnp,leaf,nic4,5000000000,0,0\n"}


def test_systems(folder):
    """Series of WRCC, BiCC and MLCC, and notifications: what each panel shows, and a picture of all."""
    (folder / "summary.json").write_text('{"nodeNames": {"7": "leaf", "8": "dci"}}')
    for table, text in SYSTEMS.items():
        (folder / f"{table}.csv").write_text(text)
    panels = plot_series.panels_of(plot_series.read_tables(str(folder), {"7": "leaf", "8": "dci"}), {}, 4, None, np.linspace(0, 40, 5))
    found = {title: list(zip(data["series"], data["time_us"], data["value"])) for (_, title), data in panels.items()}
    assert found == {
        "fair rate (Gbit/s)": [("leaf port 0", 10, 5), ("leaf port 0", 20, 9), ("leaf port 1", 20, 20)],
        "Q_p (% of Q_max)": [("leaf port 0", 10, 75), ("leaf port 0", 20, 0), ("leaf port 1", 20, 25)],
        "XOFFs in a period": [("leaf port 0", 10, 2), ("leaf port 0", 20, 0), ("leaf port 1", 20, 0)],
        "VOQ": [("dci port 1 VOQ 6", 20, 900), ("dci port 1 VOQ 5", 10, 700)],
        "VOQ's rate (Gbit/s)": [("dci port 1 VOQ 6", 20, 2), ("dci port 1 VOQ 5", 10, 4)],
        "flow's queue": [("nic4 QP 2", 20, 800), ("nic4 QP 2", 30, 0), ("flow 11", 10, 500)],
        "queue's rate (Gbit/s)": [("nic4 QP 2", 20, 1), ("nic4 QP 2", 30, 1), ("flow 11", 10, 3)],
        "near source (Gbit/s)": [("flow 11", 10, 25), ("flow 11", 20, 5)],
        "receiver's DQM (Gbit/s)": [("flow 11", 20, 8)],
        "notifications per 10 µs": [("cnp", 0, 2), ("cnp", 10, 0), ("cnp", 20, 0), ("cnp", 30, 0),
                                    ("fcnp", 0, 0), ("fcnp", 10, 0), ("fcnp", 20, 0), ("fcnp", 30, 1)]}, f"{found}"
    done = run("plot_series.py", folder)
    assert done.stdout.split() == [str(folder / "series.png")] and (folder / "series.png").stat().st_size > 30000, f"{done}"


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
