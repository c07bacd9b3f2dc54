// The answers of the HIP shim's functions where there is no runtime: all fail, and none gives a value that a caller
// would follow.
#include "platform/stream/shim/no_driver.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "platform/hip/hal/api.h"

namespace {

using xsched::stream::without_driver;

const char* const kNames[] = {
#define ENTRY_POINT(name) #name,
#include "entry_points.inc"
};

template <typename Function>
Function answer(const char* name) {
    return reinterpret_cast<Function>(without_driver(name));
}

bool gives_text(std::string_view name) {
    for (const char* other : {"hipGetErrorName", "hipGetErrorString", "hiprtcGetErrorString", "hipApiName",
                              "hipGetCmdName", "hipKernelNameRef", "hipKernelNameRefByPtr"})
        if (name == other) return true;
    return false;
}

TEST(NoHipRuntime, EveryFunctionFails) {
    using Any = intptr_t (*)(void*, void*, void*, void*, void*, void*);
    for (const char* name : kNames) {
        const std::string_view view(name);
        if (gives_text(view) || view == "hipCreateChannelDesc" || view == "hipGetStreamDeviceId") continue;
        void* places[6] = {};
        const intptr_t code = answer<Any>(name)(&places[0], &places[1], &places[2], &places[3], &places[4], &places[5]);
        const bool initializer = view.starts_with("__") && view.find("CallConfiguration") == view.npos;
        EXPECT_EQ(static_cast<int>(code), initializer ? 0 : xsched::hip::hipErrorNoDevice) << name;
    }
}

TEST(NoHipRuntime, VersionsAndCountsAreZero) {
    for (const char* name : {"hipGetDeviceCount", "hipDriverGetVersion", "hipRuntimeGetVersion"}) {
        int value = -1;
        EXPECT_EQ(answer<int (*)(int*)>(name)(&value), xsched::hip::hipErrorNoDevice) << name;
        EXPECT_EQ(value, 0) << name;
    }
    EXPECT_EQ(answer<int (*)(void*)>("hipGetStreamDeviceId")(nullptr), -1);
}

TEST(NoHipRuntime, WhatReturnsTextReturnsSome) {
    for (const char* name : kNames) {
        if (!gives_text(name)) continue;
        EXPECT_GT(std::string(answer<const char* (*)()>(name)()).size(), 5u) << name;
    }
}

TEST(OtherHipRuntime, WhatItLacksFailsAndGivesText) {
    using xsched::stream::without_function;
    for (const char* name : kNames) {
        void* function = without_function(name);
        if (gives_text(name))
            EXPECT_GT(std::string(reinterpret_cast<const char* (*)()>(function)()).size(), 5u) << name;
        else
            EXPECT_EQ(reinterpret_cast<int (*)()>(function)(), xsched::hip::hipErrorNotSupported) << name;
    }
}

}  // namespace
