#!/usr/bin/env bash
# Configures and builds. Programs are then in BUILD_DIR/bin.
# Usage: scripts/build.sh [--debug|--sanitize|--tsan|--clang|--kernel] [BUILD_DIR] [options of cmake --build ...]
#   (none)      Release with the default compiler, in build
#   --debug     no optimisation, ns-3 assertions on, in build-debug
#   --sanitize  clang++ with AddressSanitizer and UndefinedBehaviorSanitizer, assertions on, warnings are errors, in build-asan
#   --tsan      ThreadSanitizer, little optimisation, in build-tsan: for roce-system-tests and programs with --threads
#   --clang     clang++ without optimisation, assertions on, warnings are errors, in build-clang
#   --kernel    Debug without the systems of papers (-DROCE_SYSTEMS=), in build-kernel
# ROCE_COLD_BUILD=ON makes a new BUILD_DIR one that costs least from nothing (precompiled headers and more, see
# scripts/cmake/ColdBuild.cmake); without it, changed files cost least.
# ROCE_NS3 is the prefix of another ns-3 than Debian's, for example of scripts/build-ns3.sh; give it a BUILD_DIR of its own.
set -euo pipefail
source "$(dirname "$0")/help.sh"
root=$(cd "$(dirname "$0")/.." && pwd)

strict=-DCMAKE_COMPILE_WARNING_AS_ERROR=ON # not in builds of users, whose compiler may be newer and warn of more
declare -A variants=(
    [--debug]="build-debug -DCMAKE_BUILD_TYPE=Debug"
    [--sanitize]="build-asan -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=clang++ $strict -DROCE_SANITIZE=ON"
    [--tsan]="build-tsan -DCMAKE_BUILD_TYPE=Release -DROCE_SANITIZE_THREADS=ON"
    [--clang]="build-clang -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=clang++ $strict"
    [--kernel]="build-kernel -DCMAKE_BUILD_TYPE=Debug -DROCE_SYSTEMS="
)
variant="build -DCMAKE_BUILD_TYPE=Release"
if [ $# -gt 0 ] && [ -n "${variants[$1]:-}" ]; then
    variant=${variants[$1]}
    shift
fi
read -r folder options <<<"$variant"
build_dir=$root/$folder
read -ra configure <<<"$options"
if [ $# -gt 0 ] && [[ $1 != -* ]]; then
    build_dir=$1
    shift
fi

if [ -n "${ROCE_NS3:-}" ]; then
    config=$(find -L "$ROCE_NS3"/lib* -maxdepth 4 -name ns3Config.cmake -printf '%h\n' -quit 2>/dev/null || true)
    if [ -z "$config" ]; then
        echo "error: ROCE_NS3=$ROCE_NS3 holds no ns3Config.cmake; expected the prefix of an installed ns-3" >&2
        exit 2
    fi
    configure+=("-Dns3_DIR=$config")
fi

# Else ccache leaves out whatever uses precompiled headers.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}

# An existing folder keeps its generator, its compiler launcher and whether it is a cold build.
if [ ! -e "$build_dir/CMakeCache.txt" ]; then
    configure+=(-G Ninja)
    if command -v ccache >/dev/null; then
        configure+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    fi
    configure+=(-DROCE_COLD_BUILD="${ROCE_COLD_BUILD:-OFF}")
fi

cmake -S "$root" -B "$build_dir" "${configure[@]}"
cmake --build "$build_dir" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" "$@"
