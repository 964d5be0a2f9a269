#!/usr/bin/env bash
# From a fresh checkout to first results: installs what is missing, builds the programs, runs the experiment "quickstart".
# It builds in the way that is fastest from nothing. If you then change the module itself, remove build and run
# scripts/build.sh, whose builds after a change are faster.
# Usage: scripts/quickstart.sh [options of scripts/reproduce ...]
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

scripts/install.sh
ROCE_COLD_BUILD=${ROCE_COLD_BUILD:-ON} scripts/build.sh build --target roce-programs
exec scripts/reproduce quickstart "$@"
