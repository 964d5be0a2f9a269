#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test. The last lines are CTest's own summary.
# Usage: scripts/test.sh [options of the last ctest ...]
# ROCE_TEST_VARIANTS chooses among (default: in-tree kernel release asan)
#   release   the suite, optimised, with the default compiler; with asan: without what asan runs and an optimised build
#             would only show again (most C++ tests, fuzzers)
#   asan      the suite with AddressSanitizer and UndefinedBehaviorSanitizer, with clang++ and little optimisation
#             (a build from nothing is without roce-release-tests, and only the module is instrumented)
#   in-tree   the module inside an ns-3 source tree (test/in-tree.sh), in build-ns3
#   kernel    the module without the systems of papers (build-kernel), and what its tests are then
#   tsan      ThreadSanitizer (build-tsan) over runs of 2 and 3 threads, golden and random: not by default, ten minutes more
# New build folders are made for a build from nothing (ROCE_COLD_BUILD of scripts/build.sh).
# The release suite compares results of the programs of both builds, byte for byte (ROCE_BUILD_VARIANTS names
# the build folders).
set -euo pipefail
source "$(dirname "$0")/help.sh"
cd "$(dirname "$0")/.."
root=$PWD
variants=${ROCE_TEST_VARIANTS:-in-tree kernel release asan}
jobs=$(nproc)
python=${ROCE_PYTHON:-/usr/bin/python3}
# A cache that holds nothing yet costs least when it does not preprocess each file first.
export CCACHE_DEPEND=${CCACHE_DEPEND:-1}

for variant in $variants; do
    case "$variant" in
    release | asan | in-tree | kernel | tsan) ;;
    *)
        echo "error: unknown variant '$variant' in ROCE_TEST_VARIANTS; known: release asan in-tree kernel tsan" >&2
        exit 2
        ;;
    esac
done
export ROCE_COLD_BUILD=${ROCE_COLD_BUILD:-ON}
has() { [[ " $variants " == *" $1 "* ]]; }

install_options=(--with-slurm --with-chromium)
if has in-tree; then
    install_options+=(--with-ns3-source)
fi
scripts/install.sh "${install_options[@]}"

# The build inside an ns-3 tree fills the cores while the other variants wait for a single long test.
in_tree=
if has in-tree; then
    mkdir -p build
    in_tree_log=$root/build/in-tree.log
    setsid nice -n 5 test/in-tree.sh >"$in_tree_log" 2>&1 &
    in_tree=$!
    trap '[ -z "$in_tree" ] || kill -- -"$in_tree" 2>/dev/null' EXIT
    echo "inside an ns-3 tree: building in the background, see $in_tree_log"
fi
finish_in_tree() {
    [ -n "$in_tree" ] || return 0
    local status=0
    wait "$in_tree" || status=$?
    in_tree=
    if [ "$status" -ne 0 ]; then
        cat "$in_tree_log"
        echo "error: test/in-tree.sh failed with status $status" >&2
        exit "$status"
    fi
    tail -n 1 "$in_tree_log"
}

if has tsan; then
    scripts/build.sh --tsan --target two-dc-leaf-spine --target two-dc-fat-tree
    ROCE_THREADS=2,3 "$python" -m pytest test/cli/threads.py --build=build-tsan
    ROCE_NETWORKS=40 ROCE_THREADS=2,3 ROCE_RANKS= "$python" -m pytest test/cli/parallel-networks.py --build=build-tsan
fi

if has kernel; then
    # Beside the other variants, which run the rest: whatever is compiled without systems, and its unit tests.
    kernel_targets=() kernel_tests=()
    if [ "$variants" != kernel ]; then
        kernel_targets=(--target roce-programs --target roce-unit-tests)
        kernel_tests=(-R '^unit[.]')
    fi
    scripts/build.sh --kernel "${kernel_targets[@]}"
    ctest --test-dir build-kernel --output-on-failure -j "$jobs" --no-tests=error "${kernel_tests[@]}"
fi

# Each in one suite only: comparisons of builds, Python, documentation, captures, replays, bad input, and C++ tests that go the same way
# very often (release_tests of test/CMakeLists.txt) in the release suite; fuzzers and the other C++ tests under sanitizers,
# which find more.
test_asan=(ctest --test-dir build-asan --output-on-failure -j "$jobs" --no-tests=error
    -E '^cli[.](determinism|documentation|chapters|ns3-versions|rooms|version|time-series|campaign.*|replay|wireshark|slurm|train-acc|own-project|other-python|regression|threads|mpi|mpi-machines|parallel-networks|bad-input|any-on-any|values|results|warnings)$')
if has asan; then
    scripts/build.sh --sanitize
    if ! has release; then
        finish_in_tree
        exec "${test_asan[@]}" "$@"
    fi
    "${test_asan[@]}"
fi

build_dirs=$root/build
if has asan; then
    build_dirs+=:$root/build-asan
fi

if has release; then
    release_targets=()
    if has asan; then
        release_targets=(--target roce-release-suite)
        set -- -E '^(unit|system|netanim|ns3|fuzz)[.]|_NOT_BUILT' "$@"
    fi
    scripts/build.sh "${release_targets[@]}"
    export ROCE_BUILD_VARIANTS=$build_dirs
    finish_in_tree
    exec ctest --test-dir build --output-on-failure -j "$jobs" --no-tests=error "$@"
fi
finish_in_tree
