// Loaders of OpenCL have tables of different lengths. XSched reads no further than the table that a loader hands to it
// as a layer, keeps empty places empty, and hooks what it can.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "support/child.h"

namespace xsched::test {
namespace {

using Entry = void*;

constexpr size_t kPage = 4096;
constexpr cl_uint kKnown = sizeof(cl_icd_dispatch) / sizeof(Entry);
constexpr cl_uint kOpenCl11 = 81;  // a loader of OpenCL 1.1 has so many
constexpr size_t kKernels = offsetof(cl_icd_dispatch, clEnqueueNDRangeKernel) / sizeof(Entry);
constexpr size_t kMarkers = offsetof(cl_icd_dispatch, clEnqueueMarkerWithWaitList) / sizeof(Entry);

cl_int loaders_own() { return CL_SUCCESS; }

// A loader's table, behind which nothing may be read.
Entry* table_of(cl_uint count) {
    void* pages = mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(static_cast<char*>(pages) + kPage, kPage, PROT_NONE);
    Entry* table = reinterpret_cast<Entry*>(static_cast<char*>(pages) + kPage) - count;
    std::fill(table, table + count, reinterpret_cast<Entry>(&loaders_own));
    return table;
}

struct Answer {
    cl_int code = -1;
    cl_uint count = ~0U;
    const Entry* table = nullptr;
    cl_uint hooked(const Entry* loaders) const {
        cl_uint found = 0;
        for (cl_uint i = 0; i < count; ++i) found += static_cast<cl_uint>(table[i] != loaders[i]);
        return found;
    }
};

Answer asked(cl_uint count, const Entry* table) {
    Answer answer;
    void* shim = dlopen(TEST_SHIM_FILE, RTLD_NOW);
    if (shim == nullptr) return answer;
    const auto init = reinterpret_cast<pfn_clInitLayer>(dlsym(shim, "clInitLayer"));
    const cl_icd_dispatch* made = nullptr;
    answer.code = init(count, reinterpret_cast<const cl_icd_dispatch*>(table), &answer.count, &made);
    answer.table = reinterpret_cast<const Entry*>(made);
    return answer;
}

// Each check runs in a process of its own, since a process has one loader. Returns the exit status: 0, or the number of
// the failed check.
int with_entries(cl_uint count) {
    const Entry* table = table_of(count);
    const Answer answer = asked(count, table);
    if (answer.code != CL_SUCCESS) return 1;
    if (answer.count != std::min(count, kKnown)) return 2;
    for (cl_uint i = 0; i < answer.count; ++i)
        if (answer.table[i] == nullptr) return 3;
    const bool complete = count >= kKnown;
    if (complete && answer.table[kKernels] == table[kKernels]) return 4;
    // If the loader is so old that it lacks functions that XSched itself calls, nothing is hooked.
    if (count <= kOpenCl11 && answer.hooked(table) != 0) return 5;
    return 0;
}

TEST(LoaderEntries, FewerOrMoreThanWeKnowAreReadNoFurther) {
    for (const cl_uint count : {0U, 1U, 40U, kOpenCl11, 100U, kKnown - 1, kKnown, kKnown + 1, 200U, 400U})
        EXPECT_EQ(in_child([&] { return with_entries(count); }), 0) << count << " entries";
}

TEST(LoaderEntries, AnEmptyPlaceStaysEmpty) {
    const auto with_hole = [] {
        Entry* table = table_of(kKnown);
        table[kMarkers] = nullptr;
        const Answer answer = asked(kKnown, table);
        return answer.code == CL_SUCCESS && answer.table[kMarkers] == nullptr ? 0 : 1;
    };
    EXPECT_EQ(in_child(with_hole), 0);
}

}  // namespace
}  // namespace xsched::test
