// Contexts, queues and buffers that the checker's threads share, and the reference model of the buffers.
//
// A buffer's mutex is held from planning an access until the command is enqueued (and, for blocking calls, until it
// returns); threads only ever try to take it. So accesses of one buffer are totally ordered. Each command is tied to
// the access before it by queue order, a barrier or an event, and the content after every command is known.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/no_copies.h"
#include "order/core/options.h"
#include "order/core/pool.h"
#include "order/core/random.h"
#include "order/core/recent.h"
#include "order/opencl/tracker.h"

namespace order::opencl {

struct Context;

// A command queue, with its last commands, all of which clFinish must complete.
struct Queue : Recent<Tracker, 32> {
    Queue(Context& its_context, cl_device_id its_device, bool is_in_order, bool has_profiling);
    ~Queue();
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    Context& context;
    cl_device_id device;
    bool in_order;
    bool profiling;
    cl_command_queue handle = nullptr;
};
using QueuePtr = std::shared_ptr<Queue>;

struct Buffer {
    std::mutex mutex;  // guards everything below
    cl_mem memory = nullptr;  // a buffer's or an image's
    void* svm = nullptr;  // instead of `memory`
    Words model{};        // content once everything enqueued so far is complete
    QueuePtr last_queue;  // of the last access
    TrackerPtr last;      // null: enqueued without an event
    History history;
};

struct Context {
    Context(const std::vector<cl_device_id>& its_devices, bool only_in_order);
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    QueuePtr queue(Random& random) { return queues_.any(random); }
    std::vector<QueuePtr> queues() { return queues_.all(); }
    // Puts a new queue of a random sort in the place of a random one, and gives the old one back.
    QueuePtr replace_queue(Random& random) { return queues_.replace(new_queue(random), random); }
    QueuePtr new_queue(Random& random);

    std::vector<cl_device_id> devices;
    bool in_order;  // has no out-of-order queues
    cl_context handle = nullptr;
    cl_program program = nullptr;
    bool native_kernels = false;
    bool svm = false;
    std::vector<std::unique_ptr<Buffer>> buffers;
    std::vector<std::unique_ptr<Buffer>> images;  // none where the devices have none
    template <typename Visit>
    void for_each_buffer(Visit visit) {
        for (auto* list : {&buffers, &images})
            for (const auto& buffer : *list) visit(*buffer);
    }

private:
    Pool<Queue> queues_;
};

struct World : xsched::base::NoCopies {
    explicit World(const Options& options);
    ~World();

    // Reads every buffer back at the end of the run and compares it with the model.
    void check_buffers();

    std::string name;  // of the platform
    bool wait_for_events = true;  // clEnqueueWaitForEvents works; PoCL 3.1 ends the program in it
    std::vector<cl_device_id> sub_devices;
    std::vector<std::unique_ptr<Context>> contexts;
};

// operations_image.cpp. nullptr: the context cannot have any.
cl_mem make_image(cl_context context);
cl_int read_image(cl_command_queue queue, cl_mem image, Words& words);

// Gives the queue of the buffer's last access an event to wait for, if it has none. The buffer's mutex is held.
TrackerPtr last_access(Buffer& buffer);

}  // namespace order::opencl
