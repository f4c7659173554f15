#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs Debian packages that are not there yet.  usage: tools/install_packages.sh build|demo|test|fuzz|package|peers ...
set -eu

build="g++ cmake ninja-build pkg-config python3 binutils libfmt-dev libexpected-dev libcli11-dev nlohmann-json3-dev
  libflatbuffers-dev flatbuffers-compiler libzstd-dev zlib1g-dev libarchive-dev libxxhash-dev libcairo2-dev libeigen3-dev libdw-dev
  libtbb-dev libsimgrid-dev libotf2-trace-dev libprotobuf-dev protobuf-compiler libkainjow-mustache-dev libopenmpi-dev openmpi-bin libmpich-dev mpich pybind11-dev python3-dev python3-numpy nodejs npm esbuild"
demo="lammps"
test="gfortran make libgtest-dev libgmock-dev libbenchmark-dev libnauty2-dev clang-format-14 lammps hpcc zstd git python3 valgrind python3-mpi4py
  quantum-espresso quantum-espresso-data util-linux petsc-dev chromium otf2-tools python3-otf2 zsh fish man-db"

fuzz="clang libclang-rt-14-dev"
package="dpkg-dev lintian patchelf file gzip tar python3-build python3-pip"
peers="libbliss-dev libboost-graph-dev"

packages=""
for set in "$@"; do
  case $set in
    build) packages="$packages $build" ;;
    demo) packages="$packages $demo" ;;
    test) packages="$packages $test" ;;
    fuzz) packages="$packages $fuzz" ;;
    package) packages="$packages $package" ;;
    peers) packages="$packages $peers" ;;
    *) echo "install_packages.sh: no set of packages is called '$set'" >&2; exit 2 ;;
  esac
done

missing=""
for package in $packages; do
  case $package in
    nodejs) command -v node >/dev/null && continue ;; # other packages of these have other names, and may not go together with Debian's
    npm | esbuild) command -v "$package" >/dev/null && continue ;;
  esac
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "install ok installed" || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

sudo=""
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "install_packages.sh: needs root or sudo to install:$missing" >&2; exit 2; }
  sudo="sudo"
fi
echo "Installing:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
# shellcheck disable=SC2086
$sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
