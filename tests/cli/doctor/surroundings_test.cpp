// The saved description of a machine, on one made up in a folder.
#include "cli/doctor/surroundings.h"

#include <gtest/gtest.h>

#include "support/directory.h"

namespace xsched::cli {
namespace {

class Surroundings : public ::testing::Test {
protected:
    void file(const std::string& path, const std::string& text) const { test::make_file(root() + path, text); }
    std::string root() const { return directory / "machine"; }
    Json found(const std::string& patterns) const { return surroundings(Machine(root()), patterns); }

    test::TemporaryDirectory directory;
};

TEST_F(Surroundings, StarsStandForNames) {
    file("/sys/kfd/proc/7/queues/0/gpuid", "23\n");
    file("/sys/kfd/proc/7/queues/1/gpuid", "24\n");
    file("/sys/kfd/proc/9/queues/0/gpuid", "23\n");
    file("/sys/kfd/proc/9/queues/0/size", "4096\n");
    file("/sys/module/parameters/mes", "0\n");
    file("/sys/drm/card0/current_compute_partition", "SPX\n");
    file("/sys/drm/version", "x\n");
    const Json files =
        found("/sys/kfd/proc/*/queues/*/gpuid /sys/module/parameters/* /nowhere/* /sys/drm/card*/current_*_partition")
            ["files"];
    EXPECT_EQ(files, (Json{{"/sys/kfd/proc/7/queues/0/gpuid", "23"},
                           {"/sys/kfd/proc/7/queues/1/gpuid", "24"},
                           {"/sys/kfd/proc/9/queues/0/gpuid", "23"},
                           {"/sys/module/parameters/mes", "0"},
                           {"/sys/drm/card0/current_compute_partition", "SPX"}}));
}

TEST_F(Surroundings, AGpusOwnNumberIsHashed) {
    file("/node/properties", "capability 671588992\ndebug_prop 1511\nunique_id 9876543210123\n");
    const std::string text = found("/node/properties")["files"]["/node/properties"];
    EXPECT_NE(text.find("debug_prop 1511\nunique_id sha256:"), std::string::npos) << text;
    EXPECT_EQ(text.find("9876543210123"), std::string::npos) << text;
    EXPECT_EQ(text.size(), text.find("sha256:") + 7 + 16) << "16 digits are enough";
}

TEST_F(Surroundings, TheSystemIsNamed) {
    file("/etc/os-release", "NAME=Debian\nPRETTY_NAME=\"Debian 12\"\n");
    file("/proc/sys/kernel/osrelease", "6.8.0-amd\n");
    file("/.dockerenv", "");
    const Json all = found("");
    EXPECT_EQ(all["distribution"], "Debian 12");
    EXPECT_EQ(all["kernel"], "6.8.0-amd");
    EXPECT_EQ(all["container"], "docker");
    EXPECT_FALSE(all.contains("variables")) << "they are not that machine's";
}

TEST_F(Surroundings, VariablesThatChangeARuntimeAndNoOthers) {
    setenv("HSA_TESTED", "a=b", 1);
    setenv("SOME_PASSWORD", "secret", 1);
    const Json all = surroundings(Machine(""), "");
    unsetenv("HSA_TESTED");
    unsetenv("SOME_PASSWORD");
    EXPECT_EQ(all["variables"]["HSA_TESTED"], "a=b");
    EXPECT_FALSE(all["variables"].contains("SOME_PASSWORD"));
    EXPECT_FALSE(all["load_average"].get<std::string>().empty());
}

}  // namespace
}  // namespace xsched::cli
