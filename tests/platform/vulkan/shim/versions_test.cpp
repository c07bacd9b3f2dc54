// A program of an older Vulkan: XSched calls the functions that newer versions have by the names of their extensions,
// which it has added.
#include "platform/vulkan/shim/program.h"

namespace xsched::test {
namespace {

class Older : public Program, public ::testing::WithParamInterface<uint32_t> {
protected:
    Older() : Program(GetParam()) {}
};

TEST_P(Older, CallsNoFunctionOfANewerOne) {
    const VkSubmitInfo batch{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    EXPECT_EQ(submit(1, &batch), VK_SUCCESS);
    const XQueueHandle queue = xqueue();
    suspend(queue);
    EXPECT_EQ(submit(1, &batch), VK_SUCCESS);
    EXPECT_EQ(driver_submits().back().batches.size(), 3u) << "it is not held";
    resume(queue);
    EXPECT_TRUE(becomes_idle(queue));
    EXPECT_EQ(driver_calls_too_new(), 0);
}
INSTANTIATE_TEST_SUITE_P(Versions, Older,
                         ::testing::Values(VK_API_VERSION_1_0, VK_API_VERSION_1_1, VK_API_VERSION_1_2));

}  // namespace
}  // namespace xsched::test
