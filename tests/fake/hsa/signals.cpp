// Signals and indices. Stores to signals have a place in the table, because a doorbell is one.
#include <sched.h>

#include "fake/hsa/runtime.h"

using namespace fake::hsa;

void fake::hsa::store_signal(hsa_signal_t signal, int64_t value) {
    Signal* it = signal_of(signal);
    if (it->doorbell_of == nullptr) return it->value.store(value);
    // Several threads may ring a doorbell in any order, so its value only grows.
    for (int64_t was = it->value.load(); was < value && !it->value.compare_exchange_weak(was, value);) {
    }
    ring(*it->doorbell_of);
}

extern "C" {

hsa_status_t hsa_signal_create(int64_t initial, uint32_t, const hsa_agent_t*, hsa_signal_t* signal) {
    auto* made = new Signal;
    made->value = initial;
    signal->handle = reinterpret_cast<uint64_t>(made);
    return HSA_STATUS_SUCCESS;
}
hsa_status_t hsa_signal_destroy(hsa_signal_t signal) {
    delete signal_of(signal);
    return HSA_STATUS_SUCCESS;
}
int64_t hsa_signal_load_scacquire(hsa_signal_t signal) { return signal_of(signal)->value.load(); }
// Waits without end until the signal's value is below `value`, the condition that programs use.
int64_t hsa_signal_wait_scacquire(hsa_signal_t signal, uint32_t, int64_t value, uint64_t, uint32_t) {
    while (signal_of(signal)->value.load() >= value) sched_yield();
    return signal_of(signal)->value.load();
}

uint64_t hsa_queue_add_write_index_screlease(const hsa_queue_t* queue, uint64_t count) {
    return __atomic_fetch_add(&queue_of(queue)->amd.write_dispatch_id, count, __ATOMIC_ACQ_REL);
}
uint64_t hsa_queue_load_write_index_relaxed(const hsa_queue_t* queue) {
    return __atomic_load_n(&queue_of(queue)->amd.write_dispatch_id, __ATOMIC_RELAXED);
}
uint64_t hsa_queue_load_read_index_scacquire(const hsa_queue_t* queue) {
    return __atomic_load_n(&queue_of(queue)->amd.read_dispatch_id, __ATOMIC_ACQUIRE);
}
}
