// The priority that a program gives its queue when it makes it (cl_khr_priority_hints) is what a scheduler reads,
// whichever function made the queue: the core's, or the extension's that is asked for by name.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <gtest/gtest.h>

#include "support/one_server.h"

namespace {

using Create = decltype(&clCreateCommandQueueWithProperties);

class QueuePriority : public xsched::test::WithOneServer {
protected:
    void SetUp() override {
        ASSERT_EQ(clGetPlatformIDs(1, &platform_, nullptr), CL_SUCCESS);
        ASSERT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), CL_SUCCESS);
        context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, nullptr);
    }
    void TearDown() override { clReleaseContext(context_); }

    // Returns the priority that the scheduler sees after the queue's first command.
    int32_t priority_of_a_queue(Create create, cl_queue_priority_khr wanted) {
        const cl_queue_properties properties[] = {CL_QUEUE_PRIORITY_KHR, wanted, 0};
        cl_command_queue queue = create(context_, device_, properties, nullptr);
        cl_mem buffer = clCreateBuffer(context_, CL_MEM_READ_WRITE, 64, nullptr, nullptr);
        const cl_int value = 1;
        EXPECT_EQ(clEnqueueFillBuffer(queue, buffer, &value, sizeof value, 0, 64, 0, nullptr, nullptr), CL_SUCCESS);
        EXPECT_EQ(clFinish(queue), CL_SUCCESS);
        const int32_t seen = slot_of(queue).priority;
        clReleaseMemObject(buffer);
        clReleaseCommandQueue(queue);
        return seen;
    }
    void expect_priorities(Create create) {
        EXPECT_EQ(priority_of_a_queue(create, CL_QUEUE_PRIORITY_HIGH_KHR), 1);
        EXPECT_EQ(priority_of_a_queue(create, CL_QUEUE_PRIORITY_MED_KHR), 0);
        EXPECT_EQ(priority_of_a_queue(create, CL_QUEUE_PRIORITY_LOW_KHR), -1);
    }

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
