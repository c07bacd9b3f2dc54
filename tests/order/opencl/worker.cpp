#include "order/opencl/worker.h"

#include <algorithm>

namespace order::opencl {
namespace {

cl_kernel make_kernel(cl_program program, const char* name) {
    cl_int code = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program, name, &code);
    expect_success(code, "clCreateKernel");
    return kernel;
}

}  // namespace

Worker::Worker(World& world, Signaller& signaller, const Options& options, int index)
    : world_(world),
      signaller_(signaller),
      random_(options.seed * 1000 + static_cast<uint64_t>(index)),
      gate_every_(options.gate_every) {
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

// How often each operation comes, in hundredths.
struct Worker::Operation {
    uint32_t weight;
    void (*run)(Worker& worker, Context& context, const Kernels& kernels);
};
const Worker::Operation Worker::kOperations[] = {
    {6,
     [](Worker& it, Context& context, const Kernels& kernels) {
         if (context.images.empty()) return it.run_kernel(context, kernels);
         it.run_image(context);
     }},
    {22, [](Worker& it, Context& context, const Kernels& kernels) { it.run_kernel(context, kernels); }},
    {10, [](Worker& it, Context& context, const Kernels& kernels) { it.run_combine(context, kernels); }},
    {8, [](Worker& it, Context& context, const Kernels&) { it.run_fill(context); }},
    {6, [](Worker& it, Context& context, const Kernels&) { it.run_copy(context); }},
    {8, [](Worker& it, Context& context, const Kernels&) { it.run_read(context); }},
    {8, [](Worker& it, Context& context, const Kernels&) { it.run_write(context); }},
    {5, [](Worker& it, Context& context, const Kernels&) { it.run_map(context); }},
    {3, [](Worker& it, Context& context, const Kernels&) { it.run_native(context); }},
    {1, [](Worker& it, Context& context, const Kernels&) { it.run_migrate(context); }},
    {3, [](Worker& it, Context& context, const Kernels&) { it.run_marker(context); }},
    {3, [](Worker& it, Context& context, const Kernels&) { it.run_barrier(context); }},
    {4, [](Worker& it, Context& context, const Kernels&) { it.run_wait(context); }},
    {1, [](Worker& it, Context& context, const Kernels&) { it.run_finish(context); }},
    {3, [](Worker& it, Context& context, const Kernels&) { it.run_flush(context); }},
    {6, [](Worker& it, Context&, const Kernels&) { it.run_poll(); }},
    {2, [](Worker& it, Context& context, const Kernels&) { it.run_user_event(context); }},
    {1,
     [](Worker& it, Context& context, const Kernels&) {
         if (it.random_.once_in(4)) it.run_new_queue(context);
     }},
};

void Worker::one_operation() {
    const uint32_t which = random_.below(static_cast<uint32_t>(world_.contexts.size()));
    const auto weight = [](const Operation& it) { return it.weight; };
    draw(std::span<const Operation>(kOperations), random_, weight).run(*this, *world_.contexts[which], kernels_[which]);
    if (random_.once_in(64)) clear_graveyard();
}

std::optional<Worker::Turn> Worker::next_turn(Context& context) {
    Turn turn;
    turn.buffer = take_buffer(context, turn.lock);
    if (turn.buffer == nullptr) return std::nullopt;
    turn.queue = turn.plan.queue = context.queue(random_);
    follow(turn.plan, *turn.buffer);
    return turn;
}

HostMemoryPtr Worker::random_words() {
    HostMemoryPtr host(new HostMemory);
    for (uint32_t& word : host->words) word = random_.next();
    return host;
}

HostMemoryPtr Worker::expected_words(const Buffer& buffer, size_t first, size_t count) {
    HostMemoryPtr host(new HostMemory);
    host->is_read = true;
    host->first = first;
    host->count = count;
    host->expected = buffer.model;
    host->history = buffer.history;
    return host;
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
        Signaller::set_after(pending_.any(random_), event);
    } else {
        signaller_.set_soon(event);
    }
    return event;
}

std::vector<cl_event> Worker::wait_list(Plan& plan, cl_event& user_event) {
    Context& context = plan.queue->context;
    if (!pending_.empty() && random_.once_in(8)) {  // more than needed
        const TrackerPtr& other = pending_.any(random_);
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
    pending_.add(tracker);
    pending_.limit();
}

}  // namespace order::opencl
