#include "order/hip/stream_ends.h"

#include <map>
#include <mutex>

#include "order/hip/calls.h"

namespace hip {
namespace {

struct Ends {
    std::mutex mutex;
    std::map<hipEvent_t, hipStream_t> recorded_in;
    std::map<hipStream_t, size_t> events;
    std::map<hipStream_t, int> ending;  // its device
};
Ends& ends() {
    static Ends& it = *new Ends;
    return it;
}

// Forgets this event, with ends().mutex held. Returns the stream whose end it marks; null: none.
hipStream_t forget(hipEvent_t event, int* device) {
    const auto found = ends().recorded_in.find(event);
    if (found == ends().recorded_in.end()) return nullptr;
    const hipStream_t stream = found->second;
    ends().recorded_in.erase(found);
    if (--ends().events[stream] != 0) return nullptr;
    ends().events.erase(stream);
    const auto ending = ends().ending.find(stream);
    if (ending == ends().ending.end()) return nullptr;
    *device = ending->second;
    ends().ending.erase(ending);
    return stream;
}

void destroy_on(int device, hipStream_t stream) {
    int before = 0;
    functions().hipGetDevice(&before);
    functions().hipSetDevice(device);
    functions().hipStreamDestroy(stream);
    functions().hipSetDevice(before);
}

bool is_blocking(hipStream_t stream) {
    unsigned flags = 0;
    return functions().hipStreamGetFlags(stream, &flags) == hipSuccess && flags == 0;
}

}  // namespace

void recorded(hipEvent_t event, hipStream_t stream) {
    if (!cuda::amds_own()) return;
    int device = 0;
    hipStream_t ended = nullptr;
    {
        const std::lock_guard lock(ends().mutex);
        ended = forget(event, &device);
        if (cuda::may_be_listed(stream)) {
            ends().recorded_in[event] = stream;
            ++ends().events[stream];
        }
    }
    if (ended != nullptr) destroy_on(device, ended);
}

hipError_t destroy_event(hipEvent_t event) {
    int device = 0;
    hipStream_t ended = nullptr;
    {
        const std::lock_guard lock(ends().mutex);
        ended = forget(event, &device);
    }
    const hipError_t code = functions().hipEventDestroy(event);
    if (ended != nullptr) destroy_on(device, ended);
    return code;
}

hipError_t end_stream(hipStream_t stream) {
    if (cuda::amds_own()) {
        if (is_blocking(stream)) return hipSuccess;
        const std::lock_guard lock(ends().mutex);
        int device = 0;
        functions().hipGetDevice(&device);
        if (ends().events.count(stream) != 0) {
            ends().ending[stream] = device;
            return hipSuccess;
        }
    }
    return functions().hipStreamDestroy(stream);
}

}  // namespace hip
