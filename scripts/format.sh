#!/usr/bin/env bash
# Formats all C++ files in ns-3's style, or with --check only reports where they differ from it (exit status 1).
# Usage: scripts/format.sh [--check]
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."

case "${1:-}" in
"") action=(-i) ;;
--check) action=(--dry-run -Werror) ;;
*)
    echo "error: unknown option $1; usage: scripts/format.sh [--check]" >&2
    exit 2
    ;;
esac

# Other versions format some lines differently.
formatter=$(command -v clang-format-14 || true)
if [ -z "$formatter" ]; then
    echo "error: clang-format-14 not found; on Debian 12: apt-get install clang-format-14" >&2
    exit 1
fi

find contrib scratch test \( -name '*.cc' -o -name '*.h' \) -print0 |
    sort -z |
    xargs -0 -r "$formatter" "${action[@]}"
