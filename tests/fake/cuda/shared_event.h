// Events that processes share: two counts in memory that every process with the event maps. Any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "fake/cuda/cuda_driver.h"

namespace fake {

struct SharedEvent {
    std::atomic<uint64_t> recorded;
    std::atomic<uint64_t> completed;

    bool complete(uint64_t number) const { return completed.load() >= number; }
};

// Returns null if there is no memory. The event is never unmapped.
SharedEvent* make_shared_event(CUipcEventHandle* name);
// Returns null if no process has the event any more.
SharedEvent* open_shared_event(const CUipcEventHandle& name);
void complete_shared_event(SharedEvent& event, uint64_t number);
void wait_for_shared_event(const SharedEvent& event, uint64_t number);

}  // namespace fake
