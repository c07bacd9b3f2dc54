// Level 2 on OpenCL: a queue's guard, which lets no more work-groups start while the queue is deactivated.
//
// A guarded launch is two commands of the queue: the kernel with the guard at its start (guard_words.h), and the tail.
// The tail is an empty kernel that waits for the first one and for a user event. The program gets the tail's event.
// Everything behind the launch waits for the tail. When the first pass is over and no group was skipped, the user event
// is completed; otherwise the launch is suspended until the queue is reactivated. Then the groups that were skipped run
// in another pass. That pass is in a queue of our own, because the program's waits at the tail.
//
// Groups that wait for each other (a barrier over the whole grid) cannot be skipped: they would wait for ever. A pass
// that does not end within kMutualNs of its first skipped group is joined by the next one, and the launch is not
// stopped again.
//
// Any thread may call anything. No lock is held across a call into the driver.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "base/mutex.h"
#include "platform/opencl/guards/hal/guard_abi.h"
#include "platform/opencl/guards/hal/guard_flight.h"
#include "platform/opencl/guards/hal/guard_memory.h"
#include "platform/opencl/guards/hal/guard_watch.h"
#include "platform/opencl/hal/api.h"

namespace xsched::opencl {

inline constexpr int64_t kMutualNs = base::kSecond;

// Returns whether the device accesses host memory directly, so that our stores reach a running kernel.
bool can_guard(const ClApi& api, cl_device_id device);

class Guard final : public WatchedGuard {
public:
    // Creates a guard. nullptr: no memory, or the driver refused some.
    static Guard* create(const ClApi& api, cl_context context, cl_device_id device, bool profiling);
    // The queue, every launch that is not over and the watcher are owners.
    void disown() override;
    void own() override;

    void close();  // level 2: deactivate
    void open();  // reactivate

    cl_int launch(cl_command_queue queue, const XoclGuarded& what, cl_uint count, const cl_event* wait_list,
                  cl_event* event, void** times);
    // Looks for launches that have ended unrun without a call back of the driver. Call after a hold was dropped.
    void look_for_dropped();
    // Lets launches whose groups wait for each other go on. Returns whether there may be such launches.
    bool look_for_mutual(int64_t now_ns) override;

private:
    using Flight = GuardFlight;
    Guard(const ClApi& api, cl_context context, cl_device_id device, bool profiling)
        : api_(api), context_(context), device_(device), profiling_(profiling) {}
    ~Guard();
    static void CL_CALLBACK pass_done(cl_event event, cl_int status, void* flight);
    GuardMemory* take_words(size_t groups);
    Flight* new_flight(const XoclGuarded& what);
    void discard(Flight* flight);
    static void leave_behind(Flight* flight);
    struct WaitList {
        cl_uint count = 0;
        const cl_event* events = nullptr;
    };
    enum class Groups : cl_uint { kAll = 0, kSkipped = 1 };  // as the guard's third argument says it
    cl_int enqueue(Flight& flight, cl_command_queue queue, Groups groups, WaitList waits, cl_event* event);
    void enqueue_tail(Flight& flight, cl_command_queue queue, cl_event* event);
    void follow(Flight& flight, cl_event event);
    void pass_over(Flight& flight, cl_int status);
    void run_rest(Flight& flight);
    cl_command_queue rest_queue();
    void finish(Flight& flight);
    int64_t closed_so_far(int64_t now_ns) const;

    const ClApi& api_;
    const cl_context context_;  // retained
    const cl_device_id device_;
    const bool profiling_;
    std::atomic<int32_t> owners_{1};
    GuardMemory flag_;
    base::Mutex mutex_;
    Flight* flights_ = nullptr;  // not over yet; guarded by mutex_
    GuardMemory* spare_ = nullptr;  // guarded by mutex_
    cl_command_queue rest_queue_ = nullptr;  // guarded by mutex_
    int64_t closed_at_ns_ = 0;  // 0: open; guarded by mutex_
    int64_t closed_ns_ = 0;  // how long it was closed before; guarded by mutex_
    int64_t ended_ns_ = 0;  // when the last launch was over, and how long the guard had been closed by then
    int64_t closed_before_end_ns_ = 0;
};

// Returns the guard of a queue; nullptr: it has none. A queue has one from guard_made to guard_gone.
Guard* guard_of(cl_command_queue queue);
void guard_made(cl_command_queue queue, Guard* guard);
void guard_gone(cl_command_queue queue);

}  // namespace xsched::opencl
