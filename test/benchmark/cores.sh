#!/usr/bin/env bash
# How much faster several threads are: four large networks, each number of threads in turn, and flows.csv equal in all.
# Usage: test/benchmark/cores.sh [--threads=1,2,4,8,16] [--repetitions=3] [--scale=1] [--networks=NAME,NAME] [--build=build]
#   --scale     networks and times are smaller by about this factor; 8 takes seconds
#   --networks  of leaf-spine, fat-trees, fat-tree, large
# Prints a CSV with each run, then a table of medians. "whole" is the elapsed time of the command, "simulation" that of the simulation
# alone (summary.json), both in seconds; memory is the largest of all runs, MB. The first number of threads is compared with.
# The machine should do nothing else: its number of cores, its processor and the load at the beginning are printed.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
source "$root/scripts/help.sh"

fail() {
    echo "error: $1" >&2
    exit 2
}

threads=1,2,4,8,16
repetitions=3
scale=1
networks=leaf-spine,fat-trees,fat-tree,large
build=$root/build
for argument in "$@"; do
    value=${argument#*=}
    case $argument in
    --threads=*) threads=$value ;;
    --repetitions=*) repetitions=$value ;;
    --scale=*) scale=$value ;;
    --networks=*) networks=$value ;;
    --build=*) build=$value ;;
    *) fail "unknown option $argument; $0 --help lists them" ;;
    esac
done
[[ $threads =~ ^[1-9][0-9]*(,[1-9][0-9]*)*$ ]] || fail "--threads is '$threads', expected numbers, for example 1,2,4"
[[ $repetitions =~ ^[1-9][0-9]*$ ]] || fail "--repetitions is '$repetitions', expected a number"
[[ $scale =~ ^[1-9][0-9]*$ ]] || fail "--scale is '$scale', expected a number"

# A size divided by the scale: even, and at least the second argument.
size() {
    local n=$(($1 / scale / 2 * 2))
    echo $((n > $2 ? n : $2))
}

# Microseconds divided by the scale, as an option's value.
us() {
    echo "$(($1 * 1000 / scale))ns"
}

options_of() {
    case $1 in
    leaf-spine) # 1,024 hosts
        echo two-dc-leaf-spine "--leaves=$(size 16 2)" "--spines=$(size 16 2)" "--hostsPerLeaf=$(size 32 4)" "--duration=$(us 4000)" \
            --wanDelay=100us
        ;;
    fat-trees) # 2,048
        echo two-dc-fat-tree "--k=$(size 16 4)" --wanRate=1600Gbps "--duration=$(us 2000)" "--stop=$(us 4000)"
        ;;
    fat-tree) # 8,192
        echo two-dc-fat-tree --datacenters=1 "--k=$(size 32 4)" --load=0.3 "--duration=$(us 1000)" "--stop=$(us 1000)"
        ;;
    large) # 65,536
        echo two-dc-fat-tree --datacenters=1 "--k=$(size 64 8)" --load=0.3 "--duration=$(us 100)" "--stop=$(us 100)"
        ;;
    *) fail "--networks has '$1', expected leaf-spine, fat-trees, fat-tree or large" ;;
    esac
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
IFS=, read -ra counts <<<"$threads"
IFS=, read -ra names <<<"$networks"

# Elapsed seconds and peak memory (MB) of a command. Status 3: some flows are not done at the end.
measure() {
    python3 - "$@" <<'PY'
import os
import subprocess
import sys
import tempfile
import time

with tempfile.TemporaryFile("w+") as said:
    start = time.monotonic()
    child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=said)
    _, status, usage = os.wait4(child.pid, 0)
    elapsed = time.monotonic() - start
    if os.waitstatus_to_exitcode(status) not in (0, 3):
        said.seek(0)
        sys.exit(f"{said.read()}error: {' '.join(sys.argv[1:])}: status {os.waitstatus_to_exitcode(status)}, expected 0 or 3")
print(f"{elapsed:.3f} {usage.ru_maxrss / 1024:.0f}")
PY
}

for name in "${names[@]}"; do
    options_of "$name" >"$work/options"
done
processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)
echo "# $(date -u +%F), $(nproc) cores, ${processor:-unknown processor}, load $(cut -d' ' -f1 /proc/loadavg), scale $scale"
echo "network,threads,repetition,whole_s,simulation_s,memory_mb" | tee "$work/runs.csv"
for name in "${names[@]}"; do
    read -ra command <<<"$(options_of "$name")"
    program=$build/bin/${command[0]}
    [ -x "$program" ] || fail "$program is not there, expected a build (scripts/build.sh)"
    for repetition in $(seq "$repetitions"); do
        for n in "${counts[@]}"; do
            rm -rf "$work/run"
            taken=$(measure "$program" "${command[@]:1}" "--threads=$n" --progress=none "--out=$work/run")
            read -r whole memory <<<"$taken"
            simulation=$(python3 -c 'import json, sys; print(round(json.load(open(sys.argv[1]))["timing"]["wallSeconds"], 3))' \
                "$work/run/summary.json")
            echo "$name,$n,$repetition,$whole,$simulation,$memory" | tee -a "$work/runs.csv"
            [ -e "$work/$name.csv" ] || cp "$work/run/flows.csv" "$work/$name.csv"
            cmp "$work/$name.csv" "$work/run/flows.csv" >&2 || {
                echo "error: flows.csv of $name with $n threads is not that of ${counts[0]}" >&2
                exit 1
            }
        done
    done
done

echo
python3 - "$work/runs.csv" <<'PY'
import csv
import statistics
import sys

with open(sys.argv[1], encoding="utf-8") as table:
    rows = list(csv.DictReader(table))
print(f"{'network':<12} {'threads':>7} {'whole':>9} {'times':>6} {'simulation':>11} {'times':>6} {'memory':>8}")
first = {}
for name, threads in dict.fromkeys((row["network"], row["threads"]) for row in rows):
    runs = [row for row in rows if (row["network"], row["threads"]) == (name, threads)]
    whole, simulation = (statistics.median(float(row[key]) for row in runs) for key in ("whole_s", "simulation_s"))
    memory = max(int(row["memory_mb"]) for row in runs)
    base = first.setdefault(name, (whole, simulation))
    print(f"{name:<12} {threads:>7} {whole:>7.2f} s {base[0] / whole:>6.2f} {simulation:>9.2f} s {base[1] / max(simulation, 1e-9):>6.2f} "
          f"{memory:>5} MB")
PY
echo "flows.csv is the same in all runs of a network"
