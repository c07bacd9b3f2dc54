// A fake profiler library, as rocprofiler-register opens one: it is given the runtimes' function tables, and counts
// those of HIP and of HSA.
#include <atomic>
#include <cstring>

namespace {
std::atomic<unsigned> g_hip{0}, g_hsa{0};
}

extern "C" int rocprofiler_set_api_table(const char* name, unsigned long, unsigned long, void** tables,
                                         unsigned long count) {
    if (tables == nullptr || count == 0 || tables[0] == nullptr) return 1;
    (std::strcmp(name, "hsa") == 0 ? g_hsa : g_hip).fetch_add(1);
    return 0;
}
extern "C" unsigned fake_profiler_hip_tables() { return g_hip.load(); }
extern "C" unsigned fake_profiler_hsa_tables() { return g_hsa.load(); }
