#!/bin/bash
# Installs the Debian packages that are missing, and nothing else.
#
#   scripts/install_deps.sh [build] [run] [test] [lint] [format] [fuzz] [old] [fresh] [roots] [browser]
#                           [deb] [rpm] [image] [abi] [wheel] [packaging] [matrix] [docs]
#   default: build run test
#
# Debian's HIP is left out where there is ROCm's, or a GPU for it.
#
# Quick and silent when everything is there. Needs root or sudo only if something is missing.
set -euo pipefail

build=(
    cmake                 # 3.22 or later
    ninja-build           # what the Makefile builds with
    make                  # the short commands
    g++                   # 11 or later: C++20
    ccache                # used if present: builds again in seconds
    git                   # the version that results and --version name
    python3               # generators, lint, benchmark runners (standard library only)
    nlohmann-json3-dev    # xserver, xcli, xsim, bench: JSON
    libcli11-dev          # xserver, xcli, xsim: command lines
    libncurses-dev        # xcli: top on a terminal
    libtomlplusplus-dev   # xserver, xcli: configuration; xsim: workloads
    opencl-headers        # the OpenCL device and shim
    ocl-icd-opencl-dev    # the OpenCL loader
    libvulkan-dev         # Vulkan's loader and headers: the Vulkan device and shim
)
run=(
    pocl-opencl-icd       # OpenCL on the CPU: the demo, the benchmarks, the tests on a real driver
)
test=(
    libgtest-dev          # GoogleTest
    mesa-vulkan-drivers   # lavapipe, Vulkan on the CPU
    vulkan-validationlayers # what Khronos says about the calls below our layer
    vulkan-tools          # vkcube
    libvkd3d-dev          # Direct3D 12 over Vulkan: a program of the tests
    libze-dev             # Level Zero's headers: the stand-in for its driver, and its tests
    libamdhip64-dev       # HIP's own library and headers: the shim above it, though no device answers
    clinfo                # third-party programs that must behave the same under the shim
    clpeak
    hashcat
    python3-pyopencl
    python3-numpy
    binutils              # nm, readelf: what guest libraries need and export
    pkgconf               # pkg-config: what an installed example builds with
    xvfb                  # an X11 display without a screen: xcli windows; its test is skipped without
    x11-utils             # xprop, which that asks
    zsh                   # shells whose jobs xcli run is: tests/guest/terminal_test.py
    fish
    musl-tools            # programs of another C library: xcli run's tests
    abigail-tools         # abidiff: make abi
    python3-prometheus-client # reads what xcli metrics prints
)
lint=(
    clang-19              # the tidy preset's compiler
    clang-tidy-19         # make tidy
    lld-19                # with clang-19: kernels for AMD GPUs (cmake/amd_code.cmake)
)
format=(
    clang-format-19       # make format, make lint
)
fuzz=(
    clang-19              # make fuzz: libFuzzer
    libclang-rt-19-dev    # and its sanitizers
    llvm-19               # llvm-symbolizer: names in their reports
)
old=(
    g++-11                # make old: Ubuntu 22.04's compiler, which ROCm's containers have
)
fresh=(
    debootstrap           # scripts/fresh_machine.sh: a new Debian in a folder
)
roots=(
    debootstrap           # programs of other Debian versions: tests/guest/roots_test.py
    g++-aarch64-linux-gnu # guest libraries for arm64: tests/guest/arm64_test.py
    qemu-user-static      # which runs them
)
deb=(
    debhelper             # make deb
    dh-python
    dpkg-dev
    fakeroot
    lintian               # and what Debian says about the result
    libslurm-dev          # the plugin for Slurm
    libgrpc++-dev         # the driver for Kubernetes, with libcurl
    libprotobuf-dev
    protobuf-compiler
    protobuf-compiler-grpc
    libcurl4-openssl-dev
    python3-grpcio        # and its stand-in of kubelet
    python3-protobuf
    python3-yaml          # and reads the manifests
    debootstrap           # tests/packages: machines to install them on
)
abi=(
    abigail-tools         # make abi
)
rpm=(
    rpm                   # make rpm
)
image=(
    buildah               # make image
)
wheel=(                   # make wheel; with Debian's Python, from which pip needs no network
    python3-pip
    python3-setuptools
    python3-wheel
    python3-venv          # and to try it
)
packaging=(               # make test-install, beside what deb has
    prometheus            # promtool, which checks what xcli metrics prints
    abigail-tools rpm buildah
    python3-pip python3-setuptools python3-wheel python3-venv
)
browser=(
    chromium              # the test of xcli web's page; it is skipped without
    chromium-driver
    nodejs                # the test of who takes the port next; it is skipped without
)
docs=(
    python3-markdown      # make docs
)
matrix=(                  # other people's programs, and what clients in other languages need: make matrix
    clinfo clpeak hashcat python3-pyopencl python3-numpy
    python3-opencv gegl darktable imagemagick libreoffice-calc ffmpeg
    libufo-bin ufo-filters ufo-filters-data python3-pyfai python3-silx
    starpu-examples clblast-tests clfft-client python3-gpyfft oclgrind
    ruby luajit php-cli sbcl erlang-base erlang-cl nodejs npm golang-go rustc
    libboost-dev libviennacl-dev libvkfft-dev libclblast-dev
)

if [[ $# -eq 0 ]]; then set -- build run test; fi
wanted=()
for group in "$@"; do
    case "$group" in
        build | run | test | lint | format | fuzz | old | fresh | roots | deb | rpm | image | abi | wheel | \
            packaging | browser | matrix | docs)
            declare -n packages=$group
            wanted+=("${packages[@]}")
            ;;
        *)
            echo "install_deps.sh: \"$group\" is no group of packages: use build, run, test, lint, format, fuzz," \
                "old, fresh, roots, deb, rpm, image, abi, wheel, packaging, browser, matrix or" \
                "docs" >&2
            exit 2
            ;;
    esac
done

# Beside ROCm's own, programs would find Debian's runtime, which has no device.
if [[ -e /dev/kfd || -e /opt/rocm ]]; then
    for i in "${!wanted[@]}"; do
        if [[ ${wanted[i]} == libamdhip64-dev ]]; then unset "wanted[$i]"; fi
    done
    wanted=("${wanted[@]}")
fi

# A nodejs from elsewhere brings its npm along, and is refused by Debian's.
if command -v npm > /dev/null; then
    for i in "${!wanted[@]}"; do
        if [[ ${wanted[i]} == npm ]]; then unset "wanted[$i]"; fi
    done
    wanted=("${wanted[@]}")
fi

if ! command -v dpkg-query > /dev/null; then
    echo "install_deps.sh: this is no Debian system; install what is missing of: ${wanted[*]}" >&2
    exit 0
fi

missing=()
for package in "${wanted[@]}"; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null || true)
    if [[ $status != installed ]]; then missing+=("$package"); fi
done
if [[ ${#missing[@]} -eq 0 ]]; then exit 0; fi

as_root=()
if [[ $EUID -ne 0 ]]; then
    # Without a terminal sudo could not ask for a password: it must work without one.
    if command -v sudo > /dev/null && { [[ -t 0 ]] || sudo -n true 2> /dev/null; }; then
        as_root=(sudo)
    else
        echo "install_deps.sh: packages are missing and this user cannot install them; have an administrator run:" >&2
        echo "    apt-get install --no-install-recommends ${missing[*]}" >&2
        exit 1
    fi
fi

echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" > /dev/null; }
if ! { apt update && apt install -y --no-install-recommends "${missing[@]}"; }; then
    echo "install_deps.sh: apt could not install: ${missing[*]}" >&2
    echo "    its own message is above; correct what it says and run this again" >&2
    exit 1
fi
