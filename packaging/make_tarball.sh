#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A folder of Rondo that runs anywhere with this libc or a newer one, packed.  usage: packaging/make_tarball.sh BUILD [OUTPUT.tar.gz]
# BUILD is a built tree (build/release). Shared libraries come along, but for libc's own and those of MPI, which are the
# machine's. All paths in it are relative to the files, so that the unpacked folder may be moved.
set -eu
[ $# -ge 1 ] && [ -x "$1/bin/rondo" ] || { echo "usage: packaging/make_tarball.sh BUILD [OUTPUT.tar.gz]" >&2; exit 2; }
for tool in patchelf ldd tar; do
  command -v "$tool" >/dev/null || { echo "make_tarball.sh: needs $tool" >&2; exit 2; }
done
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name=rondo-$version-$(uname -m)
output=${2:-$build/$name.tar.gz}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/$name

cmake --install "$build" --prefix "$root" --strip >/dev/null
cp "$here/README.tarball" "$root/README"
python3 "$here/make_sbom.py" --build "$build" --version "$version" --output "$root/rondo.spdx.json"

# Libraries of libc and of MPI stay behind: the first goes with the kernel and the loader, the second with the network.
stays_behind() {
  case $1 in
    ld-linux*|linux-vdso*|libc.so.*|libm.so.*|libdl.so.*|libpthread.so.*|librt.so.*|libresolv.so.*|libutil.so.*|libnss_*|libanl.so.*) return 0 ;;
  esac
  return 1
}

libraries=$root/lib/rondo/libraries
mkdir -p "$libraries"
python_module=$(find "$root" -name '_rondo*.so')
modules=$(find "$root/lib/rondo" -name 'librondo_convert.so' -o -name 'librondo_simgrid.so') # loaded only when they are asked for
for file in "$root/bin/rondo" $python_module $modules; do
  ldd "$file" | sed -n 's/^[[:space:]]*\([^ ]*\) => \(\/[^ ]*\) .*/\1 \2/p' | while read -r soname path; do
    stays_behind "$soname" || [ -e "$libraries/$soname" ] || cp -L "$path" "$libraries/$soname"
  done
done
chmod u+w "$libraries"/*
for library in "$libraries"/*; do
  patchelf --set-rpath '$ORIGIN' "$library"
done
# Also what plays and measures with an MPI: its libstdc++ is ours, its MPI the machine's.
for file in "$root/bin/rondo" $python_module $modules "$root"/lib/rondo/rondo_*; do
  [ -e "$file" ] || continue
  up=$(dirname "$file" | sed "s|^$root/||; s|[^/][^/]*|..|g")
  patchelf --set-rpath "\$ORIGIN/$up/lib/rondo/libraries" "$file"
done

tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner -czf "$output" "$name"
echo "$output"
