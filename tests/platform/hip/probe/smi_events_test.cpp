// How the kernel driver's event lines are read. No AMD GPU has told any here.
#include "platform/hip/probe/smi_events.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/directory.h"

namespace xsched::probe {
namespace {

TEST(SmiEvents, LinesInWords) {
    EXPECT_EQ(event_in_words("9 123456 -4711 1f00 4"), "queues evicted: 123456 -4711 1f00 4");
    EXPECT_EQ(event_in_words("a 123456 -4711 1f00"), "queues restored: 123456 -4711 1f00");
    EXPECT_EQ(event_in_words("3 77:cause"), "GPU about to be reset: 77:cause");
    EXPECT_EQ(event_in_words("ff something"), "number 255: something");
    for (const char* none : {"", "\n", "zzz"}) EXPECT_EQ(event_in_words(none), "") << none;
}

TEST(SmiEvents, ProcessorsAreNoGpus) {
    const test::TemporaryDirectory folder;
    for (const auto& [node, id] : {std::pair{"0", "0"}, {"2", "51022"}, {"1", "4098"}}) {
        std::filesystem::create_directories(folder / node);
        std::ofstream(folder / (std::string(node) + "/gpu_id")) << id << "\n";
    }
    std::filesystem::create_directories(folder / "3");  // no user may read it
    EXPECT_EQ(gpu_ids(folder / ""), (std::vector<uint32_t>{4098, 51022}));
    EXPECT_TRUE(gpu_ids(folder / "nowhere").empty());
}

}  // namespace
}  // namespace xsched::probe
