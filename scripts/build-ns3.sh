#!/usr/bin/env bash
# Builds an optimised ns-3 with MPI, only the modules that this repository can use, and installs it to PREFIX. Then
#   ROCE_NS3=PREFIX scripts/build.sh build-mpi
# builds this repository against it. Debian's own libns3-dev has no MPI.
# Usage: scripts/build-ns3.sh [--jobs=N] PREFIX [NS3_TREE]
#   PREFIX     where to install; a folder that does not exist yet, or an installation to be replaced
#   NS3_TREE   an ns-3 source tree to build, whose configuration is replaced; without it, Debian's source package is
#              unpacked in build-ns3-mpi (scripts/fetch-ns3.sh)
set -euo pipefail
source "$(dirname "$0")/help.sh"
root=$(cd "$(dirname "$0")/.." && pwd)
usage="usage: scripts/build-ns3.sh [--jobs=N] PREFIX [NS3_TREE]"

jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
if [[ ${1:-} == --jobs=[1-9]* ]]; then
    jobs=${1#*=}
    shift
fi
if [ $# -lt 1 ] || [ $# -gt 2 ] || [[ $1 == -* ]]; then
    echo "$usage" >&2
    exit 2
fi
if ! command -v mpicxx >/dev/null; then
    echo "error: no MPI compiler (mpicxx); run scripts/install.sh --with-mpi" >&2
    exit 1
fi
if [ -n "${2:-}" ] && [ ! -f "$2/test.py" ]; then
    echo "error: $2 is not the top folder of an ns-3 source tree (no test.py); $usage" >&2
    exit 2
fi
mkdir -p "$1"
prefix=$(cd "$1" && pwd)
tree=${2:-$("$root/scripts/fetch-ns3.sh" "$root/build-ns3-mpi")}
cd "$tree"

# No fused multiply-add: the same seed gives the same bytes as with any other build.
CXXFLAGS="${CXXFLAGS:-} -ffp-contract=off" ./ns3 configure -d optimized --enable-mpi --disable-tests --disable-examples \
    --enable-modules="core;network;mpi;stats;internet;flow-monitor;applications;point-to-point" --prefix="$prefix"
./ns3 build -j "$jobs"
./ns3 install
echo "ns-3 $(cat VERSION) with MPI is in $prefix: ROCE_NS3=$prefix scripts/build.sh build-mpi"
