#include "platform/cuda/hal/stream_shape.h"

#include <atomic>

#include "base/log.h"
#include "base/probe.h"
#include "platform/cuda/hal/vendor.h"
#include "platform/stream/hal/driver_use.h"

namespace xsched::cuda {
namespace {

constexpr uint8_t kHandleWords = 3;  // what the smallest piece of memory from malloc holds
constexpr uint8_t kBodyWords = 64;
constexpr unsigned kNonBlocking = CU_STREAM_NON_BLOCKING;

// The result of learning: the positions of the two words, or one of these.
constexpr uint32_t kUntried = 0;
constexpr uint32_t kNothing = 1;
constexpr uint32_t kLearned = 2;
constinit std::atomic<uint32_t> g_learned{kUntried};

using Words = uintptr_t[kBodyWords];

uint8_t words_at(const void* from, uint8_t most, Words& words) {
    return static_cast<uint8_t>(base::read_memory(from, words, most * sizeof words[0]) / sizeof words[0]);
}

bool leads_back(uintptr_t body, uint8_t word, const void* stream) {
    uintptr_t back = 0;
    return base::read_object(reinterpret_cast<const void*>(body + word * sizeof back), &back) &&
           back == reinterpret_cast<uintptr_t>(stream);
}

// Learns the shape. Returns kLearned with the shape's numbers, kNothing if this driver's streams have no known shape,
// or kUntried without the thread's context, or in a driver that lacks these functions.
uint32_t learn(const stream::Api& api, CUcontext context) {
    using namespace xsched::stream;
    if (context == nullptr || api.cuStreamCreate == nullptr || api.cuStreamDestroy_v2 == nullptr) return kUntried;
    InContext current;
    if (!current.enter(api, context)) return kUntried;
    const RelaxedCapture relaxed(api);
    CUstream own[2] = {};
    StreamShape shape;
    uint32_t learned = kUntried;
    if (api.cuStreamCreate(&own[0], kNonBlocking) == CUDA_SUCCESS) {
        if (api.cuStreamCreate(&own[1], kNonBlocking) == CUDA_SUCCESS) {
            const bool found = learn_shape(own[0], own[1], &shape);
            learned = found ? kLearned | uint32_t{shape.to_body} << 8 | uint32_t{shape.back} << 16 : kNothing;
            api.cuStreamDestroy_v2(own[1]);
        }
        api.cuStreamDestroy_v2(own[0]);
    }
    if (learned == kNothing) XLOG_DEBG("streams of this driver have no shape that is known: it checks them itself");
    return learned;
}

}  // namespace

bool learn_shape(const void* stream, const void* other, StreamShape* shape) {
    Words handle{};
    Words other_handle{};
    const uint8_t handle_words = words_at(stream, kHandleWords, handle);
    if (words_at(other, handle_words, other_handle) != handle_words) return false;
    for (uint8_t i = 0; i < handle_words; ++i) {
        Words body{};
        const uint8_t body_words = words_at(reinterpret_cast<const void*>(handle[i]), kBodyWords, body);
        for (uint8_t j = 0; j < body_words; ++j) {
            if (body[j] != reinterpret_cast<uintptr_t>(stream) || !leads_back(other_handle[i], j, other)) continue;
            *shape = {i, j};
            return true;
        }
    }
    return false;
}

bool has_shape(const void* stream, const StreamShape& shape) {
    Words handle{};
    return words_at(stream, shape.to_body + 1, handle) == shape.to_body + 1 &&
           leads_back(handle[shape.to_body], shape.back, stream);
}

bool may_be_stream(const stream::Api& api, CUstream stream, CUcontext context) {
    uintptr_t word = 0;
    if (reinterpret_cast<uintptr_t>(stream) % alignof(void*) != 0 || !base::read_object(stream, &word)) return false;
    uint32_t learned = g_learned.load(std::memory_order_acquire);
    if (learned == kUntried) {
        learned = learn(api, context);
        g_learned.store(learned, std::memory_order_release);
    }
    if (learned == kUntried || learned == kNothing) return true;
    return has_shape(stream, {static_cast<uint8_t>(learned >> 8), static_cast<uint8_t>(learned >> 16)});
}

}  // namespace xsched::cuda
