#include "fake/cuda/live.h"

#include <atomic>
#include <cstring>

#include "fake/cuda/fake_cuda.h"

namespace fake {
namespace {

struct Count {
    const char* kind;
    std::atomic<long> live{0};
};
Count g_counts[] = {{"stream"}, {"event"},  {"context"},      {"graph"}, {"graph exec"},
                    {"module"}, {"memory"}, {"registration"}, {"piece"}, {"reservation"}};

}  // namespace

void count_live(const char* kind, int change) {
    for (Count& it : g_counts)
        if (std::strcmp(it.kind, kind) == 0) it.live.fetch_add(change);
}

}  // namespace fake

extern "C" long fake_cuda_live(const char* kind) {
    for (const fake::Count& it : fake::g_counts)
        if (std::strcmp(it.kind, kind) == 0) return it.live.load();
    return -1;
}
