#include "order/opencl/world.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "order/core/report.h"
#include "order/opencl/kernels.h"

namespace order::opencl {
namespace {

constexpr int kContexts = 2;
constexpr size_t kQueues = 5;
constexpr size_t kBuffers = 12;
constexpr size_t kSvmBuffers = 3;
constexpr size_t kImages = 4;

[[noreturn]] void give_up(const char* what, cl_int code) {
    std::fprintf(stderr, "order_check: cannot start: %s returned %d\n", what, code);
    std::exit(2);
}
void need(cl_int code, const char* what) {
    if (code != CL_SUCCESS) give_up(what, code);
}

template <typename T>
T device_info(cl_device_id device, cl_device_info name) {
    T value{};
    clGetDeviceInfo(device, name, sizeof value, &value, nullptr);
    return value;
}

cl_platform_id choose_platform(const std::string& wanted, std::string& name) {
    cl_platform_id platforms[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS || count == 0) {
        std::printf("skipped: there is no OpenCL platform\n");
        std::exit(77);
    }
    for (cl_uint i = 0; i < std::min<cl_uint>(count, 16); ++i) {
        char text[256] = "";
        need(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text, text, nullptr), "clGetPlatformInfo");
        name = text;
        if (wanted.empty() || name.find(wanted) != std::string::npos) return platforms[i];
    }
    std::fprintf(stderr, "order_check: no OpenCL platform is called '%s'; see clinfo\n", wanted.c_str());
    std::exit(2);
}

}  // namespace

Queue::Queue(Context& its_context, cl_device_id its_device, bool is_in_order, bool has_profiling)
    : context(its_context), device(its_device), in_order(is_in_order), profiling(has_profiling) {
    cl_command_queue_properties bits = 0;
    if (!in_order) bits |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    if (profiling) bits |= CL_QUEUE_PROFILING_ENABLE;
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, bits, 0};
    cl_int code = CL_SUCCESS;
    handle = clCreateCommandQueueWithProperties(context.handle, device, list, &code);
    need(code, "clCreateCommandQueueWithProperties");
}

Queue::~Queue() { expect_success(clReleaseCommandQueue(handle), "clReleaseCommandQueue"); }

Context::Context(const std::vector<cl_device_id>& its_devices, bool only_in_order)
    : devices(its_devices), in_order(only_in_order) {
    cl_int code = CL_SUCCESS;
    handle = clCreateContext(nullptr, static_cast<cl_uint>(devices.size()), devices.data(), nullptr, nullptr, &code);
    need(code, "clCreateContext");
    const char* source = kKernelSource;
    program = clCreateProgramWithSource(handle, 1, &source, nullptr, &code);
    need(code, "clCreateProgramWithSource");
    need(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), "clBuildProgram");
    native_kernels = true;
    svm = true;
    bool has_images = true;
    for (cl_device_id it : devices) {
        const auto can = device_info<cl_device_exec_capabilities>(it, CL_DEVICE_EXECUTION_CAPABILITIES);
        if ((can & CL_EXEC_NATIVE_KERNEL) == 0) native_kernels = false;
        if (device_info<cl_device_svm_capabilities>(it, CL_DEVICE_SVM_CAPABILITIES) == 0) svm = false;
        // PoCL 3.1 ends the program where an image is used on a part of a device.
        const bool part = device_info<cl_device_id>(it, CL_DEVICE_PARENT_DEVICE) != nullptr;
        if (part || device_info<cl_bool>(it, CL_DEVICE_IMAGE_SUPPORT) == CL_FALSE) has_images = false;
    }
    Words zero{};
    for (size_t i = 0; i < kBuffers; ++i) {
        auto buffer = std::make_unique<Buffer>();
        buffer->memory =
            clCreateBuffer(handle, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zero, zero.data(), &code);
        need(code, "clCreateBuffer");
        buffers.push_back(std::move(buffer));
    }
    for (size_t i = 0; svm && i < kSvmBuffers; ++i) {
        auto buffer = std::make_unique<Buffer>();
        buffer->svm = clSVMAlloc(handle, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof zero, 0);
        if (buffer->svm == nullptr) break;
        std::fill_n(static_cast<uint32_t*>(buffer->svm), kWords, 0U);
        buffers.push_back(std::move(buffer));
    }
    for (size_t i = 0; has_images && i < kImages; ++i) {
        auto image = std::make_unique<Buffer>();
        image->memory = make_image(handle);
        if (image->memory == nullptr) break;
        images.push_back(std::move(image));
    }
    Random random(devices.size());
    for (size_t i = 0; i < kQueues; ++i) queues_.add(new_queue(random));
}

Context::~Context() {
    queues_.clear();
    for_each_buffer([this](Buffer& buffer) {
        buffer.last.reset();
        buffer.last_queue.reset();
        if (buffer.memory != nullptr) expect_success(clReleaseMemObject(buffer.memory), "clReleaseMemObject");
        if (buffer.svm != nullptr) clSVMFree(handle, buffer.svm);
    });
    expect_success(clReleaseProgram(program), "clReleaseProgram");
    expect_success(clReleaseContext(handle), "clReleaseContext");
}

QueuePtr Context::new_queue(Random& random) {
    cl_device_id device = devices[random.below(static_cast<uint32_t>(devices.size()))];
    const bool ordered = !random.once_in(3) || in_order;
    return std::make_shared<Queue>(*this, device, ordered, random.once_in(2));
}

World::World(const Options& options) {
    cl_platform_id platform = choose_platform(options.platform, name);
    wait_for_events = name.find("Portable Computing Language") == std::string::npos;
    cl_device_id devices[8];
    cl_uint count = 0;
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 8, devices, &count), "clGetDeviceIDs");
    std::vector<cl_device_id> all(devices, devices + std::min<cl_uint>(count, 8));
    const auto units = device_info<cl_uint>(all[0], CL_DEVICE_MAX_COMPUTE_UNITS);
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, std::max<cl_uint>(units / 2, 1), 0};
    cl_device_id parts[2];
    cl_uint part_count = 0;
    if (units >= 2 && clCreateSubDevices(all[0], halves, 2, parts, &part_count) == CL_SUCCESS) {
        sub_devices.assign(parts, parts + std::min<cl_uint>(part_count, 2));
    }
    for (int i = 0; i < kContexts; ++i) {
        std::vector<cl_device_id> its_devices = all;
        if (i != 0 && !sub_devices.empty()) its_devices = sub_devices;
        contexts.push_back(std::make_unique<Context>(its_devices, options.in_order));
    }
}

World::~World() {
    contexts.clear();
    for (cl_device_id it : sub_devices) expect_success(clReleaseDevice(it), "clReleaseDevice");
}

void World::check_buffers() {
    for (const auto& context : contexts) {
        for (const QueuePtr& queue : context->queues()) expect_success(clFinish(queue->handle), "clFinish");
        Random random(1);
        const QueuePtr queue = context->new_queue(random);
        for (size_t i = 0; i < context->buffers.size(); ++i) {
            Buffer& buffer = *context->buffers[i];
            const std::lock_guard lock(buffer.mutex);
            if (buffer.last_queue) expect_success(clFinish(buffer.last_queue->handle), "clFinish");
            Words words{};
            if (buffer.svm != nullptr) {
                const auto* content = static_cast<const uint32_t*>(buffer.svm);
                std::copy(content, content + kWords, words.begin());
            } else {
                expect_success(clEnqueueReadBuffer(queue->handle, buffer.memory, CL_TRUE, 0, sizeof words, words.data(),
                                                   0, nullptr, nullptr),
                               "clEnqueueReadBuffer");
            }
            if (words != buffer.model) violation("buffer %zu does not hold what its commands must have left", i);
        }
        for (size_t i = 0; i < context->images.size(); ++i) {
            Buffer& image = *context->images[i];
            const std::lock_guard lock(image.mutex);
            if (image.last_queue) expect_success(clFinish(image.last_queue->handle), "clFinish");
            Words words{};
            expect_success(read_image(queue->handle, image.memory, words), "clEnqueueReadImage");
            if (words != image.model) violation("image %zu does not hold what its commands must have left", i);
        }
    }
}

TrackerPtr last_access(Buffer& buffer) {
    if (buffer.last || !buffer.last_queue) return buffer.last;
    cl_event event = nullptr;
    expect_success(clEnqueueMarkerWithWaitList(buffer.last_queue->handle, 0, nullptr, &event),
                   "clEnqueueMarkerWithWaitList");
    buffer.last =
        std::make_shared<Tracker>(event, buffer.last_queue, CL_COMMAND_MARKER, "marker after the last access");
    buffer.last_queue->remember(buffer.last);
    return buffer.last;
}

}  // namespace order::opencl
