#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The paths that the HPCC simulator's ECMP gives flows and their ACKs, for replay --pathFile.

    hpcc_paths.py TOPOLOGY FLOWS [--next-hops=ascending|descending] [--ucmp] > paths.csv

A switch there hashes source and destination address and both UDP ports with MurmurHash3 (32 bits), its node id is the seed, and
takes that entry, modulo their number, of the next hops on shortest paths. Source ports count from 10000 for each pair of hosts;
ACKs swap addresses and ports. The order of next hops is that of memory addresses there: ascending or descending node ids, as the
machine had it. Compare with a known path to find out.

--ucmp: DCI switches of LCMP's simulator take the widest of the next links, and keep their choice for all frames that have the same
flow number there. Flows of up to eight senders have the same. Here data is placed in the order of the list, then ACKs.
"""

import argparse
import functools
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Dict, List, Optional, Set, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))
import roce_results as rr  # noqa: E402

MASK = 0xFFFFFFFF
FIRST_PORT = 10000


def murmur3(words: List[int], seed: int) -> int:
    """MurmurHash3 of whole 32-bit words."""
    h = seed
    for k in words:
        k = k * 0xCC9E2D51 & MASK
        k = (k << 15 | k >> 17) & MASK
        h ^= k * 0x1B873593 & MASK
        h = (h << 13 | h >> 19) & MASK
        h = (h * 5 + 0xE6546B64) & MASK
    h ^= 4 * len(words)
    h = (h ^ h >> 16) * 0x85EBCA6B & MASK
    h = (h ^ h >> 13) * 0xC2B2AE35 & MASK
    return h ^ h >> 16


def address(node: int) -> int:
    """IPv4 address of a node there: 11.(node / 256).(node % 256).1."""
    return 0x0B000001 + (node // 256 << 16) + (node % 256 << 8)


def flow_number(src: int, dst: int, ports: int) -> int:
    """What DCI switches of LCMP's simulator know a flow by; equal for senders whose ids differ in bits 0, 1 and 3 only."""
    return address(src) << 16 & MASK | address(dst) ^ ports >> 16 ^ ports & 0xFFFF


class Topology:
    """Nodes, switches and neighbours of a topology.txt."""

    def __init__(self, path: str, descending: bool) -> None:
        rows = read_rows(path)
        self.descending = descending
        self.widest: Dict[Tuple[int, int], float] = {}  # rate of links, by both ends
        self.dci: Set[int] = set()
        self.placed: Optional[Dict[Tuple[int, int], int]] = None  # UCMP: next hop by DCI switch and flow number
        self.neighbours: Dict[int, List[int]] = defaultdict(list)
        # Switches, perhaps DCI switches beside them, and links (see replay); SimAI has two kinds of switches, and a name.
        first = rows.pop(0)
        simai = len(first) > 5 and not first[5].isdigit()
        count = number(path, first, 2) + number(path, first, 3) if simai else number(path, first, 1)
        others = 0 if simai or len(first) == 3 else number(path, first, 2)
        links = number(path, first, 4 if simai else 2 if len(first) == 3 else 3)
        ids: List[int] = []
        while len(ids) < count:
            if not rows:
                raise rr.ResultError(f"{path}: the file ends, expected {count} switch ids")
            row = rows.pop(0)
            ids += [number(path, row, i) for i in range(len(row))]
        if others and len(ids) == count and rows and all(word.isdigit() for word in rows[0]):  # LCMP
            self.dci = set(map(int, rows.pop(0)))
            ids += self.dci
        self.switches = set(ids)
        for row in [*rows, *[[]] * links][:links]:  # explanations may follow
            a, b = number(path, row, 0), number(path, row, 1)
            self.neighbours[a].append(b)
            self.neighbours[b].append(a)
            self.widest[a, b] = self.widest[b, a] = rate(path, row)

    @functools.lru_cache(maxsize=None)  # pylint: disable=method-cache-max-size-none
    def next_hops(self, dst: int) -> Dict[int, List[int]]:
        """Next hops on shortest paths to a host, by node; hosts pass nothing on."""
        distance = {dst: 0}
        queue = [dst]
        hops: Dict[int, List[int]] = defaultdict(list)
        for node in queue:
            for other in sorted(self.neighbours[node], reverse=self.descending):
                if other not in distance:
                    distance[other] = distance[node] + 1
                    if other in self.switches:
                        queue.append(other)
                if distance[other] == distance[node] + 1:
                    hops[other].append(node)
        return hops

    def path(self, src: int, dst: int, ports: int) -> str:
        """Nodes from src to dst; ports is source port + destination port * 2^16."""
        hops = self.next_hops(dst)
        nodes = [src]
        while nodes[-1] != dst:
            choices = hops[nodes[-1]]
            if not choices:
                raise rr.ResultError(f"no path from {src} to {dst}")
            at = nodes[-1]
            key = at, flow_number(src, dst, ports)
            ucmp = self.placed is not None and at in self.dci
            if ucmp and key not in self.placed:
                widest = max(self.widest[at, other] for other in choices)
                choices = [other for other in choices if self.widest[at, other] == widest]
            chosen = 0
            if at in self.switches:
                chosen = murmur3([address(src), address(dst), ports], at) % len(choices)
            nodes.append(self.placed.setdefault(key, choices[chosen]) if ucmp else choices[chosen])
        return "-".join(map(str, nodes))


def read_flows(path: str) -> List[Tuple[int, int, int]]:
    """Source, destination and destination port of each flow."""
    first, *rows = read_rows(path)
    count = number(path, first, 0)
    rows = rows[:count]
    if len(rows) < count:
        raise rr.ResultError(f"{path}: {len(rows)} flows, expected {count}, the number in its first line")
    if any(len(row) not in (6, 7) for row in rows):
        raise rr.ResultError(f"{path}: expected lines src dst pg dport size start; others have no such ports")
    # Seven columns may have a number in front (m3, see replay), or a stop time behind (Hawkeye).
    first_id = 1 if rows and rows[0][0] == "1" else 0
    numbered = all(len(row) == 7 and row[0] == str(first_id + i) and row[1] != row[2] and re.fullmatch("[0-7]", row[3])
                   and re.fullmatch("[0-9]+", row[5]) for i, row in enumerate(rows))
    return [tuple(number(path, row, i + numbered) for i in (0, 1, 3)) for row in rows]


def read_rows(path: str) -> List[List[str]]:
    """The words of lines with something on them, without comments."""
    try:
        with open(path, encoding="utf-8") as stream:
            rows = [words for words in (line.split("#")[0].split() for line in stream) if words]
    except OSError as error:
        raise rr.ResultError(f"{path}: {error.strerror}") from None
    if not rows:
        raise rr.ResultError(f"{path}: empty")
    return rows


def number(path: str, fields: List[str], index: int) -> int:
    """A field that is an integer."""
    try:
        return int(fields[index])
    except (IndexError, ValueError):
        raise rr.ResultError(f"{path}: '{' '.join(fields)}', expected an integer as field {index + 1}") from None


def rate(path: str, row: List[str]) -> float:
    """Rate of a link's line, bit/s."""
    found = re.fullmatch(r"([0-9.]+)([KMGT]?)(bps)?", " ".join(row[2:3]))
    if not found:
        raise rr.ResultError(f"{path}: '{' '.join(row)}', expected a rate as field 3")
    return float(found[1]) * 1000 ** " KMGT".index(found[2] or " ")


def main() -> int:
    """Print the list of paths."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("topology")
    parser.add_argument("flows")
    parser.add_argument("--next-hops", choices=("ascending", "descending"), default="ascending")
    parser.add_argument("--ucmp", action="store_true", help="DCI switches of LCMP's simulator take the widest links")
    args = parser.parse_args()
    topology = Topology(args.topology, args.next_hops == "descending")
    if args.ucmp:
        if not topology.dci:
            raise rr.ResultError(f"{args.topology}: no DCI switches, expected LCMP's format for --ucmp")
        topology.placed = {}
    used: Dict[Tuple[int, int], int] = defaultdict(int)
    flows: List[Tuple[int, int, int, int]] = []
    for src, dst, dport in read_flows(args.flows):
        flows.append((src, dst, FIRST_PORT + used[src, dst], dport))
        used[src, dst] += 1
    data = [topology.path(src, dst, sport | dport << 16) for src, dst, sport, dport in flows]
    acks = [topology.path(dst, src, dport | sport << 16) for src, dst, sport, dport in flows]
    print("id,path_node_ids,ack_path_node_ids", *(f"{i},{way},{acks[i]}" for i, way in enumerate(data)), sep="\n")
    return 0


if __name__ == "__main__":
    rr.run_main(main)
