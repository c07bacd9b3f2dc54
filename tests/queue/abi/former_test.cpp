// Function names that shims of older builds import: they must exist so that such a shim can be loaded, and then be
// refused.
#include <gtest/gtest.h>

#include "queue/device.h"

extern "C" {
bool xq_keep_alive(XqQueue* queue, XqReturn when);
void xq_follow_keep_alive(XqQueue* queue);
void xq_end_keep_alive(XqQueue* queue);
void xq_end_held_keep_alive();
void xq_frees_memory();
void xq_prepare_early(XqQueue* queue);
}

TEST(Former, FunctionsOfOlderBuildsExistAndDoNothing) {
    EXPECT_FALSE(xq_keep_alive(nullptr, kXqWhenComplete)) << "true would say that a wait is done";
    xq_follow_keep_alive(nullptr);
    xq_end_keep_alive(nullptr);
    xq_end_held_keep_alive();
    xq_frees_memory();
    xq_prepare_early(nullptr);
}
