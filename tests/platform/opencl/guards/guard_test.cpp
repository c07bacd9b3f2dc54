// Preempt level 2: a suspended queue's kernel stops between two work-groups and goes on when the queue is resumed, and
// nothing but time tells the program. Run with XSCHED_AUTO_XQUEUE_LEVEL=2 (or 3) and XSCHED_DEBUG=opencl_guard_us=0; on
// devices whose kernels see the host's stores (CPUs), which is how these tests know without luck where a kernel is.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <utility>

#include "platform/opencl/guards/guard_kernels.h"
#include "platform/opencl/shim/scheduled_queue.h"

namespace xsched::test {
namespace {

constexpr size_t kGroups = 400;
constexpr size_t kGroupSize = 16;
constexpr size_t kItems = kGroups * kGroupSize;

// Words in host memory that an OpenCL buffer uses, so the kernel and this program see each other's changes at once.
class SharedWords {
public:
    explicit SharedWords(size_t count) : words_(count) {
        memory = clCreateBuffer(Platform::get().context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                count * sizeof(cl_uint), words_.data(), nullptr);
    }
    SharedWords(const SharedWords&) = delete;
    SharedWords& operator=(const SharedWords&) = delete;
    ~SharedWords() {
        if (memory != nullptr) clReleaseMemObject(memory);
    }

    void set(size_t index, cl_uint value) { __atomic_store_n(&words_[index], value, __ATOMIC_SEQ_CST); }
    cl_uint get(size_t index) const { return __atomic_load_n(&words_[index], __ATOMIC_SEQ_CST); }
    size_t count_of(cl_uint value) const {
        size_t count = 0;
        for (size_t i = 0; i < words_.size(); ++i) count += get(i) == value;
        return count;
    }

    cl_mem memory = nullptr;

private:
    std::vector<cl_uint> words_;
};

cl_program build(const std::string& source, const char* options = "") {
    const Platform& platform = Platform::get();
    const char* text = source.c_str();
    cl_program program = clCreateProgramWithSource(platform.context, 1, &text, nullptr, nullptr);
    EXPECT_EQ(clBuildProgram(program, 1, &platform.device, options, nullptr, nullptr), CL_SUCCESS);
    return program;
}

cl_kernel kernel_of(cl_program program, const char* name) {
    cl_int code = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program, name, &code);
    EXPECT_EQ(code, CL_SUCCESS) << name;
    return kernel;
}

template <typename... Values>
void set_arguments(cl_kernel kernel, const Values&... values) {
    cl_uint index = 0;
    cl_int code = CL_SUCCESS;
    ((code = code != CL_SUCCESS ? code : clSetKernelArg(kernel, index++, sizeof values, &values)), ...);
    EXPECT_EQ(code, CL_SUCCESS);
}

class GuardTest : public ::testing::Test {
protected:
    void SetUp() override {
        if (Platform::get().device == nullptr) GTEST_SKIP() << "no OpenCL device on this machine";
        const char* level = std::getenv("XSCHED_AUTO_XQUEUE_LEVEL");
        if (level == nullptr || std::string(level) < "2") GTEST_SKIP() << "needs XSCHED_AUTO_XQUEUE_LEVEL=2 or 3";
        cl_device_type type = 0;
        clGetDeviceInfo(Platform::get().device, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
        if ((type & CL_DEVICE_TYPE_CPU) == 0) GTEST_SKIP() << "the device is no CPU";
        clGetDeviceInfo(Platform::get().device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units_, &units_, nullptr);
    }
    cl_uint units_ = 1;
};

// A kernel `steps` for tests: its work-group n ends once the word `gate` is above n. Counts how often each work-item
// ran.
class Steps {
public:
    explicit Steps(cl_program program = nullptr) : gate(1), ran(kItems) {
        cl_program its_program = program != nullptr ? program : build(kStepsSource);
        kernel = kernel_of(its_program, "steps");
        set_arguments(kernel, gate.memory, ran.memory);
        if (program == nullptr) clReleaseProgram(its_program);
    }
    Steps(const Steps&) = delete;
    Steps& operator=(const Steps&) = delete;
    ~Steps() {
        if (kernel != nullptr) clReleaseKernel(kernel);
    }

    void enqueue(cl_command_queue queue, cl_event* event) {
        const size_t global = kItems;
        const size_t local = kGroupSize;
        EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &local, 0, nullptr, event), CL_SUCCESS);
        EXPECT_EQ(clFlush(queue), CL_SUCCESS);
    }
    size_t items_done() const { return kItems - ran.count_of(0); }
    // Lets the first 8 groups run, suspends, and opens the gate for all: those that wait at it end, others do not
    // start.
    void stop_in_the_middle(ScheduledQueue& queue, cl_uint units) {
        gate.set(0, 8);
        ASSERT_TRUE(eventually([&] { return items_done() >= kGroupSize; })) << "the kernel does not run";
        queue.suspend();
        gate.set(0, kGroups + 1);
        let_time_pass();
        let_time_pass();
        EXPECT_LE(items_done(), (size_t{8} + 2 * units) * kGroupSize) << "groups started after the suspension";
    }

    SharedWords gate;
    SharedWords ran;
    cl_kernel kernel = nullptr;
};

// A kernel launch that a suspension stopped after a part of its work-groups had run.
struct Stopped {
    explicit Stopped(cl_uint units, cl_program program = nullptr) : steps(program) {
        steps.enqueue(queue.queue, &event);
        steps.stop_in_the_middle(queue, units);
    }
    Stopped(const Stopped&) = delete;
    Stopped& operator=(const Stopped&) = delete;
    ~Stopped() { clReleaseEvent(event); }

    void goes_on() {
        queue.resume();
        EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
        EXPECT_EQ(steps.ran.count_of(1), kItems) << "every work-item runs exactly once";
    }

    ScheduledQueue queue;
    Steps steps;
    cl_event event = nullptr;
};

TEST_F(GuardTest, AKernelStopsBetweenTwoGroupsAndGoesOn) {
    Stopped launch(units_);
    EXPECT_GT(status_of(launch.event), CL_COMPLETE);
    launch.goes_on();
}

TEST_F(GuardTest, WhatFollowsInTheQueueWaitsForTheWholeKernel) {
    ScheduledQueue queue;
    Steps steps;
    std::vector<cl_uint> copy(kItems, 7);
    std::atomic<int> called{-1};
    cl_event event = nullptr;
    cl_event marker = nullptr;
    steps.enqueue(queue.queue, &event);
    clSetEventCallback(
        event, CL_COMPLETE,
        [](cl_event, cl_int status, void* place) { static_cast<std::atomic<int>*>(place)->store(status); }, &called);
    clEnqueueReadBuffer(queue.queue, steps.ran.memory, CL_FALSE, 0, kItems * sizeof(cl_uint), copy.data(), 0, nullptr,
                        nullptr);
    clEnqueueMarkerWithWaitList(queue.queue, 0, nullptr, &marker);
    clFlush(queue.queue);
    steps.stop_in_the_middle(queue, units_);
    EXPECT_EQ(called.load(), -1);
    EXPECT_EQ(copy[0], 7u) << "the read ran before the kernel was over";
    EXPECT_GT(status_of(marker), CL_COMPLETE);
    queue.resume();
    EXPECT_EQ(clFinish(queue.queue), CL_SUCCESS);
    EXPECT_EQ(std::count(copy.begin(), copy.end(), 1u), static_cast<ptrdiff_t>(kItems));
    EXPECT_TRUE(eventually([&] { return called.load() == CL_COMPLETE; }));
    clReleaseEvent(event);
    clReleaseEvent(marker);
}

TEST_F(GuardTest, TheEventTellsTheKernelsOwnTimes) {
    Stopped launch(units_);
    launch.goes_on();
    const cl_event event = launch.event;
    cl_command_type type = 0;
    clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr);
    EXPECT_EQ(type, cl_command_type{CL_COMMAND_NDRANGE_KERNEL});
    cl_ulong times[4] = {};
    for (cl_uint i = 0; i < 4; ++i)
        EXPECT_EQ(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + i, sizeof(cl_ulong), &times[i], nullptr),
                  CL_SUCCESS);
    EXPECT_LE(times[0], times[1]);
    EXPECT_LE(times[1], times[2]);
    EXPECT_GE(times[3] - times[2], cl_ulong{40'000'000}) << "from the first start to the last end, suspension included";
}

TEST_F(GuardTest, ItsObjectsMayBeReleasedWhileItIsSuspended) {
    Stopped launch(units_);
    Steps& steps = launch.steps;
    EXPECT_EQ(clReleaseKernel(std::exchange(steps.kernel, nullptr)), CL_SUCCESS);
    EXPECT_EQ(clReleaseMemObject(std::exchange(steps.gate.memory, nullptr)), CL_SUCCESS);
    EXPECT_EQ(clReleaseMemObject(std::exchange(steps.ran.memory, nullptr)), CL_SUCCESS);
    launch.goes_on();
}

TEST_F(GuardTest, LaterArgumentsAreNotTheSuspendedLaunchs) {
    SharedWords other(kItems);
    Stopped launch(units_);
    EXPECT_EQ(clSetKernelArg(launch.steps.kernel, 1, sizeof(cl_mem), &other.memory), CL_SUCCESS);
    cl_event second = nullptr;
    launch.steps.enqueue(launch.queue.queue, &second);
    launch.goes_on();
    EXPECT_EQ(clFinish(launch.queue.queue), CL_SUCCESS);
    EXPECT_EQ(other.count_of(1), kItems);
    clReleaseEvent(second);
}

TEST_F(GuardTest, AQueueMayBeReleasedWhileItsKernelIsSuspended) {
    Stopped launch(units_);
    EXPECT_EQ(clReleaseCommandQueue(std::exchange(launch.queue.queue, nullptr)), CL_SUCCESS);
    launch.goes_on();
}

TEST_F(GuardTest, ALinkedProgramsKernelStopsToo) {
    const Platform& platform = Platform::get();
    const char* texts[] = {kStepsWithHeader, kStepsLibrary, kStepsHeader};
    cl_program parts[3];
    for (int i = 0; i < 3; ++i) parts[i] = clCreateProgramWithSource(platform.context, 1, &texts[i], nullptr, nullptr);
    const char* name = "steps.h";
    for (int i = 0; i < 2; ++i)
        ASSERT_EQ(clCompileProgram(parts[i], 1, &platform.device, "-DSTEP=1", 1, &parts[2], &name, nullptr, nullptr),
                  CL_SUCCESS);
    cl_int code = CL_SUCCESS;
    cl_program linked = clLinkProgram(platform.context, 1, &platform.device, "", 2, parts, nullptr, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    for (cl_program part : parts) clReleaseProgram(part);
    Stopped(units_, linked).goes_on();
    clReleaseProgram(linked);
}

// Two work-groups wait for each other, and the second has not started when the queue is suspended. The guard must not
// hold it back for good, or the first would wait for ever.
TEST_F(GuardTest, GroupsThatWaitForEachOtherEnd) {
    if (units_ < 2) GTEST_SKIP() << "needs two compute units";
    cl_program program = build(kMutualSource);
    cl_kernel hog = kernel_of(program, "hog");
    cl_kernel meet = kernel_of(program, "meet");
    SharedWords words(4);
    set_arguments(hog, words.memory);
    set_arguments(meet, words.memory);
    ScheduledQueue queue;
    ScheduledQueue other;
    const size_t one = 1;
    const size_t rest = units_ - 1;
    const size_t two = 2;
    clEnqueueNDRangeKernel(other.queue, hog, 1, nullptr, &rest, &one, 0, nullptr, nullptr);
    clFlush(other.queue);
    ASSERT_TRUE(eventually([&] { return words.get(1) == rest; }));
    cl_event event = nullptr;
    clEnqueueNDRangeKernel(queue.queue, meet, 1, nullptr, &two, &one, 0, nullptr, &event);
    clFlush(queue.queue);
    EXPECT_TRUE(eventually([&] { return words.get(2) == 1; }));  // one waits, the other has no place to run
    queue.suspend();
    words.set(0, 1);  // now it has one, and is held back
    EXPECT_TRUE(eventually([&] { return status_of(event) == CL_COMPLETE; })) << "the first group waits for ever";
    EXPECT_EQ(words.get(2), 2u);
    queue.resume();
    clFinish(queue.queue);
    clFinish(other.queue);
    clReleaseEvent(event);
    clReleaseKernel(hog);
    clReleaseKernel(meet);
    clReleaseProgram(program);
}

TEST_F(GuardTest, TheProgramSeesItsOwnObjects) {
    cl_program program = build(kStepsSource, "-DSTEP=1");
    cl_kernel kernel = kernel_of(program, "steps");
    cl_uint count = 0;
    EXPECT_EQ(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr), CL_SUCCESS);
    EXPECT_EQ(count, 2u);
    EXPECT_EQ(clSetKernelArg(kernel, 2, sizeof count, &count), CL_INVALID_ARG_INDEX);
    char text[4096] = {};
    EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof text, text, nullptr), CL_SUCCESS);
    EXPECT_STREQ(text, kStepsSource);
    EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, nullptr), CL_SUCCESS);
    EXPECT_STREQ(text, "steps");
    EXPECT_EQ(
        clGetProgramBuildInfo(program, Platform::get().device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, nullptr),
        CL_SUCCESS);
    EXPECT_STREQ(text, "-DSTEP=1");
    cl_program its_program = nullptr;
    clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof its_program, &its_program, nullptr);
    EXPECT_EQ(its_program, program);
    const size_t global = 8;
    ScheduledQueue queue;
    EXPECT_EQ(clEnqueueNDRangeKernel(queue.queue, kernel, 1, nullptr, &global, nullptr, 0, nullptr, nullptr),
              CL_INVALID_KERNEL_ARGS);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

TEST_F(GuardTest, DroppedCommandsGiveEverythingBack) {
    ScheduledQueue queue;
    Steps steps;
    steps.gate.set(0, kGroups + 1);
    queue.suspend();
    cl_event event = nullptr;
    steps.enqueue(queue.queue, &event);
    EXPECT_EQ(XQueueResume(queue.xqueue, kQueueResumeFlagDropCommands), kXSchedSuccess);
    EXPECT_TRUE(eventually([&] { return status_of(event) < 0; }));
    EXPECT_EQ(steps.items_done(), 0u);
    clReleaseEvent(event);
}

// --- many suspensions at random moments

struct Shape {
    const char* name;
    const char* kernel;
    cl_uint dimensions;
    size_t global[3];
    size_t local[3];  // 0: the driver chooses
    size_t offset[3];
};

const Shape kShapes[] = {
    {"OneDimension", "identify", 1, {32768, 1, 1}, {16, 1, 1}, {0, 0, 0}},
    {"ChosenByTheDriver", "identify", 1, {30000, 1, 1}, {0, 0, 0}, {0, 0, 0}},
    {"TwoDimensionsWithOffset", "identify", 2, {256, 96, 1}, {8, 4, 1}, {5, 1000, 0}},
    {"ThreeDimensionsWithOffset", "identify", 3, {32, 24, 16}, {4, 2, 4}, {1, 2, 3}},
    {"BarriersAndLocalMemory", "reverse", 1, {32768, 1, 1}, {32, 1, 1}, {0, 0, 0}},
    {"ReturnsBetweenBarriers", "ragged", 1, {32768, 1, 1}, {32, 1, 1}, {0, 0, 0}},
};

class GuardedShape : public GuardTest, public ::testing::WithParamInterface<Shape> {};

std::vector<cl_uint> run_shape(ScheduledQueue& queue, cl_kernel kernel, const Shape& shape, size_t items) {
    cl_mem memory = clCreateBuffer(Platform::get().context, CL_MEM_READ_WRITE, items * 4, nullptr, nullptr);
    const cl_uint zero = 0;
    clEnqueueFillBuffer(queue.queue, memory, &zero, sizeof zero, 0, items * 4, 0, nullptr, nullptr);
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue.queue, kernel, shape.dimensions, shape.offset, shape.global,
                                     shape.local[0] != 0 ? shape.local : nullptr, 0, nullptr, nullptr),
              CL_SUCCESS);
    std::vector<cl_uint> result(items);
    EXPECT_EQ(clEnqueueReadBuffer(queue.queue, memory, CL_TRUE, 0, items * 4, result.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    clReleaseMemObject(memory);
    return result;
}

TEST_P(GuardedShape, IsExactUnderRandomSuspensions) {
    const Shape& shape = GetParam();
    const size_t items = shape.global[0] * shape.global[1] * shape.global[2];
    cl_program program = build(kShapesSource);
    cl_kernel kernel = kernel_of(program, shape.kernel);
    ScheduledQueue queue;
    const std::vector<cl_uint> expected = run_shape(queue, kernel, shape, items);
    EXPECT_EQ(std::count(expected.begin(), expected.end(), 0u), 0);
    {
        const Disturbance disturbance(queue, 300, 1000);
        for (int i = 0; i < 40; ++i) ASSERT_EQ(run_shape(queue, kernel, shape, items), expected) << "launch " << i;
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

INSTANTIATE_TEST_SUITE_P(Shapes, GuardedShape, ::testing::ValuesIn(kShapes),
                         [](const auto& shape) { return std::string(shape.param.name); });

}  // namespace
}  // namespace xsched::test
