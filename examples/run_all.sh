#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs every example at all rank counts it takes, and once at one that it must refuse. Says which run failed, with what
# it printed, and stops there with exit status 1.
#   examples/run_all.sh openmpi|mpich BUILD_DIR
set -u

if [ $# -ne 2 ]; then
  echo "usage: $0 openmpi|mpich BUILD_DIR" >&2
  exit 2
fi
mpi=$1
programs=$2/examples/$mpi
yield=$(realpath "$2")/lib/libmpich_yield.so
if [ ! -d "$programs" ]; then
  echo "$0: no folder $programs; build the target examples first" >&2
  exit 2
fi

run() { # ranks program
  case $mpi in
    openmpi) timeout 60 mpirun.openmpi --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1 -n "$1" "$2" ;;
    mpich) timeout 60 mpirun.mpich -n "$1" -genv LD_PRELOAD "$yield" "$2" ;;
    *) echo "unknown MPI $mpi" >&2; return 2 ;;
  esac
}

fail() { # ranks name reason output
  printf 'FAILED: %s, %s, %s ranks: %s\n%s\n' "$mpi" "$2" "$1" "$3" "$4" >&2
  exit 1
}

expect_ok() { # name rank-counts...
  name=$1
  shift
  for ranks; do
    output=$(run "$ranks" "$programs/$name" 2>&1)
    status=$?
    [ $status -eq 0 ] || fail "$ranks" "$name" "exit status $status" "$output"
    case $output in
      "$name: ok, $ranks ranks"*) echo "$output" ;;
      *) fail "$ranks" "$name" "does not say ok" "$output" ;;
    esac
  done
}

expect_refusal() { # name ranks
  output=$(run "$2" "$programs/$1" 2>&1)
  status=$?
  [ $status -eq 2 ] || fail "$2" "$1" "expected exit status 2, came $status" "$output"
  case $output in
    *"$1: needs "*", not $2"*) echo "$1: refuses $2 ranks" ;;
    *) fail "$2" "$1" "does not say what it needs" "$output" ;;
  esac
}

for name in ring halo2d halo3d butterfly mixed wavefront workers rowscols persistent neighbors irregular collectives \
  twin_c twin_mpif twin_usempi twin_f08; do
  expect_ok $name 1 2 3 4 6 8 9 16
done
for name in transpose vcycle; do
  expect_ok $name 1 2 4 8 16
  expect_refusal $name 6
done
expect_ok multipartition 1 4 9 16
expect_refusal multipartition 6
echo "all examples: ok under $mpi"
