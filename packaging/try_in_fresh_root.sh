#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs Rondo in a Debian 12 root that holds nothing else (debootstrap), and uses it there. Root only; needs the network.
#   packaging/try_in_fresh_root.sh packages BUILD      cpack's packages of this build folder: apt, record, topology, Python, report
#   packaging/try_in_fresh_root.sh quickstart          the sources that are committed: ./quickstart, with the time it takes
#   packaging/try_in_fresh_root.sh devcontainer        the same sources: what .devcontainer/ runs once its container is there
#   packaging/try_in_fresh_root.sh image               the same sources: containers/Dockerfile by buildah, with that root as its base
set -eu
usage() { sed -n 's/^#   /  /p' "$0" >&2; exit 2; }
source=$(cd "$(dirname "$0")/.." && pwd)
case "${1:-}" in
  packages) [ $# = 2 ] && [ -f "$2/CPackConfig.cmake" ] || usage; build=$(cd "$2" && pwd) ;;
  quickstart | devcontainer | image) [ $# = 1 ] || usage ;;
  *) usage ;;
esac
for tool in debootstrap git cpack $([ "$1" != image ] || echo buildah); do
  command -v "$tool" >/dev/null || { echo "try_in_fresh_root.sh: $tool is missing" >&2; exit 2; }
done
[ "$(id -u)" = 0 ] || { echo "try_in_fresh_root.sh: only root may make a root" >&2; exit 2; }

folder=$(mktemp -d "${TMPDIR:-/tmp}/rondo-root.XXXXXX")
root=$folder/root
leave() {
  for mount in dev/pts dev/shm dev sys proc; do
    ! mountpoint -q "$root/$mount" || umount "$root/$mount"
  done
  rm -rf --one-file-system "$folder"
}
trap leave EXIT
trap 'exit 130' INT TERM

# The archive and the settings (a proxy, say) that this machine's apt uses.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' | head -n 1)
debootstrap --variant=minbase bookworm "$root" "${mirror:?this machine\'s apt knows no bookworm}" >"$folder/debootstrap.log" 2>&1 ||
  { tail -n 5 "$folder/debootstrap.log" >&2; exit 1; }
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
# Where the network has a certificate of its own, npm has to know it.
cp /etc/ssl/certs/ca-certificates.crt "$root/certificates.crt"
echo cafile=/certificates.crt >"$root/root/.npmrc"
if [ "$1" = image ]; then
  export BUILDAH_ISOLATION=chroot
  base=$(buildah from scratch)
  buildah add -q "$base" "$root" / >/dev/null
  buildah commit -q --rm "$base" docker.io/library/debian:bookworm >/dev/null
  mkdir "$folder/sources"
  git -C "$source" archive HEAD | tar -x -C "$folder/sources"
  buildah build --pull-never --network host -f packaging/containers/Dockerfile -t rondo "$folder/sources"
  run=$(buildah from --pull-never localhost/rondo)
  buildah run --network host "$run" -- sh -euxc 'rondo --version
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    program=$(dpkg -L rondo | grep rondo_calibrate_openmpi) # the one MPI program that is there
    rondo record -o /tmp/run.rondo -- mpirun --oversubscribe -n 2 "$program" /tmp/measured
    rondo topology /tmp/run.rondo
    rondo report -o /tmp/run.html /tmp/run.rondo
    python3 -c "import rondo; print(rondo.open(\"/tmp/run.rondo\").matrix().dense().tolist())"'
  buildah rm "$run" >/dev/null
  exit
fi
mount --bind /dev "$root/dev"
mount --bind /dev/pts "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"
mount --bind /sys "$root/sys"
mount -t proc proc "$root/proc"
inside() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ${http_proxy:+http_proxy="$http_proxy"} \
    ${https_proxy:+https_proxy="$https_proxy"} chroot "$root" "$@"
}

if [ "$1" != packages ]; then
  mkdir "$root/rondo"
  git -C "$source" archive HEAD | tar -x -C "$root/rondo"
  command=./quickstart
  [ "$1" = quickstart ] || command=$(sed -n 's/^ *"postCreateCommand": "\(.*\)",$/\1/p' "$root/rondo/.devcontainer/devcontainer.json")
  inside bash -c "cd /rondo && time { $command; }"
  exit
fi

mkdir "$root/packages"
(cd "$folder" && cpack -G DEB --config "$build/CPackConfig.cmake" -B "$root/packages" >/dev/null)
rm -rf "$root/packages/_CPack_Packages"
cp "$build/examples/openmpi/ring" "$root/packages/"
inside apt-get update -qq
inside sh -c 'apt-get install -y -qq --no-install-recommends /packages/*.deb openmpi-bin >/dev/null'
inside sh -euxc 'cd /root
  rondo --version
  rondo record -o ring.rondo -- mpirun --oversubscribe -n 4 /packages/ring
  rondo topology ring.rondo
  rondo report -o ring.html ring.rondo
  ls -l ring.rondo ring.html
  python3 -c "import rondo; t = rondo.open(\"ring.rondo\"); print(t.ranks, t.matrix().dense().tolist())"'
