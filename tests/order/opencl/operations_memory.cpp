// Kernels, fills, copies, reads and writes.
#include <algorithm>
#include <utility>

#include "order/opencl/worker.h"

namespace order::opencl {
namespace {

constexpr size_t kWordBytes = sizeof(uint32_t);

struct Range {
    size_t first;
    size_t count;
    size_t offset() const { return first * kWordBytes; }
    size_t bytes() const { return count * kWordBytes; }
};
Range random_range(Random& random) {
    const uint32_t first = random.below(kWords);
    return {first, 1 + random.below(static_cast<uint32_t>(kWords) - first)};
}

// A copy between a part of a buffer and the host. SVM buffers are copied by address (clEnqueueSVMMemcpy), others as a
// rectangle of one row or as a range of bytes.
struct Transfer {
    Transfer(Random& random, const Buffer& buffer)
        : range(random_range(random)),
          blocking(random.once_in(3)),
          svm(buffer.svm != nullptr),
          rect(!svm && random.once_in(3)),
          origin{range.offset(), 0, 0},
          region{range.bytes(), 1, 1} {}
    cl_command_type type(cl_command_type plain, cl_command_type as_rect) const {
        return svm ? cl_command_type{CL_COMMAND_SVM_MEMCPY} : rect ? as_rect : plain;
    }

    Range range;
    bool blocking, svm, rect;
    size_t origin[3], region[3];
};

void set_buffer(cl_kernel kernel, cl_uint index, const Buffer& buffer) {
    if (buffer.svm != nullptr) {
        expect_success(clSetKernelArgSVMPointer(kernel, index, buffer.svm), "clSetKernelArgSVMPointer");
    } else {
        expect_success(clSetKernelArg(kernel, index, sizeof buffer.memory, &buffer.memory), "clSetKernelArg");
    }
}

template <typename T>
void set_value(cl_kernel kernel, cl_uint index, const T& value) {
    expect_success(clSetKernelArg(kernel, index, sizeof value, &value), "clSetKernelArg");
}

uint32_t* words_at(void* svm, const Range& range) { return static_cast<uint32_t*>(svm) + range.first; }

void check_words(const HostMemory& host, const char* what) {
    for (size_t i = host.first; i < host.first + host.count; ++i) {
        if (host.words[i] == host.expected[i]) continue;
        violation("%s: word %zu is %08x, must be %08x", what, i, host.words[i], host.expected[i]);
        host.history.print();
        return;
    }
}

}  // namespace

void Worker::run_kernel(Context& context, const Kernels& kernels) {
    std::optional<Turn> turn = next_turn(context);
    if (!turn) return;
    auto& [lock, buffer, plan, queue] = *turn;
    const size_t items = 1 + random_.below(kWords);
    uint32_t value = random_.next();
    cl_kernel kernel = kernels.append;
    const uint32_t kind = random_.below(4);
    if (kind == 0) {
        kernel = kernels.append_wide;
        const cl_uint8 wide = {{value, 1, 2, 3, 4, 5, 6, 7}};
        set_value(kernel, 1, wide);
        value += 1 + 2 + 3 + 4 + 5 + 6 + 7;
    } else {
        if (kind == 1) {
            kernel = kernels.append_local;
            expect_success(clSetKernelArg(kernel, 2, kWords * kWordBytes, nullptr), "clSetKernelArg");
        }
        set_value(kernel, 1, value);
    }
    set_buffer(kernel, 0, *buffer);
    for (size_t i = 0; i < items; ++i) buffer->model[i] = buffer->model[i] * 31 + value;
    note(*buffer, plan, "kernel", 0, items);
    const TrackerPtr tracker = submit(plan, {CL_COMMAND_NDRANGE_KERNEL, "clEnqueueNDRangeKernel"},
                                      [&](cl_uint count, const cl_event* list, cl_event* event) {
                                          return clEnqueueNDRangeKernel(queue->handle, kernel, 1, nullptr, &items,
                                                                        nullptr, count, list, event);
                                      });
    accessed(*buffer, queue, tracker);
}

void Worker::run_combine(Context& context, const Kernels& kernels) {
    Lock lock, other_lock;
    Buffer* to = take_buffer(context, lock);
    Buffer* from = to != nullptr ? take_buffer(context, other_lock) : nullptr;
    if (from == nullptr) return;
    Plan plan{context.queue(random_), {}};
    follow(plan, *to);
    follow(plan, *from);
    const size_t items = 1 + random_.below(kWords);
    const uint32_t value = random_.next();
    set_buffer(kernels.combine, 0, *to);
    set_buffer(kernels.combine, 1, *from);
    set_value(kernels.combine, 2, value);
    for (size_t i = 0; i < items; ++i) to->model[i] = to->model[i] * 31 + from->model[i] + value;
    note(*to, plan, "kernel on two, target", 0, items);
    note(*from, plan, "kernel on two, source", 0, items);
    const QueuePtr queue = plan.queue;
    const TrackerPtr tracker = submit(plan, {CL_COMMAND_NDRANGE_KERNEL, "clEnqueueNDRangeKernel (two buffers)"},
                                      [&](cl_uint count, const cl_event* list, cl_event* event) {
                                          return clEnqueueNDRangeKernel(queue->handle, kernels.combine, 1, nullptr,
                                                                        &items, nullptr, count, list, event);
                                      });
    accessed(*to, queue, tracker);
    accessed(*from, queue, tracker);
}

void Worker::run_fill(Context& context) {
    std::optional<Turn> turn = next_turn(context);
    if (!turn) return;
    auto& [lock, buffer, plan, queue] = *turn;
    const Range range = random_range(random_);
    const uint32_t pattern = random_.next();
    std::fill_n(buffer->model.begin() + static_cast<long>(range.first), range.count, pattern);
    note(*buffer, plan, "fill", range.first, range.count);
    const bool svm = buffer->svm != nullptr;
    const TrackerPtr tracker =
        submit(plan, {static_cast<cl_command_type>(svm ? CL_COMMAND_SVM_MEMFILL : CL_COMMAND_FILL_BUFFER), "fill"},
               [&](cl_uint count, const cl_event* list, cl_event* event) {
                   return svm ? clEnqueueSVMMemFill(queue->handle, words_at(buffer->svm, range), &pattern,
                                                    sizeof pattern, range.bytes(), count, list, event)
                              : clEnqueueFillBuffer(queue->handle, buffer->memory, &pattern, sizeof pattern,
                                                    range.offset(), range.bytes(), count, list, event);
               });
    accessed(*buffer, queue, tracker);
}

void Worker::run_copy(Context& context) {
    Lock lock, other_lock;
    Buffer* to = take_buffer(context, lock);
    Buffer* from = to != nullptr ? take_buffer(context, other_lock) : nullptr;
    if (from == nullptr || (to->svm == nullptr) != (from->svm == nullptr)) return;
    Plan plan{context.queue(random_), {}};
    follow(plan, *to);
    follow(plan, *from);
    const Range range = random_range(random_);
    std::copy_n(from->model.begin() + static_cast<long>(range.first), range.count,
                to->model.begin() + static_cast<long>(range.first));
    note(*to, plan, "copy, target", range.first, range.count);
    note(*from, plan, "copy, source", range.first, range.count);
    const QueuePtr queue = plan.queue;
    const bool svm = to->svm != nullptr;
    const bool rect = !svm && random_.once_in(3);
    const size_t origin[3] = {range.offset(), 0, 0};
    const size_t region[3] = {range.bytes(), 1, 1};
    const auto type = static_cast<cl_command_type>(svm    ? CL_COMMAND_SVM_MEMCPY
                                                   : rect ? CL_COMMAND_COPY_BUFFER_RECT
                                                          : CL_COMMAND_COPY_BUFFER);
    const TrackerPtr tracker = submit(plan, {type, "copy"}, [&](cl_uint count, const cl_event* list, cl_event* event) {
        if (svm) {
            return clEnqueueSVMMemcpy(queue->handle, CL_FALSE, words_at(to->svm, range), words_at(from->svm, range),
                                      range.bytes(), count, list, event);
        }
        if (rect) {
            return clEnqueueCopyBufferRect(queue->handle, from->memory, to->memory, origin, origin, region, 0, 0, 0, 0,
                                           count, list, event);
        }
        return clEnqueueCopyBuffer(queue->handle, from->memory, to->memory, range.offset(), range.offset(),
                                   range.bytes(), count, list, event);
    });
    accessed(*to, queue, tracker);
    accessed(*from, queue, tracker);
}

void Worker::run_read(Context& context) {
    std::optional<Turn> turn = next_turn(context);
    if (!turn) return;
    auto& [lock, buffer, plan, queue] = *turn;
    const Transfer transfer(random_, *buffer);
    const auto& [range, blocking, svm, rect, origin, region] = transfer;
    const cl_command_type type = transfer.type(CL_COMMAND_READ_BUFFER, CL_COMMAND_READ_BUFFER_RECT);
    note(*buffer, plan, blocking ? "blocking read" : "read", range.first, range.count);
    HostMemoryPtr host = expected_words(*buffer, range.first, range.count);
    HostMemory* seen = host.get();
    // A blocking read without an event is checked here, any other by its tracker.
    const bool wants_event = !blocking || random_.once_in(2);
    const TrackerPtr tracker = submit(
        plan, {type, blocking ? "blocking read" : "read", wants_event, blocking},
        [&](cl_uint count, const cl_event* list, cl_event* event) {
            void* target = seen->words.data() + range.first;
            cl_int code = CL_SUCCESS;
            if (svm) {
                code = clEnqueueSVMMemcpy(queue->handle, blocking, target, words_at(buffer->svm, range), range.bytes(),
                                          count, list, event);
            } else if (rect) {
                code = clEnqueueReadBufferRect(queue->handle, buffer->memory, blocking, origin, origin, region, 0, 0, 0,
                                               0, seen->words.data(), count, list, event);
            } else {
                code = clEnqueueReadBuffer(queue->handle, buffer->memory, blocking, range.offset(), range.bytes(),
                                           target, count, list, event);
            }
            if (blocking) check_words(*seen, "blocking read");
            return code;
        },
        std::move(host));
    accessed(*buffer, queue, tracker);
}

void Worker::run_write(Context& context) {
    std::optional<Turn> turn = next_turn(context);
    if (!turn) return;
    auto& [lock, buffer, plan, queue] = *turn;
    const Transfer transfer(random_, *buffer);
    const auto& [range, blocking, svm, rect, origin, region] = transfer;
    const cl_command_type type = transfer.type(CL_COMMAND_WRITE_BUFFER, CL_COMMAND_WRITE_BUFFER_RECT);
    HostMemoryPtr host = random_words();
    HostMemory* source = host.get();
    std::copy_n(source->words.begin() + static_cast<long>(range.first), range.count,
                buffer->model.begin() + static_cast<long>(range.first));
    note(*buffer, plan, blocking ? "blocking write" : "write", range.first, range.count);
    const TrackerPtr tracker = submit(
        plan, {type, blocking ? "blocking write" : "write", !blocking, blocking},
        [&](cl_uint count, const cl_event* list, cl_event* event) {
            const void* from = source->words.data() + range.first;
            cl_int code = CL_SUCCESS;
            if (svm) {
                code = clEnqueueSVMMemcpy(queue->handle, blocking, words_at(buffer->svm, range), from, range.bytes(),
                                          count, list, event);
            } else if (rect) {
                code = clEnqueueWriteBufferRect(queue->handle, buffer->memory, blocking, origin, origin, region, 0, 0,
                                                0, 0, source->words.data(), count, list, event);
            } else {
                code = clEnqueueWriteBuffer(queue->handle, buffer->memory, blocking, range.offset(), range.bytes(),
                                            from, count, list, event);
            }
            if (blocking) source->words.fill(0xDEADBEEF);
            return code;
        },
        std::move(host));
    accessed(*buffer, queue, tracker);
}

}  // namespace order::opencl
