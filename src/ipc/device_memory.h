// The words by which a client and its scheduler agree about the client's memory on one device. Each word has one
// writer, named in its comment. Bytes count whole pieces of memory that can be moved to the host and back.
#pragma once

#include <atomic>
#include <cstdint>

namespace xsched::ipc {

// The scheduler's answer to a request for memory.
enum class MemoryAnswer : uint32_t {
    kNone = 0,      // no answer yet
    kTryAgain = 1,  // other programs have given memory back: the allocation may succeed now
    kNotEnough = 2, // no program may be asked for that much
};

// A word that says more than any device has is cut to this (safety).
inline constexpr uint64_t kMostMemoryBytes = uint64_t{1} << 48;
// The order to move all memory to the host, whatever is guaranteed.
inline constexpr uint64_t kAllMemory = UINT64_MAX;

struct DeviceMemory {
    alignas(64) std::atomic<uint64_t> device;  // XDevice; 0: not in use. Written last of its first values (client)
    std::atomic<uint32_t> evictable;           // 1: the scheduler may order this memory to the host (client)
    std::atomic<uint32_t> moving;              // 1: the client is moving memory (client)
    std::atomic<uint64_t> on_card;             // bytes that could be moved to the host (client)
    std::atomic<uint64_t> on_host;             // bytes that were moved to the host (client)
    std::atomic<uint64_t> free;  // bytes of the device that were free when the client last looked (client)
    std::atomic<uint32_t> failed;  // how many orders the client could not carry out in full (client)
    // --- a request of an allocation that the driver has refused
    std::atomic<uint32_t> asked;  // number of the newest request (client)
    std::atomic<uint64_t> wanted;  // bytes missing; 0: no request waits (client)
    std::atomic<uint32_t> answered;  // number of the request that `answer` is for. Written behind it (server)
    std::atomic<uint32_t> answer;  // MemoryAnswer (server)
    // --- the order
    alignas(64) std::atomic<uint64_t> away;  // bytes that are to be on the host, or kAllMemory; the client's threads
                                             // wait meanwhile wherever they would use the device (server)
    // --- what the client has beside, and what counts for it
    std::atomic<uint64_t> fixed;  // bytes that it has allocated and that stay on the device (client)
    std::atomic<uint64_t> limit;  // bytes that it may allocate; 0: no limit (client)
    std::atomic<uint64_t> guarantee;  // bytes of its memory that stay on the device (client)
    std::atomic<int64_t> waited_ns;  // time that it waited for memory, until the last wait ended (client)
    std::atomic<uint32_t> swaps;  // how often memory of it went to the host (client)
    std::atomic<uint32_t> yields;  // 1: the program itself does without its memory for now (client)
};

}  // namespace xsched::ipc
