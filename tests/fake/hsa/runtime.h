// The parts of the HSA stand-in. Any thread.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "platform/hip/hal/hsa_api.h"

namespace fake::hsa {

using namespace xsched::hip::hsa;

constexpr int kAgents = 2;
constexpr uint32_t kPacketBytes = 64;

struct Signal {
    std::atomic<int64_t> value{0};
    struct Queue* doorbell_of = nullptr;
};
inline Signal* signal_of(hsa_signal_t signal) { return reinterpret_cast<Signal*>(signal.handle); }

// A queue of the fake runtime. `amd` is its first member, so that an hsa_queue_t* is also a Queue*.
struct Queue {
    alignas(64) amd_queue_t amd{};
    uint8_t more[4096] = {};  // the real structure is longer
    Signal doorbell;
    void* ring = nullptr;
    int file = -1;      // of the kernel driver; -1: none
    uint32_t id = 0;    // there
    std::atomic<bool> ending{false};
    std::mutex mutex;
    std::condition_variable rung;
    std::thread executor;  // under mutex; started by the first doorbell
};
inline Queue* queue_of(const hsa_queue_t* queue) { return reinterpret_cast<Queue*>(const_cast<hsa_queue_t*>(queue)); }

// Returns a function of the fake kernel driver; nullptr: the driver is not loaded.
template <typename Function>
Function* of_kernel_driver(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

// The first entries of the table (queues.cpp).
hsa_status_t create_queue(hsa_agent_t agent, uint32_t size, uint32_t type, QueueError callback, void* data,
                          uint32_t private_bytes, uint32_t group_bytes, hsa_queue_t** queue);
hsa_status_t destroy_queue(hsa_queue_t* queue);
hsa_status_t set_queue_priority(hsa_queue_t* queue, uint32_t priority);
hsa_status_t set_queue_mask(const hsa_queue_t* queue, uint32_t bits, const uint32_t* mask);

// (signals.cpp)
void store_signal(hsa_signal_t signal, int64_t value);

// (packets.cpp) ring(): the queue's doorbell was rung. end_executor(): the queue ends.
void ring(Queue& queue);
void end_executor(Queue& queue);

// (table.cpp) Once, at hsa_init.
void hand_out_table();

}  // namespace fake::hsa
