#!/usr/bin/env bash
# Proves that the module works inside an ns-3 source tree: puts it into contrib/ and the programs into scratch/, builds
# them and what they need, with ns-3's warnings as errors, and runs `./test.py -s roce`, the examples, and
# `./ns3 run` of every golden run, whose flow completion times must be those of the repository's own build, byte for
# byte. The tree's configuration is replaced.
# Usage: test/in-tree.sh [--copy] [--profile=debug|release|optimized] [--jobs=N] [NS3_TREE]
#   NS3_TREE   the top folder of an ns-3 source tree (holds test.py and contrib/); without it, Debian's source package is
#              unpacked in build-ns3 (scripts/fetch-ns3.sh)
#   --copy     copies instead of links
set -euo pipefail
source "$(dirname "$0")/../scripts/help.sh"
root=$(cd "$(dirname "$0")/.." && pwd)
usage="usage: test/in-tree.sh [--copy] [--profile=debug|release|optimized] [--jobs=N] [NS3_TREE]"

mode="link"
profile=debug
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
tree=
for option in "$@"; do
    case "$option" in
    --copy) mode=copy ;;
    --profile=debug | --profile=release | --profile=optimized) profile=${option#*=} ;;
    --jobs=[1-9]*) jobs=${option#*=} ;;
    -*)
        echo "error: unknown option $option; $usage" >&2
        exit 2
        ;;
    *)
        if [ -n "$tree" ] || [ ! -f "$option/test.py" ] || [ ! -d "$option/contrib" ]; then
            echo "error: $option is not the top folder of one ns-3 source tree (test.py, contrib/); $usage" >&2
            exit 2
        fi
        tree=$(cd "$option" && pwd)
        ;;
    esac
done
# Nobody debugs in a tree of our own, and a debug build without debug information takes a quarter less. Each file of the module
# compiles by itself here, and not in the other builds from nothing.
more=()
if [ -z "$tree" ]; then
    tree=$("$root/scripts/fetch-ns3.sh")
    more=(-- -DCMAKE_CXX_FLAGS_DEBUG=)
fi
cd "$tree"

# What an earlier call has put there goes (a list names the copies), nothing else does.
copied=contrib/.roce-copied
find contrib scratch -maxdepth 1 -lname "$root/*" -delete
if [ -f "$copied" ]; then
    xargs -r -d '\n' rm -rf <"$copied"
    rm "$copied"
fi
for source in "$root/contrib/roce" "$root"/scratch/*.cc; do
    target=${source#"$root/"}
    if [ -e "$target" ] || [ -L "$target" ]; then
        echo "error: $tree/$target exists and does not come from $root; move it away first" >&2
        exit 1
    fi
    if [ "$mode" = link ]; then
        ln -s "$source" "$target"
    else
        echo "$target" >>"$copied"
        cp -R "$source" "$target"
    fi
done

# The program of chapter howto/sockets.
patch -s -o scratch/tcp-bulk-send-roce.cc examples/tcp/tcp-bulk-send.cc "$root/contrib/roce/doc/howto/tcp-bulk-send.diff"
echo scratch/tcp-bulk-send-roce.cc >>"$copied"

# Only this module's examples, one of which needs ns-3's applications, and tests: those of core and network take longer
# than all the rest. The same completion times to the last digit need the floating-point rule of the repository's own
# build in ns-3, too.
CXXFLAGS="${CXXFLAGS:-} -ffp-contract=off" ./ns3 configure -d "$profile" --enable-tests --enable-examples \
    "--enable-modules=roce;applications" --filter-module-examples-and-tests=roce "${more[@]}"
./ns3 build -j "$jobs"
./ns3 run --no-build "tcp-bulk-send-roce --maxBytes=1000000" | grep -x 'Total Bytes Received: 1000000'

./test.py --no-build -s roce
./test.py --no-build -c example

# The tests of the repository's own programs, with programs that are `./ns3 run`.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
for source in contrib/roce/examples/*.cc "$root"/scratch/*.cc; do
    program=$(basename "$source" .cc)
    # ns3 adds a line of its own when a program fails.
    cat >"$work/bin/$program" <<END
#!/usr/bin/env bash
set -o pipefail
"$tree/ns3" run --no-build --cwd="\$PWD" $program -- "\$@" | sed "/^Command '.*' returned non-zero exit status/d"
END
    chmod +x "$work/bin/$program"
done
python=${ROCE_PYTHON:-/usr/bin/python3}
"$python" -m pytest "$root/test/cli/golden.py" --build="$work"
"$python" -m pytest "$root/test/cli/examples.py" --build="$work"
echo "the module works in $tree ($mode, $profile)"
