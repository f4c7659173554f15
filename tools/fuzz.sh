#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Looks for inputs that break a reader, with libFuzzer under ASan and UBSan.
#   tools/fuzz.sh TARGET SECONDS [LIBFUZZER OPTION ...]
# TARGET is a file of tests/fuzz without _fuzz.cpp (csv, archive, ...). New inputs are kept in build/fuzz/corpus/TARGET; what
# breaks is left as build/fuzz/found/TARGET-*: mend the cause, then add the input to tests/data/fuzz/TARGET.
set -eu
cd "$(dirname "$0")/.."
if [ $# -lt 2 ] || [ ! -f "tests/fuzz/$1_fuzz.cpp" ]; then
  echo "usage: tools/fuzz.sh TARGET SECONDS; targets:" tests/fuzz/*_fuzz.cpp | sed 's,tests/fuzz/,,g; s,_fuzz.cpp,,g' >&2
  exit 2
fi
target=$1 seconds=$2
shift 2
tools/install_packages.sh build test fuzz
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target "${target}_fuzz"
mkdir -p "build/fuzz/corpus/$target" build/fuzz/found
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
exec "build/fuzz/bin/${target}_fuzz" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
  -artifact_prefix="build/fuzz/found/$target-" "$@" "build/fuzz/corpus/$target" "tests/data/fuzz/$target"
