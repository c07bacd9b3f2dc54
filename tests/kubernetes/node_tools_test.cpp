#include "kubernetes/node_tools.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "support/directory.h"

namespace xsched::kubernetes {
namespace {

TEST(KubernetesNodeTools, AFailureIsTheLastLineOfXcli) {
    const test::TemporaryDirectory folder;
    const std::string xcli = folder / "xcli";
    test::make_file(xcli, "#!/bin/sh\necho first >&2\necho \"xcli: $*\" >&2\nexit 3\n");
    std::filesystem::permissions(xcli, std::filesystem::perms::owner_all);
    try {
        NodeTools(xcli).limit("/pod:share=3");
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "xcli: limit /pod:share=3");
    }
    EXPECT_EQ(NodeTools(xcli).server(), 0);
    EXPECT_EQ(NodeTools("/no/such/xcli").server(), 0);
}

TEST(KubernetesNodeTools, DevicesWithMissedTargetsAreThoseThatThePolicyNames) {
    EXPECT_EQ(address_of("GPU:3b00"), "0000:3b:00.0");
    EXPECT_EQ(address_of("none"), "");
    const char* list = R"({"queues": [
        {"device": "GPU:3b00", "policy_says": "AUTO: the best possible is 9 us, its target of 5 us cannot be met"},
        {"device": "GPU:4100", "policy_says": "AUTO: 99 of 100 bursts take up to 4 us, its target is 5 us"}]})";
    EXPECT_EQ(missed_targets_in(list), (std::set<std::string>{"0000:3b:00.0"}));
}

}  // namespace
}  // namespace xsched::kubernetes
