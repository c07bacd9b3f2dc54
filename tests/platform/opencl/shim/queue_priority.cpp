// The priority that a program gives its queue when it makes it (cl_khr_priority_hints) is what a scheduler reads,
// whichever function made the queue: the core's, or the extension's that is asked for by name.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/directory.h"
#include "support/small_server.h"

namespace {

using Create = decltype(&clCreateCommandQueueWithProperties);

class QueuePriority : public testing::Test {
protected:
    // One server and one connection: the environment is read once in a process.
    static void SetUpTestSuite() {
        s_directory = new xsched::test::TemporaryDirectory;
        const std::string path = *s_directory / "socket";
        setenv("XSCHED_SCHEDULER", "global", 1);
        setenv("XSCHED_SOCKET", path.c_str(), 1);
        s_server = new xsched::test::SmallServer(path);
    }
    static void TearDownTestSuite() {
        delete s_server;
        delete s_directory;
    }
    void SetUp() override {
        ASSERT_EQ(clGetPlatformIDs(1, &platform_, nullptr), CL_SUCCESS);
        ASSERT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), CL_SUCCESS);
        context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, nullptr);
    }
    void TearDown() override { clReleaseContext(context_); }

    // As the scheduler sees it after the queue's first command.
    int32_t priority_of_a_queue(Create create, cl_queue_priority_khr wanted) {
        const cl_queue_properties properties[] = {CL_QUEUE_PRIORITY_KHR, wanted, 0};
        cl_command_queue queue = create(context_, device_, properties, nullptr);
        cl_mem buffer = clCreateBuffer(context_, CL_MEM_READ_WRITE, 64, nullptr, nullptr);
        const cl_int value = 1;
        EXPECT_EQ(clEnqueueFillBuffer(queue, buffer, &value, sizeof value, 0, 64, 0, nullptr, nullptr), CL_SUCCESS);
        EXPECT_EQ(clFinish(queue), CL_SUCCESS);
        int32_t seen = INT32_MIN;
        EXPECT_TRUE(s_server->wait_for_client());
        for (const xsched::ipc::QueueSlot& slot : s_server->region().slots)
            if (slot.hwq == reinterpret_cast<uint64_t>(queue)) seen = slot.priority;
        clReleaseMemObject(buffer);
        clReleaseCommandQueue(queue);
        return seen;
    }
    void expect_priorities(Create create) {
        EXPECT_EQ(priority_of_a_queue(create, CL_QUEUE_PRIORITY_HIGH_KHR), 1);
        EXPECT_EQ(priority_of_a_queue(create, CL_QUEUE_PRIORITY_MED_KHR), 0);
        EXPECT_EQ(priority_of_a_queue(create, CL_QUEUE_PRIORITY_LOW_KHR), -1);
    }

    static inline xsched::test::TemporaryDirectory* s_directory = nullptr;
    static inline xsched::test::SmallServer* s_server = nullptr;
    cl_platform_id platform_ = nullptr;
    cl_device_id device_ = nullptr;
    cl_context context_ = nullptr;
};

TEST_F(QueuePriority, OfTheCoreFunctionIsTaken) { expect_priorities(clCreateCommandQueueWithProperties); }

TEST_F(QueuePriority, OfTheExtensionsFunctionIsTakenToo) {
    const auto create = reinterpret_cast<Create>(
        clGetExtensionFunctionAddressForPlatform(platform_, "clCreateCommandQueueWithPropertiesKHR"));
    ASSERT_NE(create, nullptr);
    expect_priorities(create);
}

}  // namespace
