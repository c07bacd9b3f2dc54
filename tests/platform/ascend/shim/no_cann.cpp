// Programs under the shim where CANN is not installed, of which one is linked to a library with a function whose name
// the runtime library has, too.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "platform/ascend/hal/api.h"

extern "C" int rtSetDevice(int device);  // namesake.cpp

namespace xsched::test {
namespace {

TEST(NoCann, AnotherLibrarysFunctionOfTheNameIsCalled) { EXPECT_EQ(rtSetDevice(40), 42); }

TEST(NoCann, FunctionsSayThatThereIsNoDevice) {
    const auto set_device = reinterpret_cast<int (*)(int)>(dlsym(RTLD_DEFAULT, "aclrtSetDevice"));
    ASSERT_NE(set_device, nullptr) << "the shim is not loaded";
    EXPECT_EQ(set_device(0), ascend::ACL_ERROR_RT_NO_DEVICE);
    const auto name = reinterpret_cast<const char* (*)()>(dlsym(RTLD_DEFAULT, "aclrtGetSocName"));
    ASSERT_NE(name, nullptr);
    EXPECT_EQ(name(), nullptr);
}

}  // namespace
}  // namespace xsched::test
