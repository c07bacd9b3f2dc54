# What the examples' Makefiles share: make cuda, make hip, make opencl, make clean. An example sets APP, its program,
# and LINK_XSCHED=1 if the program calls XSched.
#
#   XSCHED_PATH   where XSched is installed (its prefix); unless it is set, the installation that this folder belongs
#                 to, or in XSched's own tree that tree's headers and build/release
#   CUDA_PATH     where the CUDA toolkit is (cuda.h and the stub of libcuda.so); nvcc is not needed
HERE := $(dir $(lastword $(MAKEFILE_LIST)))
INSTALLED := $(abspath $(HERE)../../../..)
ifeq ($(XSCHED_PATH)$(wildcard $(HERE)../include/xsched),)
XSCHED_PATH := $(if $(wildcard $(INSTALLED)/include/xsched),$(INSTALLED),/usr/local)
endif
ifneq ($(XSCHED_PATH),)
XSCHED_INCLUDE ?= $(XSCHED_PATH)/include
XSCHED_LIB ?= $(patsubst %/libpreempt.so,%,$(firstword $(wildcard \
    $(XSCHED_PATH)/lib/libpreempt.so $(XSCHED_PATH)/lib64/libpreempt.so $(XSCHED_PATH)/lib/*/libpreempt.so) \
    $(XSCHED_PATH)/lib/libpreempt.so))
else
XSCHED_INCLUDE ?= $(abspath $(HERE)../include)
XSCHED_LIB ?= $(abspath $(HERE)../build/release/lib)
endif
CUDA_PATH ?= /usr/local/cuda
CXX ?= g++
HIPCC ?= hipcc
FLAGS = -std=c++17 -O2 -Wall -Wextra -I$(HERE)common -I$(XSCHED_INCLUDE) $(APP).cpp -o $(APP)
XSCHED_LIBS = $(if $(LINK_XSCHED),-L$(XSCHED_LIB) -Wl$(comma)-rpath$(comma)$(XSCHED_LIB) -lhal$@ -lpreempt)
comma := ,

# Every example can be started as ./app too.
ALSO_APP = $(if $(filter-out app,$(APP)),ln -sf $(APP) app)

.PHONY: cuda hip opencl clean
opencl:
	$(CXX) $(FLAGS) -DUSE_OPENCL $(XSCHED_LIBS) -lOpenCL -pthread
	@$(ALSO_APP)

cuda:
	$(CXX) $(FLAGS) -DUSE_CUDA -isystem $(CUDA_PATH)/include $(XSCHED_LIBS) -L$(CUDA_PATH)/lib64/stubs -lcuda -pthread
	@$(ALSO_APP)

hip:
	$(HIPCC) -x hip $(FLAGS) -DUSE_HIP $(XSCHED_LIBS) -pthread
	@$(ALSO_APP)

clean:
	rm -f $(APP) app
