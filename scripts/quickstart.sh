#!/usr/bin/env bash
# From a fresh checkout to first results: installs what is missing, builds the programs, runs the experiment "quickstart".
# Usage: scripts/quickstart.sh [options of scripts/reproduce ...]
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

scripts/install.sh
scripts/build.sh build --target roce-programs
exec scripts/reproduce quickstart "$@"
