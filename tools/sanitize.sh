#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the command line, the readers and the unit tests with ASan and UBSan and runs those that need no MPI: unit tests, the
# corpora of the fuzz targets, and all commands on hostile and changed archives.
#   tools/sanitize.sh [gcc|clang]    (default: clang)
# The recorder runs inside other programs: valgrind watches it (tests/survival).
set -eu
cd "$(dirname "$0")/.."
case "${1:-clang}" in
  gcc) preset=asan packages="" ;;
  clang) preset=asan-clang packages=fuzz ;;
  *) echo "usage: tools/sanitize.sh [gcc|clang]" >&2; exit 2 ;;
esac
# shellcheck disable=SC2086
tools/install_packages.sh build test $packages
launcher=""
command -v ccache >/dev/null && launcher="-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
# shellcheck disable=SC2086
cmake --preset "$preset" $launcher >/dev/null
cmake --build --preset "$preset" --target sanitized
# What MPI leaves to the end of the process is not ours to free.
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
exec ctest --preset "$preset" -j "$(nproc)" --repeat until-pass:2 -L 'unit|hostile' -E '^check[.]'
