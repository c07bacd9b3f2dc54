// Images: four pixels of four words each, filled, written, read, and copied from and to each other and buffers.
#include <algorithm>
#include <utility>

#include "order/opencl/worker.h"

namespace order::opencl {
namespace {

constexpr size_t kWidth = 2;
constexpr size_t kHeight = 2;
constexpr size_t kRowWords = kWords / kHeight;

// The rows of an image that an operation covers: one row or all, so that they are contiguous in the model too.
struct Rows {
    size_t first;
    size_t count;
    size_t first_word() const { return first * kRowWords; }
    size_t words() const { return count * kRowWords; }
};
Rows random_rows(Random& random) {
    if (random.once_in(2)) return {0, kHeight};
    return {random.below(kHeight), 1};
}

// A region of an image: origin and size, as arrays for OpenCL's calls.
struct Region {
    explicit Region(const Rows& rows) : origin{0, rows.first, 0}, size{kWidth, rows.count, 1} {}
    size_t origin[3];
    size_t size[3];
};

}  // namespace

cl_mem make_image(cl_context context) {
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
    cl_image_desc description{};
    description.image_type = CL_MEM_OBJECT_IMAGE2D;
    description.image_width = kWidth;
    description.image_height = kHeight;
    Words zero{};
    cl_int code = CL_SUCCESS;
    cl_mem image =
        clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &description, zero.data(), &code);
    return code == CL_SUCCESS ? image : nullptr;
}

cl_int read_image(cl_command_queue queue, cl_mem image, Words& words) {
    const Region all({0, kHeight});
    return clEnqueueReadImage(queue, image, CL_TRUE, all.origin, all.size, 0, 0, words.data(), 0, nullptr, nullptr);
}

void Worker::run_image(Context& context) {
    Lock lock;
    Buffer* image = take_from(context.images, lock);
    if (image == nullptr) return;
    const uint32_t kind = random_.below(4);
    if (kind == 3) return copy_image(context, *image);
    Plan plan{context.queue(random_), {}};
    follow(plan, *image);
    switch (kind) {
        case 0: return write_image(plan, *image);
        case 1: return read_image(plan, *image);
        default: return fill_image(plan, *image);
    }
}

void Worker::fill_image(Plan& plan, Buffer& image) {
    const QueuePtr queue = plan.queue;
    const Rows rows = random_rows(random_);
    const Region region(rows);
    uint32_t color[4];
    for (uint32_t& word : color) word = random_.next();
    for (size_t i = 0; i < rows.words(); ++i) image.model[rows.first_word() + i] = color[i % 4];
    note(image, plan, "image fill", rows.first_word(), rows.words());
    accessed(image, queue,
             submit(plan, {CL_COMMAND_FILL_IMAGE, "clEnqueueFillImage"},
                    [&](cl_uint count, const cl_event* list, cl_event* event) {
                        const cl_int code = clEnqueueFillImage(queue->handle, image.memory, color, region.origin,
                                                               region.size, count, list, event);
                        std::fill_n(color, 4, 0xDEADBEEF);  // it was copied
                        return code;
                    }));
}

void Worker::write_image(Plan& plan, Buffer& image) {
    const QueuePtr queue = plan.queue;
    const Rows rows = random_rows(random_);
    const Region region(rows);
    const bool blocking = random_.once_in(3);
    HostMemoryPtr host = random_words();
    HostMemory* source = host.get();
    const auto first = static_cast<long>(rows.first_word());
    std::copy_n(source->words.begin() + first, rows.words(), image.model.begin() + first);
    note(image, plan, "image write", rows.first_word(), rows.words());
    const char* what = blocking ? "blocking image write" : "image write";
    const TrackerPtr tracker = submit(
        plan, {CL_COMMAND_WRITE_IMAGE, what, !blocking, blocking},
        [&](cl_uint count, const cl_event* list, cl_event* event) {
            const cl_int code = clEnqueueWriteImage(queue->handle, image.memory, blocking, region.origin, region.size,
                                                    0, 0, source->words.data() + first, count, list, event);
            if (blocking) source->words.fill(0xDEADBEEF);
            return code;
        },
        std::move(host));
    accessed(image, queue, tracker);
}

void Worker::read_image(Plan& plan, Buffer& image) {
    const QueuePtr queue = plan.queue;
    const Rows rows = random_rows(random_);
    const Region region(rows);
    const bool blocking = random_.once_in(3);
    note(image, plan, "image read", rows.first_word(), rows.words());
    HostMemoryPtr host = expected_words(image, rows.first_word(), rows.words());
    uint32_t* const target = host->words.data() + host->first;
    const char* what = blocking ? "blocking image read" : "image read";
    const TrackerPtr tracker = submit(
        plan, {CL_COMMAND_READ_IMAGE, what, true, blocking},
        [&](cl_uint count, const cl_event* list, cl_event* event) {
            return clEnqueueReadImage(queue->handle, image.memory, blocking, region.origin, region.size, 0, 0, target,
                                      count, list, event);
        },
        std::move(host));
    accessed(image, queue, tracker);
}

// Copies to the image from another image or from a buffer, or from the image to a buffer.
void Worker::copy_image(Context& context, Buffer& image) {
    Lock lock;
    const uint32_t kind = random_.below(3);
    Buffer* other = kind == 0 ? take_from(context.images, lock) : take_buffer(context, lock);
    if (other == nullptr || other->svm != nullptr) return;
    Buffer& from = kind == 2 ? image : *other;
    Buffer& to = kind == 2 ? *other : image;
    Plan plan{context.queue(random_), {}};
    follow(plan, to);
    follow(plan, from);
    const QueuePtr queue = plan.queue;
    const Rows rows = random_rows(random_);
    const Region region(rows);
    const size_t offset = rows.first_word() * sizeof(uint32_t);
    const auto first = static_cast<long>(rows.first_word());
    std::copy_n(from.model.begin() + first, rows.words(), to.model.begin() + first);
    note(to, plan, "image copy, target", rows.first_word(), rows.words());
    note(from, plan, "image copy, source", rows.first_word(), rows.words());
    constexpr cl_command_type kTypes[] = {CL_COMMAND_COPY_IMAGE, CL_COMMAND_COPY_BUFFER_TO_IMAGE,
                                          CL_COMMAND_COPY_IMAGE_TO_BUFFER};
    const TrackerPtr tracker =
        submit(plan, {kTypes[kind], "image copy"}, [&](cl_uint count, const cl_event* list, cl_event* event) {
            if (kind == 0)
                return clEnqueueCopyImage(queue->handle, from.memory, to.memory, region.origin, region.origin,
                                          region.size, count, list, event);
            if (kind == 1)
                return clEnqueueCopyBufferToImage(queue->handle, from.memory, to.memory, offset, region.origin,
                                                  region.size, count, list, event);
            return clEnqueueCopyImageToBuffer(queue->handle, from.memory, to.memory, region.origin, region.size, offset,
                                              count, list, event);
        });
    accessed(to, queue, tracker);
    accessed(from, queue, tracker);
}

}  // namespace order::opencl
