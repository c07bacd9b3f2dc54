// One enqueued command whose event the checker keeps, and everything that must be true of it.
//
// Made by the thread that enqueued it, which also settles it; other threads may poll it, wait for its event and name
// it as a dependency. Callbacks run on the driver's threads.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "order/opencl/cl.h"

namespace order::opencl {

inline constexpr size_t kWords = 16;
using Words = std::array<uint32_t, kWords>;

struct Queue;
class Tracker;
using TrackerPtr = std::shared_ptr<Tracker>;

// The last access to a buffer, named in the message when the buffer's content turns out wrong.
struct Access {
    const char* what = nullptr;
    const void* queue = nullptr;
    const char* tie = "";  // what orders it behind the access before it
    size_t first = 0;      // words
    size_t count = 0;
};
class History {
public:
    void add(const Access& access) { accesses_[next_++ % accesses_.size()] = access; }
    void print() const;

private:
    std::array<Access, 12> accesses_{};
    size_t next_ = 0;
};

// Host memory of a command. Reads: must equal `expected` in [first, first + count) once the command is complete.
// Writes: the program may overwrite it from then on, and does.
struct HostMemory {
    Words words{};
    Words expected{};
    size_t first = 0;
    size_t count = 0;
    bool is_read = false;
    History history;  // of the buffer, up to this command
};

// A driver that says "complete" too early still uses the memory: it stays for a while, so that the checker finds such
// a driver instead of crashing in it.
struct KeepForAWhile {
    void operator()(HostMemory* host) const;
};
using HostMemoryPtr = std::unique_ptr<HostMemory, KeepForAWhile>;

class Tracker : public std::enable_shared_from_this<Tracker> {
public:
    Tracker(cl_event event, std::shared_ptr<Queue> queue, cl_command_type type, const char* what);
    ~Tracker();
    Tracker(const Tracker&) = delete;
    Tracker& operator=(const Tracker&) = delete;

    cl_event event() const { return event_; }
    const std::shared_ptr<Queue>& queue() const { return queue_; }
    const char* what() const { return what_; }

    // Sets the commands that it waits for: they complete before this one does, and before this one starts.
    void set_dependencies(std::vector<TrackerPtr> dependencies) { dependencies_ = std::move(dependencies); }
    void set_host(HostMemoryPtr host) { host_ = std::move(host); }

    // The event's status now; must never go back.
    cl_int poll();
    bool complete() { return poll() <= CL_COMPLETE; }
    // Checks all that must hold once the command is complete. `how`: the call that reported its completion, for
    // messages.
    void check_complete(const char* how);
    // Waits if need be, checks, and lets go of what is no longer needed. By the owner, once.
    void settle();
    // Registers an event callback for status `type`. It checks what must hold then, and that it is called only once.
    void watch(cl_int type);

private:
    void check_profile();
    void check_host(const char* how) const;

    cl_event event_;
    std::shared_ptr<Queue> queue_;
    cl_command_type type_;
    const char* what_;
    std::atomic<cl_int> last_status_{CL_QUEUED};
    std::mutex mutex_;  // never held while calling the driver: callbacks take it
    std::vector<TrackerPtr> dependencies_;  // until settled; under mutex_ once others know the tracker
    HostMemoryPtr host_;
};

// Callbacks asked for and not yet called.
int64_t callbacks_owed();
// Releases the commands whose last reference a callback had. Callbacks put them aside, so that no event or queue is
// released on a driver's thread.
void clear_graveyard();

}  // namespace order::opencl
