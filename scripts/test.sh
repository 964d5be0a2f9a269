#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test. The last lines are CTest's own summary.
# Usage: scripts/test.sh [options of the last ctest ...]
# ROCE_TEST_VARIANTS chooses among (default: all three)
#   release   the suite, optimised, with the default compiler
#   asan      the suite with AddressSanitizer and UndefinedBehaviorSanitizer, with clang++ and little optimisation
#   in-tree   the module inside an ns-3 source tree (scripts/in-tree.sh), in build-ns3
# The release suite compares results of the programs of both builds, byte for byte (ROCE_BUILD_VARIANTS names
# the build folders).
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."
root=$PWD
variants=${ROCE_TEST_VARIANTS:-in-tree release asan}
jobs=$(nproc)

for variant in $variants; do
    case "$variant" in
    release | asan | in-tree) ;;
    *)
        echo "error: unknown variant '$variant' in ROCE_TEST_VARIANTS; known: release asan in-tree" >&2
        exit 2
        ;;
    esac
done
has() { [[ " $variants " == *" $1 "* ]]; }

install_options=(--with-slurm)
if has in-tree; then
    install_options+=(--with-ns3-source)
fi
scripts/install.sh "${install_options[@]}"

if has in-tree; then
    scripts/in-tree.sh
fi

# Each in one suite only: comparisons of builds, Python, documentation, captures and replays in the release suite; fuzzers under
# sanitizers, which find more. Nor do sanitizers get tests that go the same way very often (16 million packets, statistics of rare
# losses, each value of each row).
often='*LiveValuesAct*:*PsnsWrapOnTheWire*:*ReproducesTableOneOfUno*:*ErasureBlockLoss*:*FlowAtTheEndOfTime*:*BlocksFailAsOftenAsTheyShould*:*RunsOfLossesFailMore*'
test_asan=(env "GTEST_FILTER=-$often" ctest --test-dir build-asan --output-on-failure -j "$jobs" --no-tests=error
    -E '^cli[.](determinism|documentation|chapters|ns3-versions|campaign.*|comparison|replay|wireshark|slurm)$')
if has asan; then
    scripts/build.sh --sanitize
    if ! has release; then
        exec "${test_asan[@]}" "$@"
    fi
    "${test_asan[@]}"
fi

build_dirs=$root/build
if has asan; then
    build_dirs+=:$root/build-asan
fi

if has release; then
    scripts/build.sh
    export ROCE_BUILD_VARIANTS=$build_dirs
    if has asan; then
        set -- -E '^fuzz[.]' "$@"
    fi
    exec ctest --test-dir build --output-on-failure -j "$jobs" --no-tests=error "$@"
fi
