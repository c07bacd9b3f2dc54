#!/bin/bash
# Builds RPM packages in build/rpm, from the installed tree of a build.
#
#   scripts/make_rpm.sh [BUILD]     BUILD: a complete build; the default is that of `make deb`
#
# Needs the packages of `scripts/install_deps.sh build rpm`.
set -euo pipefail
cd "$(dirname "$0")/.."
builds=(build/deb/source/obj-*)
build=$(realpath "${1:-${builds[0]}}")
if [[ ! -e $build/CMakeCache.txt ]]; then
    echo "make_rpm.sh: $build is no folder of a build: run make deb first, or name one" >&2
    exit 2
fi
readonly place=$PWD/build/rpm
libdir=$(sed -n 's/^CMAKE_INSTALL_LIBDIR:[A-Z]*=//p' "$build/CMakeCache.txt")
python=$(sed -n 's/^XSCHED_PYTHON_INSTALL_DIR:[A-Z]*=//p' "$build/CMakeCache.txt")
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
rm -rf "$place"
mkdir -p "$place"
rpmbuild -bb packaging/rpm/xsched.spec --define "_topdir $place/work" --define "_rpmdir $place" \
    --define "_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm" --define "_prefix /usr" \
    --define "xsched_version $version" --define "xsched_build $build" --define "xsched_libdir $libdir" \
    --define "xsched_python $python" --define "xsched_source $PWD" > "$place/build.log" 2>&1 || {
    tail -40 "$place/build.log" >&2
    echo "make_rpm.sh: rpmbuild failed; all of its output is in $place/build.log" >&2
    exit 1
}
rm -rf "$place/work"
ls -1 "$place"/*.rpm
