# Short commands over CMake and Ninja. `make help` lists them.
#
#   XSCHED_PLATFORM         what is built: all, or folders of src/platform (a list with ;)
#   INSTALL_PATH            where `make install` puts it; DESTDIR counts as usual
#   JOBS                    how many jobs at a time
#   PROFILE, BUDGET, BENCH  of `make bench`: tiny, quick, full or published; seconds; more options of bench/suite.py
#   UNITS                   of `make tidy`: targets of CMake
#   FUZZ, SECONDS_EACH      of `make fuzz`: targets of tests/fuzz, and how long each runs
#   ONLY                    of `make matrix`: names of programs, with commas
#   CHECKS, TIMES           of `make real-rocm`: its checks, all of them if it is empty; preemptions for each way
#   PLATFORM, TEST          of `make acceptance`; STAND_IN=1: of HIP without its GPU, where there is one
XSCHED_PLATFORM ?= all
INSTALL_PATH ?= /usr/local
JOBS ?= $(shell nproc)
PROFILE ?= quick
PLATFORM ?= opencl
SECONDS_EACH ?= 20
# HIP's acceptance runs on stand-ins, which belong to the tests, where the kernel shows no AMD GPU or they are asked
# for. On real hardware nothing is installed that programs could take for the vendor's.
AMD_GPU = $(wildcard /dev/kfd)$(shell grep -lsvx 0 /sys/class/kfd/kfd/topology/nodes/*/gpu_id)
ON_STAND_IN = $(if $(filter hip,$(PLATFORM)),$(if $(STAND_IN),yes,$(if $(strip $(AMD_GPU)),,yes)))
ACCEPTANCE = $(if $(ON_STAND_IN),build/dev,$(RELEASE))
ACCEPTANCE_DEPS = build $(if $(ON_STAND_IN),run test,$(if $(filter opencl,$(PLATFORM)),run))
RELEASE = build/release$(if $(filter-out all,$(XSCHED_PLATFORM)),-$(subst ;,-,$(XSCHED_PLATFORM)))

# The demo that runs on this machine: to build everything takes twice as long.
DEMO = demo_opencl $(if $(wildcard /dev/nvidiactl /dev/dxg),demo_cuda) $(if $(wildcard /dev/kfd),demo_hip)

# A folder with a platform.json is a platform.
PLATFORMS = $(patsubst src/platform/%/platform.json,%,$(wildcard src/platform/*/platform.json))

.DEFAULT_GOAL := all
.PHONY: all $(PLATFORMS) install uninstall install_path demo bench acceptance stand_ins test test-all fresh sanitize
.PHONY: deb deb-arm64 rpm image wheel test-install abi asan tsan old ubsan protections real-rocm real-intel
.PHONY: real-kubernetes matrix fuzz lint tidy format clean help deps

all: ## build the libraries, xserver, xcli and the benchmarks
	@cmake --preset release -B $(RELEASE) -DXSCHED_PLATFORM="$(XSCHED_PLATFORM)" --log-level=WARNING > /dev/null
	@cmake --build $(RELEASE) -j $(JOBS)

$(PLATFORMS): ## the same for one platform; links in output/ and build/platforms/, where the documents look
	@$(MAKE) --no-print-directory all XSCHED_PLATFORM=$@
	@mkdir -p output build/platforms/$@
	@for part in bin lib; do ln -sfn ../build/release-$@/$$part output/$$part; done
	@ln -sfn ../include output/include
	@for so in hal$@.so hal$@.so.1 shim$@.so; do ln -sfn ../../release-$@/lib/lib$$so build/platforms/$@/; done
	@for so in preempt.so preempt.so.1; do ln -sfn ../../release-$@/lib/lib$$so build/platforms/$@/; done

install: install_path ## install to INSTALL_PATH, without debugging symbols
	@$(MAKE) --no-print-directory all
	@DESTDIR="$(DESTDIR)" cmake --install $(RELEASE) --prefix "$(INSTALL_PATH)" --strip

uninstall: install_path ## remove from INSTALL_PATH what was installed there
	@DESTDIR="$(DESTDIR)" cmake -DPREFIX="$(INSTALL_PATH)" -P cmake/uninstall/remove.cmake

install_path: # before anything is built for it
	@DESTDIR="$(DESTDIR)" scripts/check_install_path.sh "$(INSTALL_PATH)"

deps: ## install the Debian packages that are missing
	@scripts/install_deps.sh

demo: ## the main job: two programs share one accelerator, one is urgent; a table of what it gains
	@scripts/install_deps.sh build run
	@cmake --preset release -B $(RELEASE) -DXSCHED_PLATFORM="$(XSCHED_PLATFORM)" --log-level=WARNING > /dev/null
	@cmake --build $(RELEASE) -j $(JOBS) --target $(DEMO)
	@bench/demo.py --build $(RELEASE)

bench: ## the benchmark suite: tables, JSON and an HTML report (3 minutes; PROFILE=full BUDGET=SECONDS: everything)
	@scripts/install_deps.sh build run
	@$(MAKE) --no-print-directory all
	@$(if $(filter published,$(PROFILE)),bench/published.py,bench/suite.py --profile $(PROFILE)) --build $(RELEASE) \
	    $(if $(BUDGET),--budget $(BUDGET)) $(BENCH)

docs: ## a site of the documents in build/docs, which needs no server
	@scripts/install_deps.sh docs
	@tools/docs/site.py $(BUILD)/docs

acceptance: ## the requirements' test plan (PLATFORM=cuda, hip or opencl; TEST="2.1 P4": only these)
	@scripts/install_deps.sh $(ACCEPTANCE_DEPS)
	@$(MAKE) --no-print-directory $(if $(ON_STAND_IN),stand_ins,all)
	@tests/acceptance/run.py --build $(ACCEPTANCE) --platform $(PLATFORM) $(if $(STAND_IN),--stand-in) $(TEST)

stand_ins: # HIP's programs, and what they run on where no AMD GPU answers: it belongs to the tests
	@cmake --preset dev --log-level=WARNING > /dev/null
	@cmake --build build/dev -j $(JOBS) --target acceptance_hip_programs

test: ## everything that can be tested on this machine
	@scripts/install_deps.sh build run test
	@scripts/run_tests.py --jobs $(JOBS) dev

test-all: ## the same, and the long tests: storms and order checks with many more repetitions
	@scripts/install_deps.sh build run test
	@scripts/run_tests.py --jobs $(JOBS) dev:all

old: ## what an AMD user builds in a ROCm container of Ubuntu 22.04: HIP's libraries and the tools, with g++ 11
	@scripts/install_deps.sh build old
	@cmake --preset release -B build/old -DXSCHED_PLATFORM=hip -DXSCHED_BUILD_BENCH=OFF -DCMAKE_CXX_COMPILER=g++-11 \
	    -DCMAKE_C_COMPILER=gcc-11 --log-level=WARNING > /dev/null
	@cmake --build build/old -j $(JOBS)

deb: ## build Debian packages in build/deb
	@scripts/install_deps.sh build deb
	@scripts/make_deb.sh

deb-arm64: ## build and check Debian packages for arm64 in build/deb-arm64, in a Debian root of their own (needs root)
	@scripts/install_deps.sh fresh
	@tests/packages/cross_test.py --out build/deb-arm64 -v

rpm: deb ## build RPM packages in build/rpm, from the build of the Debian packages
	@scripts/install_deps.sh rpm
	@scripts/make_rpm.sh

image: deb ## build a container image with the server and the tools, build/image/xsched.tar
	@scripts/install_deps.sh image
	@scripts/make_image.sh

wheel: ## build the Python package with its libraries in build/wheel
	@scripts/install_deps.sh build wheel
	@/usr/bin/python3 -m pip -q wheel --no-index --no-build-isolation --no-deps --wheel-dir build/wheel ./python
	@ls -1 build/wheel/*.whl

test-install: rpm ## install the packages on machines of their own, boot, update and remove them (needs root)
	@scripts/install_deps.sh packaging
	@cmake --preset dev --log-level=WARNING > /dev/null
	@cmake --build build/dev -j $(JOBS) --target package_tests
	@tests/packages/run.py --debs build/deb --rpms build/rpm --build build/dev

abi: ## compare the C interface with that of the last release
	@scripts/install_deps.sh build abi
	@tools/abi/abi.py

fresh: ## make demo and make test in new Debian systems with cold caches, as root and as an ordinary user (needs root)
	@scripts/install_deps.sh fresh
	@scripts/fresh_machine.sh

sanitize: ## the tests on fake hardware under AddressSanitizer and UBSan, those with threads under ThreadSanitizer
	@scripts/install_deps.sh build run test
	@scripts/run_tests.py --jobs $(JOBS) asan:core tsan:threads

asan ubsan: ## all tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/run_tests.py --jobs $(JOBS) asan

tsan: ## all tests under ThreadSanitizer
	@scripts/run_tests.py --jobs $(JOBS) tsan

protections: ## the tests on links, pipes and other users with each of the kernel's protections (needs root)
	@scripts/install_deps.sh build run test
	@cmake --preset dev --log-level=WARNING > /dev/null
	@cmake --build build/dev -j $(JOBS) --target test_base test_ipc test_server test_cli
	@scripts/protections.py --build build/dev

real-intel: ## Level Zero and OpenCL on Intel's own drivers, which capture commands and execute none (fetches packages)
	@scripts/install_deps.sh build test
	@cmake --preset dev --log-level=WARNING > /dev/null
	@cmake --build build/dev -j $(JOBS) --target shimlevelzero shimopencl
	@tests/real_intel/run.py --build build/dev

real-rocm: ## HIP on AMD's runtimes 6.4 and 7.2 over an emulated kernel driver (needs root; fetches packages)
	@scripts/install_deps.sh build
	@cmake --preset dev --log-level=WARNING > /dev/null
	@cmake --build build/dev -j $(JOBS) --target shimhip xserver xcli probe_hip order_check_hip test_shim_hip \
		test_hip_system $(if $(filter acceptance,$(CHECKS)),demo_hip)
	@tests/real_rocm/run.py --build build/dev $(if $(TIMES),--times $(TIMES)) $(CHECKS)

real-kubernetes: ## the driver on a real kubelet and API server, which it fetches and builds (needs root)
	@scripts/install_deps.sh build deb
	@cmake --preset dev --log-level=WARNING > /dev/null
	@cmake --build build/dev -j $(JOBS) --target xsched-kubernetes xserver xcli guest fakecuda shimcuda
	@tests/real_kubernetes/run.py --build build/dev

matrix: ## real programs natively and under XSched in six ways, compared (ONLY="gegl,clpeak": these)
	@scripts/install_deps.sh build run matrix
	@$(MAKE) --no-print-directory all
	@tests/guest/matrix/run.py --build $(RELEASE) --out bench/results/matrix.json $(if $(ONLY),--only "$(ONLY)"); \
	    status=$$?; tests/guest/matrix/page.py && exit $$status

fuzz: ## libFuzzer on all that strangers write, under ASan and UBSan (SECONDS_EACH=600 FUZZ="slots http": longer, these)
	@scripts/install_deps.sh build fuzz
	@cmake --preset fuzz --log-level=WARNING > /dev/null
	@cmake --build --preset fuzz -j $(JOBS) --target $(if $(FUZZ),$(FUZZ:%=fuzz_%),fuzzers)
	@scripts/run_fuzzers.py --jobs $(JOBS) --seconds $(SECONDS_EACH) $(FUZZ)

lint: ## the rules of this tree: who may include whom, what libraries may need and export, layout
	@scripts/install_deps.sh format
	@scripts/run_tests.py --jobs $(JOBS) dev:lint

tidy: ## clang 19 and clang-tidy on every file of src/ and bench/ (UNITS="xserver xcli": on these targets' files)
	@scripts/install_deps.sh build test lint
	@cmake --preset tidy > /dev/null
	@cmake --build --preset tidy -j $(JOBS) $(if $(UNITS),--target $(UNITS))

format: ## clang-format on every C++ file
	@scripts/install_deps.sh format
	@for pass in 1 2; do git ls-files -co --exclude-standard -- '*.cpp' '*.h' | xargs clang-format-19 -i; done

clean: ## remove build/
	@rm -rf build

help: ## this list
	@sed -nE 's/^([a-z -]+|\$$\(PLATFORMS\)):.*## (.*)/  \1\t\2/p' $(MAKEFILE_LIST) | \
	    sed 's/\$$(PLATFORMS)/$(PLATFORMS)/' | expand -t 32
