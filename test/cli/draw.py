# SPDX-License-Identifier: GPL-2.0-only
"""--draw: the page has every host, switch and link of the network, named, grouped and apart from each other."""

import re
from xml.etree import ElementTree

import pytest

from support import LEAF_SPINE, refused

FAT_TREE = "two-dc-fat-tree"
SVG = "{http://www.w3.org/2000/svg}"


def draw(programs, folder, program, *options):
    """@return sentence and kinds of links above the picture, and its elements by class."""
    page = folder / "network.html"
    programs.run(program, "--dryRun=1", f"--draw={page}", f"--out={folder}/out", *options)
    assert not (folder / "out").exists(), "--dryRun with --draw leaves a result"
    text = page.read_text(encoding="utf-8")
    assert "http" not in text.replace('xmlns="http://www.w3.org/2000/svg"', ""), "the page needs others"
    parts = {}
    for element in ElementTree.fromstring(re.search("<svg.*</svg>", text, re.S)[0]):
        parts.setdefault(element.get("class", "line"), []).append(element)
    return re.search("<p>(.*?)</p>", text)[1], re.findall("<li.*?>(.*?)</li>", text), parts


def boxes(parts):
    """@return names and corners of all boxes of nodes."""
    found = {}
    for kind, elements in parts.items():
        for box in elements if re.fullmatch("t[0-4]", kind) else []:
            x, y, width, height = (float(box.get(key)) for key in ("x", "y", "width", "height"))
            found[box.find(f"{SVG}title").text] = x, y, x + width, y + height
    return found


def inside(box, frame):
    """@return whether a box lies within a frame, an element."""
    x, y = float(frame.get("x")), float(frame.get("y"))
    return x <= box[0] and y <= box[1] and box[2] <= x + float(frame.get("width")) and box[3] <= y + float(frame.get("height"))


def test_leaf_spine(programs, folder):
    """All nodes of two datacenters, each in its frame, none on another; each link with its rate, delay and length."""
    said, kinds, parts = draw(programs, folder, LEAF_SPINE, "--spines=2", "--leaves=3", "--hostsPerLeaf=2", "--wanDelay=80km",
                              "--wanLinks=2", "--fabricRate=400Gbps")
    assert said == "12 hosts, 12 switches, 30 links.", said
    assert kinds == ["100 Gbit/s, 1 us (200 m): 16 links", "400 Gbit/s, 1 us (200 m): 12 links", "1600 Gbit/s, 400 us (80 km): 2 links"], kinds
    found = boxes(parts)
    assert len(found) == 24 and {"dc0-leaf2", "dc1-spine1", "dc0-dci0", "dc1-host5"} <= set(found), sorted(found)
    corners = sorted(found.values())
    for i, (left, top, right, bottom) in enumerate(corners):
        for x, y, *_ in corners[i + 1:]:
            assert x >= right or not top <= y < bottom, f"a box at {x}, {y} lies on that from {left}, {top} to {right}, {bottom}"
    assert len(parts["dc"]) == 2 and "pod" not in parts, f"frames: {sorted(parts)}"
    for name, box in found.items():
        assert inside(box, parts["dc"][int(name[2])]), f"{name} is not within its datacenter"
    titles = [line.find(f"{SVG}title").text for line in parts["line"]]
    assert "dc0-dci0 - dc1-dci0: 2 links of 1600 Gbit/s, 400 us (80 km)" in titles, titles
    assert "dc1-spine0 - dc1-dci0: 100 Gbit/s, 1 us (200 m)" in titles and len(titles) == 29, titles


def test_links_between_datacenters(programs, folder):
    """Links of the same two ends do not lie on each other, those over several datacenters are higher; names are below all links."""
    graph = folder / "graph"
    graph.write_text("0 1 50Gbps 1ms\n0 1 100Gbps 2ms\n1 2 50Gbps 1ms\n0 3 50Gbps 1ms\n", encoding="utf-8")
    _, _, parts = draw(programs, folder, LEAF_SPINE, "--datacenters=4", f"--wanGraph={graph}", "--leaves=1", "--hostsPerLeaf=2", "--spines=1")
    heights = {}
    for line in parts["line"]:
        title, path = line.find(f"{SVG}title").text, [float(x) for x in re.findall(r"[\d.]+", line.get("d"))]
        if "dci0 - dc" in title and title.count("dci0") == 2:
            heights[title] = (path[1] - path[3]) / 2
            assert path[3] - (path[3] - path[1]) / 2 > 0, f"{title} leaves the picture"
    one, two, far = (heights[f"dc0-dci0 - dc{text}"] for text in ("1-dci0: 50 Gbit/s, 1000 us (200 km)", "1-dci0: 100 Gbit/s, 2000 us (400 km)",
                                                                  "3-dci0: 50 Gbit/s, 1000 us (200 km)"))
    assert abs(two - one) >= 8 and far > max(one, two), heights
    lowest = max(bottom for *_, bottom in boxes(parts).values())
    assert all(float(name.get("y")) - 9 > lowest for name in parts["head"]), "names of datacenters among links"


def test_pods(programs, folder):
    """A frame around each pod, with its switches and hosts."""
    _, _, parts = draw(programs, folder, FAT_TREE, "--datacenters=1", "--k=4")
    found = boxes(parts)
    assert len(parts["pod"]) == 4, f"pods: {len(parts['pod'])}"
    for i, frame in enumerate(parts["pod"]):
        names = {name[4:] for name, box in found.items() if inside(box, frame)}
        assert names == {f"{kind}{n}" for kind, each in (("edge", 2), ("agg", 2), ("host", 4)) for n in range(each * i, each * i + each)}, names


@pytest.mark.parametrize("program, options, note, count, box, line", [
    (LEAF_SPINE, ["--leaves=16", "--hostsPerLeaf=8"], "Hosts at the same switches are one box.", 74, "dc0-host0 to dc0-host7",
     "8 links of 100 Gbit/s, 1 us (200 m)"),
    (LEAF_SPINE, ["--datacenters=1", "--leaves=32", "--spines=16", "--hostsPerLeaf=2"], "Nodes with the same place in a datacenter are one box.", 3,
     "dc0-leaf0 to dc0-leaf31", "512 links of 100 Gbit/s, 1 us (200 m)"),
    (FAT_TREE, ["--k=8"], "Nodes with the same place in a pod are one box.", 52, "dc1-agg4 to dc1-agg7", "16 links of 100 Gbit/s, 1 us (200 m)"),
    (FAT_TREE, ["--k=16"], "Nodes with the same place in a datacenter are one box.", 10, "dc0-edge0 to dc0-edge127",
     "1024 links of 100 Gbit/s, 1 us (200 m)")])
def test_large(programs, folder, program, options, note, count, box, line):
    """Of larger networks, nodes with the same place are one box, and their links one line."""
    said, _, parts = draw(programs, folder, program, *options)
    assert said.endswith(note), said
    found = boxes(parts)
    assert len(found) == count and box in found, sorted(found)
    assert any(element.find(f"{SVG}title").text.endswith(line) for element in parts["line"]), line


def test_replay(programs, folder):
    """A topology from a file."""
    (folder / "topology.txt").write_text("4 2 3\n2 3\n0 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 25Gbps 50us 0\n")
    (folder / "flow.txt").write_text("1\n0 1 3 100 100000 2\n")
    said, kinds, parts = draw(programs, folder, "replay", f"--topology={folder}/topology.txt", f"--flows={folder}/flow.txt",
                              "--cc=none")
    assert said == "2 hosts, 2 switches, 3 links." and "25 Gbit/s, 50 us (10 km): 1 link" in kinds, f"{said} {kinds}"
    assert len(boxes(parts)) == 4, sorted(boxes(parts))


def test_refused(programs, folder):
    """A file that cannot be written."""
    refused(programs.run(LEAF_SPINE, "--dryRun=1", "--duration=20us", f"--draw={folder}/none/page.html", status=2), "none/page.html")
