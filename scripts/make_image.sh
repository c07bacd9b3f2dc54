#!/bin/bash
# Builds a container image with the server, the tools and the driver for Kubernetes, in build/image/xsched.tar, from the
# Debian packages.
#
#   scripts/make_image.sh [DEBS]     DEBS: the folder of the packages; the default is that of `make deb`
#
# The image has no distribution in it: the packages' files, and the libraries that their programs need. No container
# runs for it, and the network is not used. Needs the packages of `scripts/install_deps.sh image`.
set -euo pipefail
cd "$(dirname "$0")/.."
debs=$(realpath "${1:-build/deb}")
readonly place=$PWD/build/image
readonly root=$place/root
rm -rf "$place"
mkdir -p "$root/etc" "$root/run" "$root/tmp"
chmod 1777 "$root/tmp"
for package in libxsched1 xsched-shims xsched xsched-server kubernetes/xsched-kubernetes; do
    files=("$debs/${package}"_*.deb)
    if [[ ! -e ${files[0]} ]]; then
        echo "make_image.sh: $debs has no $package: run make deb first, or name the folder of the packages" >&2
        exit 2
    fi
    dpkg-deb --fsys-tarfile "${files[0]}" | tar -x -C "$root" --exclude=./usr/share --exclude=./lib \
        --exclude=./usr/lib/systemd
done
# The users that the server may name.
echo "root:x:0:0:root:/:/bin/false" > "$root/etc/passwd"
printf 'root:x:0:\nxsched:x:999:\n' > "$root/etc/group"
# Each library at its path, of which the linker's own is fixed in the programs.
LD_LIBRARY_PATH=$(dirname "$root"/usr/lib/*/libpreempt.so.1) ldd "$root"/usr/bin/* | grep -oE '/[^ ]+' | sort -u |
    grep -v -e ':$' -e "^$root" | while read -r library; do
    install -D -m 755 "$(realpath "$library")" "$root$library"
done

buildah() { command buildah --root "$place/storage" --runroot "$place/run" --storage-driver vfs "$@"; }
version=$(dpkg-deb -f "$debs"/xsched_*.deb Version)
container=$(buildah from scratch)
buildah copy --quiet "$container" "$root" / > /dev/null
buildah config --cmd '["/usr/bin/xserver", "--system"]' --env PATH=/usr/bin \
    --label org.opencontainers.image.title=xsched --label "org.opencontainers.image.version=$version" "$container"
buildah commit --quiet "$container" "xsched:$version" > /dev/null
buildah push --quiet "xsched:$version" "oci-archive:$place/xsched.tar:xsched:$version"
rm -rf "$place/storage" "$place/run" "$root"
ls -1 "$place/xsched.tar"
