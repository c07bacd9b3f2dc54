#!/bin/bash
# Builds the Debian packages of this tree, uncommitted changes included, in build/deb: *.deb and *.buildinfo, and
# slurm/*.deb for machines with Slurm, kubernetes/*.deb for nodes of a cluster.
#
# Needs the packages of `scripts/install_deps.sh build deb`. DEB_BUILD_OPTIONS counts, as for dpkg-buildpackage.
# Packages for arm64: `make deb-arm64`.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly place=build/deb
rm -rf "$place/source"
mkdir -p "$place/source"
# What git knows or would take: no build of this tree, nobody's settings.
git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from=- | tar -x -C "$place/source"
rm -f "$place"/*.deb "$place"/{slurm,kubernetes}/*.deb "$place"/*.changes "$place"/*.buildinfo
cd "$place/source"
export DEB_BUILD_OPTIONS="parallel=$(nproc) ${DEB_BUILD_OPTIONS:-}"
dpkg-buildpackage -us -uc -b > ../build.log 2>&1 || {
    tail -40 ../build.log >&2
    echo "make_deb.sh: dpkg-buildpackage failed; all of its output is in $place/build.log" >&2
    exit 1
}
# Two need Slurm or a cluster: folders of their own, so that build/deb/*.deb is for every machine.
for part in slurm kubernetes; do
    mkdir -p "../$part"
    mv "../xsched-$part"*.deb "../$part"
done
ls -1 ../*.deb ../slurm/*.deb ../kubernetes/*.deb
