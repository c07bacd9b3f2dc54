#include "slurm/job_options.h"

#include <gtest/gtest.h>

#include <cstring>

#include "slurm/task_environment.h"

namespace xsched::slurm {
namespace {

using Words = std::vector<std::string>;

size_t option(const char* name) {
    size_t i = 0;
    while (i + 1 < kJobOptionCount && strcmp(kJobOptions[i].name, name) != 0) ++i;
    return i;
}

TEST(SlurmJobOptions, BecomeThoseOfXcliRun) {
    JobOptions options;
    EXPECT_EQ(options.take(option("priority"), "-5"), "");
    EXPECT_EQ(options.take(option("latency"), "5ms"), "");
    EXPECT_EQ(options.take(option("memory-limit"), "1GiB"), "");
    EXPECT_EQ(options.take(option("evictable"), nullptr), "");
    EXPECT_EQ(options.command("/x", {"env", "-0"}),
              (Words{"/x", "run", "--no-tell", "--priority", "-5", "--slo-p99", "5ms", "--memory-limit", "1GiB",
                     "--evictable", "--", "env", "-0"}));
}

TEST(SlurmJobOptions, AWrongValueIsNamedAndNotTaken) {
    JobOptions options;
    EXPECT_EQ(options.take(option("priority"), "300"),
              "--xsched-priority: priority is to be a whole number from -256 to 255, not \"300\"");
    EXPECT_NE(options.take(option("share"), "half").find("from 0 to 100, not \"half\""), std::string::npos);
    EXPECT_NE(options.take(option("latency"), "5").find("such as \"5ms\""), std::string::npos) << "no unit";
    EXPECT_NE(options.take(option("latency"), "soon").find("not \"soon\""), std::string::npos);
    EXPECT_EQ(options.command("/x", {"env"}), (Words{"/x", "run", "--no-tell", "--", "env"}));
}

TEST(SlurmJobOptions, ShardsAreTheShareUnlessOneIsGiven) {
    const auto share_of = [](const char* shards, const char* devices) {
        JobOptions options;
        options.take_shards(shards, devices);
        return options.command("/x", {})[4];
    };
    EXPECT_EQ(share_of("30", "0"), "30");
    EXPECT_EQ(share_of("150", "0,1"), "75") << "of each of two devices";
    EXPECT_EQ(share_of("200", ""), "100");
    JobOptions options;
    EXPECT_EQ(options.take(option("share"), "10"), "");
    options.take_shards("30", "0");
    EXPECT_EQ(options.command("/x", {})[4], "10");
    JobOptions without;
    without.take_shards("", "0");
    EXPECT_FALSE(without.is_given(option("share")));
}

TEST(SlurmTaskEnvironment, HasWhatXcliRunChanged) {
    const std::string text("A=1\0LD_PRELOAD=/x.so\0B=two\nlines\0C=", 35);
    EXPECT_EQ(split_environment(text), (Words{"A=1", "LD_PRELOAD=/x.so", "B=two\nlines"})) << "C was cut";
    const auto changed = changes({"A=1", "LD_PRELOAD=/y.so"}, split_environment(text));
    ASSERT_EQ(changed.size(), 2u);
    EXPECT_EQ(changed[0], (std::pair<std::string, std::string>("LD_PRELOAD", "/x.so")));
    EXPECT_EQ(changed[1].second, "two\nlines");
}

}  // namespace
}  // namespace xsched::slurm
