#!/usr/bin/env bash
# From a fresh checkout to first results: installs what is missing, builds the programs, runs scripts/quickstart.py.
# Usage: scripts/quickstart.sh [options of scripts/quickstart.py ...]
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

scripts/install.sh
scripts/build.sh build --target roce-programs
exec /usr/bin/python3 scripts/quickstart.py "$@"
