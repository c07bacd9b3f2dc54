// Every enqueue function becomes exactly one command of the XQueue. The command is held back while the XQueue is
// suspended and runs when it is resumed, whether the program asked for an event or not.
#include <cerrno>
#include <string>

#include "platform/opencl/shim/scheduled_queue.h"

namespace xsched::test {
namespace {

struct Objects {
    explicit Objects(cl_command_queue used_by) : queue(used_by) {
        const Platform& platform = Platform::get();
        const cl_image_format format{CL_RGBA, CL_UNSIGNED_INT8};
        cl_image_desc description{};
        description.image_type = CL_MEM_OBJECT_IMAGE2D;
        description.image_width = description.image_height = 8;
        for (cl_mem& image : images)
            image = clCreateImage(platform.context, CL_MEM_READ_WRITE, &format, &description, nullptr, nullptr);
        for (cl_mem& buffer : buffers)
            buffer = clCreateBuffer(platform.context, CL_MEM_READ_WRITE, kBytes, nullptr, nullptr);
        for (void*& pointer : shared) pointer = clSVMAlloc(platform.context, CL_MEM_READ_WRITE, kBytes, 0);
        kernel = platform.kernel("append");
        const cl_int one = 1;
        clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[0]);
        clSetKernelArg(kernel, 1, sizeof one, &one);
        mapped = clEnqueueMapBuffer(queue, buffers[1], CL_TRUE, CL_MAP_WRITE, 0, kBytes, 0, nullptr, nullptr, nullptr);
        clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, shared[1], kBytes, 0, nullptr, nullptr);
    }
    ~Objects() {
        clFinish(queue);
        for (cl_mem image : images) clReleaseMemObject(image);
        for (cl_mem buffer : buffers) clReleaseMemObject(buffer);
        for (void* pointer : shared) clSVMFree(Platform::get().context, pointer);
        clReleaseKernel(kernel);
    }
    Objects(const Objects&) = delete;
    Objects& operator=(const Objects&) = delete;

    cl_command_queue queue;
    cl_mem images[2];
    cl_mem buffers[3];
    void* shared[2];
    void* mapped = nullptr;
    cl_kernel kernel = nullptr;
    char host[kBytes] = {};
};

constexpr size_t kOrigin[3] = {0, 0, 0};
constexpr size_t kRegion[3] = {8, 8, 1};

void CL_CALLBACK native_body(void*) {}
void CL_CALLBACK free_nothing(cl_command_queue, cl_uint, void**, void*) {}

struct Function {
    const char* name;
    cl_int (*call)(Objects& o, cl_uint n, const cl_event* wait, cl_event* event);
};

#define ENQUEUES(name, ...)                                                       \
    Function {                                                                    \
        #name, [](Objects& o, cl_uint n, const cl_event* wait, cl_event* event) { \
            return name(o.queue, __VA_ARGS__, n, wait, event);                    \
        }                                                                         \
    }

const cl_int kPattern = 7;
const cl_uint kColour[4] = {1, 2, 3, 4};
const size_t kSize = kElements;

const Function kFunctions[] = {
    ENQUEUES(clEnqueueNDRangeKernel, o.kernel, 1, nullptr, &kSize, nullptr),
    ENQUEUES(clEnqueueTask, o.kernel),
    ENQUEUES(clEnqueueNativeKernel, native_body, nullptr, 0, 0, nullptr, nullptr),
    ENQUEUES(clEnqueueReadBuffer, o.buffers[0], CL_FALSE, 0, kBytes, o.host),
    ENQUEUES(clEnqueueWriteBuffer, o.buffers[0], CL_FALSE, 0, kBytes, o.host),
    ENQUEUES(clEnqueueReadBufferRect, o.buffers[0], CL_FALSE, kOrigin, kOrigin, kRegion, 0, 0, 0, 0, o.host),
    ENQUEUES(clEnqueueWriteBufferRect, o.buffers[0], CL_FALSE, kOrigin, kOrigin, kRegion, 0, 0, 0, 0, o.host),
    ENQUEUES(clEnqueueCopyBuffer, o.buffers[0], o.buffers[2], 0, 0, kBytes),
    ENQUEUES(clEnqueueCopyBufferRect, o.buffers[0], o.buffers[2], kOrigin, kOrigin, kRegion, 0, 0, 0, 0),
    ENQUEUES(clEnqueueFillBuffer, o.buffers[0], &kPattern, sizeof kPattern, 0, kBytes),
    ENQUEUES(clEnqueueReadImage, o.images[0], CL_FALSE, kOrigin, kRegion, 0, 0, o.host),
    ENQUEUES(clEnqueueWriteImage, o.images[0], CL_FALSE, kOrigin, kRegion, 0, 0, o.host),
    ENQUEUES(clEnqueueCopyImage, o.images[0], o.images[1], kOrigin, kOrigin, kRegion),
    ENQUEUES(clEnqueueCopyImageToBuffer, o.images[0], o.buffers[0], kOrigin, kRegion, 0),
    ENQUEUES(clEnqueueCopyBufferToImage, o.buffers[0], o.images[0], 0, kOrigin, kRegion),
    ENQUEUES(clEnqueueFillImage, o.images[0], kColour, kOrigin, kRegion),
    ENQUEUES(clEnqueueUnmapMemObject, o.buffers[1], o.mapped),
    ENQUEUES(clEnqueueMigrateMemObjects, 1, &o.buffers[0], 0),
    ENQUEUES(clEnqueueSVMMemcpy, CL_FALSE, o.shared[0], o.host, kBytes),
    ENQUEUES(clEnqueueSVMMemFill, o.shared[0], &kPattern, sizeof kPattern, kBytes),
    ENQUEUES(clEnqueueSVMMap, CL_FALSE, CL_MAP_READ, o.shared[0], kBytes),
    ENQUEUES(clEnqueueSVMUnmap, o.shared[1]),
    ENQUEUES(clEnqueueSVMFree, 1, &o.shared[0], free_nothing, nullptr),
    ENQUEUES(clEnqueueSVMMigrateMem, 1, const_cast<const void**>(&o.shared[0]), nullptr, 0),
    {"clEnqueueMapBuffer",
     [](Objects& o, cl_uint n, const cl_event* wait, cl_event* event) {
         cl_int code = 1;
         clEnqueueMapBuffer(o.queue, o.buffers[0], CL_FALSE, CL_MAP_READ, 0, kBytes, n, wait, event, &code);
         return code;
     }},
    {"clEnqueueMapImage",
     [](Objects& o, cl_uint n, const cl_event* wait, cl_event* event) {
         size_t pitch = 0;
         cl_int code = 1;
         clEnqueueMapImage(o.queue, o.images[0], CL_FALSE, CL_MAP_READ, kOrigin, kRegion, &pitch, nullptr, n, wait,
                           event, &code);
         return code;
     }},
};

class EveryEnqueue : public ::testing::TestWithParam<Function> {
protected:
    void SetUp() override {
        if (Platform::get().device == nullptr) GTEST_SKIP() << "no OpenCL device on this machine";
    }
};

INSTANTIATE_TEST_SUITE_P(OpenCl, EveryEnqueue, ::testing::ValuesIn(kFunctions),
                         [](const auto& function) { return std::string(function.param.name); });

TEST_P(EveryEnqueue, IsHeldBackWhileSuspendedAndRunsAfterwards) {
    ScheduledQueue queue;
    Objects objects(queue.queue);
    ASSERT_EQ(clFinish(queue.queue), CL_SUCCESS);
    const int64_t before = queue.commands();
    queue.suspend();
    cl_event event = nullptr;
    const cl_int code = GetParam().call(objects, 0, nullptr, &event);
    if (code == CL_INVALID_OPERATION || code == CL_INVALID_DEVICE) GTEST_SKIP() << "this device cannot do it";
    ASSERT_EQ(code, CL_SUCCESS);
    ASSERT_NE(event, nullptr);
    EXPECT_EQ(queue.commands(), before + 1);
    EXPECT_EQ(queue.state(), kQueueStateReady);
    clFlush(queue.queue);
    let_time_pass();
    EXPECT_GT(status_of(event), CL_COMPLETE);
    queue.resume();
    EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
    EXPECT_EQ(status_of(event), CL_COMPLETE);
    EXPECT_TRUE(queue.becomes_idle());
    clReleaseEvent(event);
}

TEST_P(EveryEnqueue, WithoutAnEventTooAndBehindTheProgramsOwnWaitList) {
    ScheduledQueue queue;
    Objects objects(queue.queue);
    ASSERT_EQ(clFinish(queue.queue), CL_SUCCESS);
    cl_event gate = clCreateUserEvent(Platform::get().context, nullptr);
    const int64_t before = queue.commands();
    queue.suspend();
    const cl_int code = GetParam().call(objects, 1, &gate, nullptr);
    if (code == CL_INVALID_OPERATION || code == CL_INVALID_DEVICE) {
        clSetUserEventStatus(gate, CL_COMPLETE);
        clReleaseEvent(gate);
        GTEST_SKIP() << "this device cannot do it";
    }
    ASSERT_EQ(code, CL_SUCCESS);
    EXPECT_EQ(queue.commands(), before + 1);
    queue.resume();
    clFlush(queue.queue);
    let_time_pass();
    EXPECT_EQ(queue.state(), kQueueStateReady) << "the program's own event does not hold it any more";
    EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue.queue), CL_SUCCESS);
    EXPECT_TRUE(queue.becomes_idle());
    clReleaseEvent(gate);
}

class FailingEnqueue : public OpenClTest {};

// The driver's own code and errno come back, and the XQueue is as if the call had not been made.
TEST_F(FailingEnqueue, FailsAsTheDriverFailsAndLeavesNothingBehind) {
    ScheduledQueue queue;
    cl_kernel no_arguments = Platform::get().kernel("append");
    char host[16] = {};
    for (const bool suspended : {false, true}) {
        if (suspended) queue.suspend();
        cl_event event = nullptr;
        for (cl_event* wanted : {&event, static_cast<cl_event*>(nullptr)}) {
            errno = 4711;
            EXPECT_EQ(clEnqueueReadBuffer(queue.queue, queue.buffer, CL_FALSE, kBytes, 16, host, 0, nullptr, wanted),
                      CL_INVALID_VALUE);
            EXPECT_EQ(clEnqueueReadBuffer(queue.queue, nullptr, CL_TRUE, 0, 16, host, 0, nullptr, wanted),
                      CL_INVALID_MEM_OBJECT);
            EXPECT_EQ(
                clEnqueueNDRangeKernel(queue.queue, no_arguments, 1, nullptr, &kSize, nullptr, 0, nullptr, wanted),
                CL_INVALID_KERNEL_ARGS);
            cl_int code = CL_SUCCESS;
            EXPECT_EQ(clEnqueueMapBuffer(queue.queue, queue.buffer, CL_FALSE, CL_MAP_READ, kBytes, 16, 0, nullptr,
                                         wanted, &code),
                      nullptr);
            EXPECT_EQ(code, CL_INVALID_VALUE);
            EXPECT_EQ(errno, 4711);
        }
        // A list that contradicts itself is the driver's to refuse.
        const cl_int value = 1;
        EXPECT_EQ(clEnqueueFillBuffer(queue.queue, queue.buffer, &value, sizeof value, 0, kBytes, 1, nullptr, &event),
                  CL_INVALID_EVENT_WAIT_LIST);
        EXPECT_TRUE(queue.becomes_idle());
    }
    queue.resume();
    queue.fill(3);
    EXPECT_EQ(queue.read(), queue.all(3));
    clReleaseKernel(no_arguments);
}

TEST_F(FailingEnqueue, ANullQueueIsTheDriversToRefuse) {
    const cl_int value = 1;
    EXPECT_EQ(clEnqueueFillBuffer(nullptr, nullptr, &value, sizeof value, 0, 16, 0, nullptr, nullptr),
              CL_INVALID_COMMAND_QUEUE);
    EXPECT_EQ(clFinish(nullptr), CL_INVALID_COMMAND_QUEUE);
    EXPECT_EQ(clReleaseCommandQueue(nullptr), CL_INVALID_COMMAND_QUEUE);
    EXPECT_EQ(clRetainCommandQueue(nullptr), CL_INVALID_COMMAND_QUEUE);
}

// A function of the driver that XSched's table does not know is returned to the program unchanged, and is logged
// once.
TEST_F(FailingEnqueue, AFunctionThatWeDoNotKnowAndLooksLikeWorkIsToldOnce) {
    const auto said = [](const char* name, bool* found) {
        testing::internal::CaptureStderr();
        *found = clGetExtensionFunctionAddressForPlatform(Platform::get().platform, name) != nullptr;
        return testing::internal::GetCapturedStderr();
    };
    bool found = false;
    const std::string first = said("clEnqueueFutureThingFAKE", &found);
    if (!found) GTEST_SKIP() << "no such function in this driver";
    EXPECT_NE(first.find("has asked the driver for clEnqueueFutureThingFAKE, which"), std::string::npos) << first;
    EXPECT_EQ(said("clEnqueueFutureThingFAKE", &found), "");
    EXPECT_EQ(said("clEnqueueNDRangeKernel", &found), "") << "which the table has";
}

}  // namespace
}  // namespace xsched::test
