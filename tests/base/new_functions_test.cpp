// Tests of base/new_functions.h: by their names, which unknown driver functions look like work, and how often the
// user is told of one.
#include "base/new_functions.h"

#include <gtest/gtest.h>

#include <string>

namespace xsched::base {
namespace {

TEST(NewFunctions, NamesOfWork) {
    for (const char* name : {"cuMemcpyWithAttributesAsync", "cuLaunchHostFunc_v2", "cuStreamBeginRecaptureToGraph",
                             "cuStreamWaitValue128", "hipLaunchKernelExC", "clEnqueueWaitSemaphoresKHR", "hipMemset3D",
                             "aclmdlExecuteSoon", "rtModelExecuteSoon", "aclopExecuteV3"})
        EXPECT_TRUE(looks_like_work(name)) << name;
    for (const char* name : {"cuGraphAddMemcpyNode", "cuDeviceGetCliqueInfo", "cuStreamGetCaptureInfo_v4",
                             "cuStreamGetDevResource", "clGetDeviceInfo", "cuDeviceRegisterAsyncNotification"})
        EXPECT_FALSE(looks_like_work(name)) << name;
}

std::string told(const char* name) {
    testing::internal::CaptureStderr();
    tell_new_function(name);
    return testing::internal::GetCapturedStderr();
}

// Only the first unknown function whose name looks like work is logged: CUDA's runtime asks for hundreds of functions
// when it starts, and a line for each would bury the log.
TEST(NewFunctions, TheFirstThatLooksLikeWorkIsTold) {
    EXPECT_EQ(told("cuGetSomething"), "");
    EXPECT_EQ(told(nullptr), "");
    EXPECT_NE(told("cuFirstAsync").find("has asked the driver for cuFirstAsync, which"), std::string::npos);
    EXPECT_EQ(told("cuFirstAsync"), "");
    EXPECT_EQ(told("cuSecondAsync"), "");
}

}  // namespace
}  // namespace xsched::base
