// The processor time that calls of CANN's runtime take on their thread. An ordinary program, which measure.py starts
// natively and with the shim. Prints one JSON object: nanoseconds per call, the least of several repeats.
//
//   fill           fills 4 bytes in a stream, by aclrtMemsetAsync
//   fill_below     the same by rtMemsetAsync, the runtime library's
//   record         an event, in a stream
//   event_query    of an event that is complete
//   synchronize    of a stream that is idle
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "call_cost.h"

namespace {

using busy::cost_of;

template <typename Function>
Function named(const char* name) {
    static void* const library = dlopen("libascendcl.so", RTLD_NOW);
    void* found = library != nullptr ? dlsym(library, name) : nullptr;
    if (found != nullptr) return reinterpret_cast<Function>(found);
    std::fprintf(stderr, "host_cost: no %s: %s\n", name, dlerror());
    std::_Exit(2);
}

void must(int code, const char* call) {
    if (code == 0) return;
    std::fprintf(stderr, "host_cost: %s returned %d\n", call, code);
    std::_Exit(2);
}

// A call with some of these arguments, under its name.
template <typename... Arguments>
class Call {
public:
    explicit Call(const char* name) : name_(name), function_(named<int (*)(Arguments...)>(name)) {}
    void operator()(Arguments... arguments) const { must(function_(arguments...), name_); }

private:
    const char* const name_;
    int (*const function_)(Arguments...);
};

}  // namespace

int main() {
    using Pointer = void*;
    constexpr size_t kBytes = 4;
    Pointer stream = nullptr, event = nullptr, memory = nullptr;
    int status = 0;
    Call<const char*>("aclInit")(nullptr);
    Call<int32_t>("aclrtSetDevice")(0);
    Call<Pointer*>("aclrtCreateStream")(&stream);
    Call<Pointer*, uint32_t>("aclrtCreateEventWithFlag")(&event, 0);
    Call<Pointer*, size_t, int>("aclrtMalloc")(&memory, kBytes, 0);
    const Call<Pointer> synchronize("aclrtSynchronizeStream");
    const Call<Pointer, size_t, int32_t, size_t, Pointer> fill("aclrtMemsetAsync");
    const Call<Pointer, uint64_t, uint32_t, uint64_t, Pointer> fill_below("rtMemsetAsync");
    const Call<Pointer, Pointer> record("aclrtRecordEvent");
    const Call<Pointer, int*> query("aclrtQueryEventStatus");
    const auto settle = [&] { synchronize(stream); };
    const double fill_ns = cost_of([&] { fill(memory, kBytes, 7, kBytes, stream); }, settle);
    const double below_ns = cost_of([&] { fill_below(memory, kBytes, 7, kBytes, stream); }, settle);
    const double record_ns = cost_of([&] { record(event, stream); }, settle);
    const double query_ns = cost_of([&] { query(event, &status); }, [] {});
    std::printf("{\"fill\": %.1f, \"fill_below\": %.1f, \"record\": %.1f, \"event_query\": %.1f, ", fill_ns, below_ns,
                record_ns, query_ns);
    std::printf("\"synchronize\": %.1f}\n", cost_of(settle, [] {}));
    return 0;
}
