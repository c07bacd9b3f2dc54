// The words by which a client and its scheduler agree about the client's memory on one device. Each word has one
// writer, named in its comment. Bytes count whole pieces of memory that can be moved to the host and back.
#pragma once

#include <algorithm>
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

// Returns the limit that allows less; 0: no limit.
inline uint64_t least_limit(uint64_t one, uint64_t other) {
    if (one == 0 || other == 0) return one | other;
    return one < other ? one : other;
}

// Returns the bytes that a word says.
inline uint64_t bytes_of(const std::atomic<uint64_t>& word) {
    return std::min(word.load(std::memory_order_acquire), kMostMemoryBytes);
}

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
    // How many bytes of the client's memory are to be on the host, or kAllMemory. Until that is undone, the client's
    // threads wait before they use the device. (server; a client that changes its scheduler keeps the last order)
    alignas(64) std::atomic<uint64_t> away;
    // --- the client's other memory, its limits, and how often it moved memory
    std::atomic<uint64_t> fixed;  // bytes that it has allocated and that stay on the device (client)
    std::atomic<uint64_t> limit;  // bytes that it may allocate; 0: no limit (client)
    std::atomic<uint64_t> guarantee;  // bytes of its memory that stay on the device (client)
    std::atomic<int64_t> waited_ns;  // time that it waited for memory, until the last wait ended (client)
    std::atomic<uint32_t> swaps;  // how often memory of it went to the host (client)
    std::atomic<uint32_t> yields;  // 1: the program itself does without its memory for now (client)
    // --- limits that the programs of a user or control group have together (Header::memory_joint_limit). The client
    // raises `counted` and then reads `may_have`; the server lowers `may_have` and then reads `counted`. So all
    // programs together never have more than the limit.
    std::atomic<uint64_t> counted;  // bytes that it has, or is allocating (client)
    std::atomic<uint64_t> may_have;  // most bytes that it may count (server)
    std::atomic<uint64_t> joint_most;  // most bytes that it could count if the others kept what they have (server)
    std::atomic<uint64_t> joint_guarantee;  // bytes that stay on the device by its user's or group's guarantee (server)
    std::atomic<uint64_t> limit_wanted;  // bytes of an allocation that `may_have` is too small for (client)
    std::atomic<uint32_t> limit_asked;  // number of the newest request for that. Written behind it (client)
    std::atomic<uint32_t> limit_answered;  // number of the request that `may_have` answers. Written behind it (server)
};

}  // namespace xsched::ipc
