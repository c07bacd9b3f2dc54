// One piece of stream work whose completion the checker follows through an event, and what must be true of it then.
//
// Made by the worker that submitted it, which also settles it; others may poll it and make their work wait for it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "order/core/report.h"
#include "order/cuda/driver.h"
#include "order/cuda/history.h"

namespace order::cuda {

using ::cuda::api;
using ::cuda::Api;

struct Context;
class Tracker;
using TrackerPtr = std::shared_ptr<Tracker>;

// A lock that is held shared by calls which CUDA forbids while any thread captures in global mode. Such a capture
// holds it exclusively.
std::shared_mutex& unsafe_calls();
// A lock that is held shared by each capture. Calls that wait for a whole context, which CUDA forbids during any
// capture, hold it exclusively.
std::shared_mutex& any_capture();

// Host memory of a copy, pinned or pageable, taken from a pool and given back to it.
class HostMemory {
public:
    static std::unique_ptr<HostMemory> take(bool pinned);
    ~HostMemory();
    HostMemory(const HostMemory&) = delete;
    HostMemory& operator=(const HostMemory&) = delete;

    uint32_t* words() { return words_; }
    void set(const Words& words);
    // For reads: sets the content that must be there once the copy is complete. After a write the program overwrites
    // its memory instead.
    void expect(const Words& words);
    bool is_read() const { return is_read_; }
    // For reads: keeps the list of accesses to the buffer up to this one, to explain a wrong content.
    void remember(History& history);
    void check_and_scribble(const char* what, const char* how);

private:
    HostMemory(uint32_t* words, bool pinned) : words_(words), pinned_(pinned) {}
    uint32_t* words_;
    bool pinned_;
    bool is_read_ = false;
    bool scribbled_ = false;
    Words expected_{};
    History* history_ = nullptr;
    Accesses accesses_;
};
void free_host_memory();

class Tracker {
public:
    Tracker(Context& context, CUevent event, const char* what) : context_(context), event_(event), what_(what) {}
    ~Tracker();
    Tracker(const Tracker&) = delete;
    Tracker& operator=(const Tracker&) = delete;

    CUevent event() const { return event_; }
    Context& context() const { return context_; }
    const char* what() const { return what_; }
    int64_t recorded() const { return recorded_; }
    // The setters below are called once each, under the mutex: other threads may have got the tracker from its stream
    // already.
    void set_dependencies(std::vector<TrackerPtr> dependencies) {
        const std::lock_guard lock(mutex_);
        dependencies_ = std::move(dependencies);
    }
    void set_host(std::unique_ptr<HostMemory> host) {
        const std::lock_guard lock(mutex_);
        host_ = std::move(host);
    }

    bool complete();
    // Checks all that must hold once the operation is complete. `how`: the call that reported its completion, for
    // messages.
    void check_complete(const char* how);
    // Waits if need be, checks, and lets go of what is no longer needed.
    void settle(const char* how = "cuEventSynchronize");

private:
    std::string later();

    Context& context_;
    CUevent event_;
    const char* what_;
    const int64_t recorded_ = g_operations.load(std::memory_order_relaxed);  // after so many operations
    std::atomic<bool> done_{false};
    std::mutex mutex_;
    std::vector<TrackerPtr> dependencies_;  // under mutex_
    std::unique_ptr<HostMemory> host_;  // under mutex_
};

}  // namespace order::cuda
