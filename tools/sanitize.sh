#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the command line, the readers and the unit tests with ASan and UBSan and runs those that need no MPI: unit tests, the
# corpora of the fuzz targets, and all commands on hostile and changed archives.
#   tools/sanitize.sh [gcc|clang] [all|readers]    (default: clang all)
# readers: the command line, the unit tests of what reads files, the corpora, and fewer changed archives; half the work.
# The recorder runs inside other programs: valgrind watches it (tests/survival).
set -eu
cd "$(dirname "$0")/.."
case "${1:-clang}" in
  gcc) preset=asan packages="" ;;
  clang) preset=asan-clang packages=fuzz ;;
  *) echo "usage: tools/sanitize.sh [gcc|clang] [all|readers]" >&2; exit 2 ;;
esac
case "${2:-all}" in
  all) target=sanitized choice="-L unit|hostile" ;;
  readers)
    target=sanitized_readers choice="-R ^fuzz[.]|^hostile[.]sweep$|^(base|trace|archive|archive_corpus|part_files|convert|otf2|matrix)_test$"
    export RONDO_TEST_MUTANTS=6 ;;
  *) echo "usage: tools/sanitize.sh [gcc|clang] [all|readers]" >&2; exit 2 ;;
esac
# shellcheck disable=SC2086
tools/install_packages.sh build test $packages
launcher=""
command -v ccache >/dev/null && launcher="-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
# As ./test does: a first build takes less time with more sources at once.
batches=""
[ -e "build/$preset/CMakeCache.txt" ] || batches="-DCMAKE_UNITY_BUILD_BATCH_SIZE=100"
# shellcheck disable=SC2086
cmake --preset "$preset" $launcher $batches >/dev/null
cmake --build --preset "$preset" --target "$target"
# What MPI leaves to the end of the process is not ours to free.
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
# Two words: an option and its pattern, which has no spaces.
# shellcheck disable=SC2086
exec ctest --preset "$preset" -j "$(nproc)" --repeat until-pass:2 $choice -E '^check[.]'
