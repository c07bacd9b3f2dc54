// One thread of the checker: draws operations, performs them on the shared world and keeps the model up to date.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "order/core/draw.h"
#include "order/core/options.h"
#include "order/core/pending.h"
#include "order/core/random.h"
#include "order/core/report.h"
#include "order/opencl/signaller.h"
#include "order/opencl/world.h"

namespace order::opencl {

// The dependencies of the next command.
struct Plan {
    QueuePtr queue;
    std::vector<TrackerPtr> after;
    const char* tie = "nothing";  // what orders it behind the access before it
};

class Worker : xsched::base::NoCopies {
public:
    Worker(World& world, Signaller& signaller, const Options& options, int index);
    ~Worker();

    void one_operation();
    // Waits for everything this worker has enqueued.
    void settle_all() { pending_.settle_all(); }

private:
    struct Kernels {
        cl_kernel append, append_local, append_wide, combine;
    };
    using Lock = std::unique_lock<std::mutex>;

    struct Operation;
    static const Operation kOperations[];

    // operations_memory.cpp
    void run_kernel(Context& context, const Kernels& kernels);
    void run_combine(Context& context, const Kernels& kernels);
    void run_fill(Context& context);
    void run_copy(Context& context);
    void run_read(Context& context);
    void run_write(Context& context);
    // operations_image.cpp
    void run_image(Context& context);
    void fill_image(Plan& plan, Buffer& image);
    void write_image(Plan& plan, Buffer& image);
    void read_image(Plan& plan, Buffer& image);
    void copy_image(Context& context, Buffer& image);
    // operations_map.cpp
    void run_map(Context& context);
    void run_native(Context& context);
    void run_migrate(Context& context);
    // operations_sync.cpp
    void run_marker(Context& context);
    void run_barrier(Context& context);
    void run_wait(Context& context);
    void run_finish(Context& context);
    void run_flush(Context& context);
    void run_poll();
    void run_user_event(Context& context);
    void run_new_queue(Context& context);

    // Returns a buffer that no other thread is using; null if none was found quickly.
    Buffer* take_buffer(Context& context, Lock& lock) { return take_from(context.buffers, lock); }
    Buffer* take_from(const std::vector<std::unique_ptr<Buffer>>& list, Lock& lock) {
        return take(list, lock, random_);
    }
    // A buffer that no other thread is using, and the next command on it.
    struct Turn {
        Lock lock;
        Buffer* buffer = nullptr;
        Plan plan;
        QueuePtr queue;
    };
    std::optional<Turn> next_turn(Context& context);
    HostMemoryPtr random_words();
    // Returns the words that a read must find.
    static HostMemoryPtr expected_words(const Buffer& buffer, size_t first, size_t count);
    // Ties the next command on plan.queue to the buffer's last access.
    void follow(Plan& plan, Buffer& buffer);
    // Notes in the model the access that the operation `what` is about to make.
    static void note(Buffer& buffer, const Plan& plan, const char* what, size_t first = 0, size_t count = kWords);
    static void accessed(Buffer& buffer, const QueuePtr& queue, const TrackerPtr& tracker);

    struct Command {
        cl_command_type type;
        const char* what;
        bool must_have_event = false;
        bool blocking = false;
    };
    // Submits a command: makes its wait list and its event, calls `call(count, list, event)`, and starts to track it.
    template <typename Call>
    TrackerPtr submit(Plan& plan, const Command& command, Call call, HostMemoryPtr host = nullptr);
    std::vector<cl_event> wait_list(Plan& plan, cl_event& user_event);
    cl_event gate(Context& context);
    void track(const TrackerPtr& tracker);

    World& world_;
    Signaller& signaller_;
    Random random_;
    uint32_t gate_every_;
    std::vector<Kernels> kernels_;  // one set per context; arguments are this thread's own business
    Pending<TrackerPtr> pending_;
};

template <typename Call>
TrackerPtr Worker::submit(Plan& plan, const Command& command, Call call, HostMemoryPtr host) {
    Activity::set(command.what);
    const TrackerPtr before = plan.queue->in_order ? plan.queue->newest() : nullptr;
    cl_event user_event = nullptr;
    const std::vector<cl_event> waits = wait_list(plan, user_event);
    const bool wants_event = command.must_have_event || !random_.once_in(4);
    cl_event event = nullptr;
    expect_success(call(static_cast<cl_uint>(waits.size()), waits.empty() ? nullptr : waits.data(),
                        wants_event ? &event : nullptr),
                   command.what);
    if (user_event != nullptr) expect_success(clReleaseEvent(user_event), "clReleaseEvent");
    count_operation();
    if (!wants_event || event == nullptr) return nullptr;
    auto tracker = std::make_shared<Tracker>(event, plan.queue, command.type, command.what);
    if (before) plan.after.push_back(before);
    tracker->set_dependencies(std::move(plan.after));
    tracker->set_host(std::move(host));
    if (command.blocking) tracker->check_complete("blocking call");
    track(tracker);
    return tracker;
}

}  // namespace order::opencl
