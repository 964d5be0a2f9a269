#!/usr/bin/env bash
# Tries the module inside an ns-3 source tree: links it into contrib/, builds it with its dependencies only, with
# ns-3's warnings as errors, and runs its test suite. The tree's configuration is replaced.
# Usage: scripts/in-tree.sh NS3_TREE
set -euo pipefail
module=$(cd "$(dirname "$0")/../contrib/roce" && pwd)

if [ $# -ne 1 ] || [ ! -f "$1/test.py" ] || [ ! -d "$1/contrib" ]; then
    echo "usage: scripts/in-tree.sh NS3_TREE, the top folder of an ns-3 source tree (holds test.py and contrib/)" >&2
    exit 2
fi
cd "$1"

if [ -e contrib/roce ] && [ ! "contrib/roce" -ef "$module" ]; then
    echo "error: $PWD/contrib/roce exists and is not a link to $module; move it away first" >&2
    exit 1
fi
[ -e contrib/roce ] || ln -s "$module" contrib/roce

./ns3 configure -d debug --enable-tests --disable-examples --enable-modules=roce
./ns3 build
./test.py --no-build -s roce
