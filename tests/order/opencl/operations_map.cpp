// Maps, native kernels and migrations.
#include <algorithm>

#include "order/opencl/worker.h"

namespace order::opencl {
namespace {

struct NativeArguments {
    uint32_t* words;
    uint32_t value;
    uint32_t items;
};
void CL_CALLBACK native_append(void* data) {
    const auto* it = static_cast<const NativeArguments*>(data);
    for (uint32_t i = 0; i < it->items; ++i) it->words[i] = it->words[i] * 31 + it->value;
}

// Checks the host's view of a mapped buffer, and the content that it leaves there.
void use_mapping(Random& random, uint32_t* words, Buffer& buffer, cl_map_flags flags) {
    Words& model = buffer.model;
    if ((flags & CL_MAP_READ) != 0 && !std::equal(model.begin(), model.end(), words)) {
        violation("map: the mapped memory does not hold what the commands before it must have left");
        buffer.history.print();
    }
    if ((flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) == 0) return;
    for (size_t i = 0; i < kWords; ++i) {
        model[i] = random.next();
        words[i] = model[i];
    }
}

}  // namespace

void Worker::run_map(Context& context) {
    std::optional<Turn> turn = next_turn(context);
    if (!turn) return;
    auto& [lock, buffer, plan, queue] = *turn;
    const bool svm = buffer->svm != nullptr;
    const bool blocking = random_.once_in(2);
    constexpr cl_map_flags kFlags[] = {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE,
                                       CL_MAP_WRITE_INVALIDATE_REGION};
    const cl_map_flags flags = kFlags[random_.below(4)];
    void* pointer = buffer->svm;
    note(*buffer, plan, blocking ? "blocking map" : "map");
    const TrackerPtr mapped = submit(plan,
                                     {static_cast<cl_command_type>(svm ? CL_COMMAND_SVM_MAP : CL_COMMAND_MAP_BUFFER),
                                      blocking ? "blocking map" : "map", !blocking, blocking},
                                     [&](cl_uint count, const cl_event* list, cl_event* event) {
                                         if (svm)
                                             return clEnqueueSVMMap(queue->handle, blocking, flags, pointer,
                                                                    sizeof(Words), count, list, event);
                                         cl_int code = CL_SUCCESS;
                                         pointer = clEnqueueMapBuffer(queue->handle, buffer->memory, blocking, flags, 0,
                                                                      sizeof(Words), count, list, event, &code);
                                         return code;
                                     });
    accessed(*buffer, queue, mapped);
    if (pointer == nullptr) return;
    if (!blocking) {
        cl_event event = mapped->event();
        Activity::set("waiting for a map");
        expect_success(clWaitForEvents(1, &event), "clWaitForEvents");
        mapped->check_complete("wait");
    }
    use_mapping(random_, static_cast<uint32_t*>(pointer), *buffer, flags);
    Plan unmap_plan{random_.once_in(2) ? queue : context.queue(random_), {}};
    follow(unmap_plan, *buffer);
    const QueuePtr unmap_queue = unmap_plan.queue;
    note(*buffer, unmap_plan, "unmap");
    const TrackerPtr unmapped = submit(
        unmap_plan, {static_cast<cl_command_type>(svm ? CL_COMMAND_SVM_UNMAP : CL_COMMAND_UNMAP_MEM_OBJECT), "unmap"},
        [&](cl_uint count, const cl_event* list, cl_event* event) {
            return svm ? clEnqueueSVMUnmap(unmap_queue->handle, pointer, count, list, event)
                       : clEnqueueUnmapMemObject(unmap_queue->handle, buffer->memory, pointer, count, list, event);
        });
    accessed(*buffer, unmap_queue, unmapped);
}

void Worker::run_native(Context& context) {
    Lock lock;
    Buffer* buffer = take_buffer(context, lock);
    if (buffer == nullptr || buffer->svm != nullptr || !context.native_kernels) return;
    Plan plan{context.queue(random_), {}};
    follow(plan, *buffer);
    const QueuePtr queue = plan.queue;
    NativeArguments arguments{nullptr, random_.next(), 1 + random_.below(kWords)};
    for (size_t i = 0; i < arguments.items; ++i) buffer->model[i] = buffer->model[i] * 31 + arguments.value;
    note(*buffer, plan, "native kernel", 0, arguments.items);
    const void* location = &arguments.words;
    const TrackerPtr tracker = submit(plan, {CL_COMMAND_NATIVE_KERNEL, "clEnqueueNativeKernel"},
                                      [&](cl_uint count, const cl_event* list, cl_event* event) {
                                          const cl_int code = clEnqueueNativeKernel(
                                              queue->handle, &native_append, &arguments, sizeof arguments, 1,
                                              &buffer->memory, &location, count, list, event);
                                          arguments = {};  // they were copied
                                          return code;
                                      });
    accessed(*buffer, queue, tracker);
}

void Worker::run_migrate(Context& context) {
    Lock lock;
    Buffer* buffer = take_buffer(context, lock);
    if (buffer == nullptr || buffer->svm != nullptr) return;
    Plan plan{context.queue(random_), {}};
    follow(plan, *buffer);
    const QueuePtr queue = plan.queue;
    note(*buffer, plan, "migrate");
    const TrackerPtr tracker =
        submit(plan, {CL_COMMAND_MIGRATE_MEM_OBJECTS, "clEnqueueMigrateMemObjects"},
               [&](cl_uint count, const cl_event* list, cl_event* event) {
                   return clEnqueueMigrateMemObjects(queue->handle, 1, &buffer->memory, 0, count, list, event);
               });
    accessed(*buffer, queue, tracker);
}

}  // namespace order::opencl
