#include "order/worker.h"

#include <algorithm>

namespace order {
namespace {

constexpr size_t kMostPending = 48;

cl_kernel make_kernel(cl_program program, const char* name) {
    cl_int code = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program, name, &code);
    expect_success(code, "clCreateKernel");
    return kernel;
}

}  // namespace

Worker::Worker(World& world, Signaller& signaller, uint64_t seed, uint32_t gate_every)
    : world_(world), signaller_(signaller), random_(seed), gate_every_(gate_every) {
    for (const auto& context : world.contexts) {
        cl_program program = context->program;
        kernels_.push_back({make_kernel(program, "append"), make_kernel(program, "append_local"),
                            make_kernel(program, "append_wide"), make_kernel(program, "combine")});
    }
}

Worker::~Worker() {
    for (const Kernels& set : kernels_) {
        for (cl_kernel it : {set.append, set.append_local, set.append_wide, set.combine}) {
            expect_success(clReleaseKernel(it), "clReleaseKernel");
        }
    }
}

void Worker::one_operation() {
    const uint32_t which = random_.below(static_cast<uint32_t>(world_.contexts.size()));
    Context& context = *world_.contexts[which];
    const uint32_t dice = random_.below(100);
    if (dice < 6 && !context.images.empty()) {
        run_image(context);
    } else if (dice < 28) {
        run_kernel(context, kernels_[which]);
    } else if (dice < 38) {
        run_combine(context, kernels_[which]);
    } else if (dice < 46) {
        run_fill(context);
    } else if (dice < 52) {
        run_copy(context);
    } else if (dice < 60) {
        run_read(context);
    } else if (dice < 68) {
        run_write(context);
    } else if (dice < 73) {
        run_map(context);
    } else if (dice < 76) {
        run_native(context);
    } else if (dice < 77) {
        run_migrate(context);
    } else if (dice < 80) {
        run_marker(context);
    } else if (dice < 83) {
        run_barrier(context);
    } else if (dice < 87) {
        run_wait(context);
    } else if (dice < 88) {
        run_finish(context);
    } else if (dice < 91) {
        run_flush(context);
    } else if (dice < 97) {
        run_poll();
    } else if (dice < 99) {
        run_user_event(context);
    } else if (random_.once_in(4)) {
        run_new_queue(context);
    }
    if (random_.once_in(64)) clear_graveyard();
}

void Worker::settle_all() {
    Activity::set("waiting for its commands at the end");
    while (!pending_.empty()) {
        pending_.front()->settle();
        pending_.pop_front();
        count_operation();  // progress
    }
}

Buffer* Worker::take_from(const std::vector<std::unique_ptr<Buffer>>& list, Lock& lock) {
    for (int tries = 0; tries < 8; ++tries) {
        Buffer& buffer = *list[random_.below(static_cast<uint32_t>(list.size()))];
        Lock attempt(buffer.mutex, std::try_to_lock);
        if (!attempt.owns_lock()) continue;
        lock = std::move(attempt);
        return &buffer;
    }
    return nullptr;
}

void Worker::follow(Plan& plan, Buffer& buffer) {
    if (!buffer.last_queue) return;
    const bool same = buffer.last_queue == plan.queue;
    plan.tie = "queue order";
    if (same && plan.queue->in_order && !random_.once_in(4)) return;
    if (same && !plan.queue->in_order && random_.once_in(3)) {
        expect_success(clEnqueueBarrierWithWaitList(plan.queue->handle, 0, nullptr, nullptr),
                       "clEnqueueBarrierWithWaitList");
        count_operation();
        plan.tie = "a barrier";
        return;
    }
    plan.tie = buffer.last ? "an event" : "a marker's event";
    TrackerPtr last = last_access(buffer);
    if (!same) expect_success(clFlush(buffer.last_queue->handle), "clFlush");
    plan.after.push_back(std::move(last));
}

void Worker::note(Buffer& buffer, const Plan& plan, const char* what, size_t first, size_t count) {
    buffer.history.add({what, plan.queue->handle, plan.tie, first, count});
}

void Worker::accessed(Buffer& buffer, const QueuePtr& queue, const TrackerPtr& tracker) {
    buffer.last_queue = queue;
    buffer.last = tracker;
}

cl_event Worker::gate(Context& context) {
    cl_int code = CL_SUCCESS;
    cl_event event = clCreateUserEvent(context.handle, &code);
    expect_success(code, "clCreateUserEvent");
    if (!pending_.empty() && random_.once_in(3)) {
        Signaller::set_after(pending_[random_.below(static_cast<uint32_t>(pending_.size()))], event);
    } else {
        signaller_.set_soon(event);
    }
    return event;
}

std::vector<cl_event> Worker::wait_list(Plan& plan, cl_event& user_event) {
    Context& context = plan.queue->context;
    if (!pending_.empty() && random_.once_in(8)) {  // more than needed
        const TrackerPtr& other = pending_[random_.below(static_cast<uint32_t>(pending_.size()))];
        if (&other->queue()->context == &context) {
            expect_success(clFlush(other->queue()->handle), "clFlush");
            plan.after.push_back(other);
        }
    }
    std::vector<cl_event> waits;
    for (const TrackerPtr& it : plan.after) waits.push_back(it->event());
    if (random_.once_in(gate_every_)) {
        user_event = gate(context);
        waits.insert(waits.begin() + random_.below(static_cast<uint32_t>(waits.size() + 1)), user_event);
    }
    return waits;
}

void Worker::track(const TrackerPtr& tracker) {
    tracker->queue()->remember(tracker);
    if (random_.once_in(4)) tracker->watch(CL_COMPLETE);
    if (random_.once_in(32)) tracker->watch(random_.once_in(2) ? CL_RUNNING : CL_SUBMITTED);
    if (random_.once_in(4)) expect_success(clFlush(tracker->queue()->handle), "clFlush");
    pending_.push_back(tracker);
    if (pending_.size() <= kMostPending) return;
    Activity::set("waiting for its oldest command");
    pending_.front()->settle();
    pending_.pop_front();
}

}  // namespace order
