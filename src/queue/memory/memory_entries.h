// The process's memory on each device as libpreempt knows it, an entry for each as in ipc::Header::memory. Any thread,
// unless said.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/mutex.h"
#include "ipc/layout.h"
#include "queue/abi/memory_abi.h"

namespace xsched::queue {

struct Memory {
    std::atomic<uint64_t> device{0};
    std::atomic<const XqMemoryOps*> ops{nullptr};  // nullptr: nothing can be moved
    std::atomic<uint64_t> on_card{0};
    std::atomic<uint64_t> on_host{0};
    std::atomic<uint64_t> fixed{0};
    std::atomic<bool> prepared{false};
    std::atomic<bool> yields{false};  // the program itself does without its memory for now
    std::atomic<bool> off{false};  // an order has kept the program's threads off, and perhaps still does
    std::atomic<int64_t> waited_ns{0};
    uint32_t failed = 0;    // errands' thread
    uint32_t swaps = 0;     // errands' thread
    int64_t away_since_ns = 0;  // since when memory is on the host; 0: none is. Errands' thread
    base::Mutex asking;     // one thread asks at a time
};

extern Memory g_memory[ipc::kMostDeviceNames];
extern std::atomic<ipc::Header*> g_header;  // that the process publishes into
extern std::atomic<int64_t> g_attached_ns;  // since when

// Returns the device's entry; nullptr: none is left.
Memory* memory_of(uint64_t device);
inline size_t entry_of(const Memory& memory) { return static_cast<size_t>(&memory - g_memory); }

template <typename Header>
auto& words_of(Header& header, const Memory& memory) {
    return header.memory[entry_of(memory)];
}

// Writes the rules in force, of memory that can be moved or not. Returns whether the words told others.
bool publish_rules(ipc::DeviceMemory& words, bool movable);
// Writes all that is known of the memory into the header.
void publish(ipc::Header& header, const Memory& memory);
// Makes the scheduler plan this process's memory from now on.
void take_part(ipc::Header& header, const Memory& memory);
// Asks the scheduler for `missing` bytes, and waits. Returns whether the allocation should be tried again.
bool ask_for_memory(Memory& memory, uint64_t missing);

}  // namespace xsched::queue
