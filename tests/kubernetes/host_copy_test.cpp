#include "kubernetes/host_copy.h"

#include <gtest/gtest.h>

#include "support/directory.h"

namespace xsched::kubernetes {
namespace {

namespace fs = std::filesystem;

class KubernetesHostCopy : public ::testing::Test {
protected:
    void install(const std::string& libraries) {
        for (const char* name : {"/libpreempt.so.1.0.0", "/libhalcuda.so.1", "/libc.so.6", "/xsched/libshimcuda.so"})
            test::make_file(root_ / "usr" + libraries + name, "first");
        fs::create_symlink("libpreempt.so.1.0.0", root_ / "usr" + libraries + "/libpreempt.so.1");
        fs::create_symlink("xsched/libshimcuda.so", root_ / "usr" + libraries + "/libshimcuda.so");
        fs::create_directory_symlink(".", root_ / "usr" + libraries + "/xsched/lib");
        test::make_file(root_ / "usr/bin/xcli", "first");
    }
    std::string copy(const char* version) { return copy_to_host(root_ / "usr", root_ / "opt", version); }

    test::TemporaryDirectory root_;
};

TEST_F(KubernetesHostCopy, HasXcliAndOurLibrariesAtTheSamePlaces) {
    install("/lib/x86_64-linux-gnu");
    const std::string place = copy("1.0");
    EXPECT_EQ(place, root_ / "opt/1.0");
    const std::string libraries = place + "/lib/x86_64-linux-gnu";
    EXPECT_TRUE(fs::exists(place + "/bin/xcli"));
    EXPECT_TRUE(fs::is_symlink(libraries + "/libpreempt.so.1"));
    EXPECT_TRUE(fs::exists(libraries + "/libpreempt.so.1"));
    EXPECT_TRUE(fs::exists(libraries + "/libhalcuda.so.1"));
    EXPECT_TRUE(fs::exists(libraries + "/xsched/lib/libshimcuda.so"));
    EXPECT_TRUE(fs::exists(libraries + "/libshimcuda.so"));
    EXPECT_FALSE(fs::exists(libraries + "/libc.so.6"));
}

TEST_F(KubernetesHostCopy, OneOfTheSameVersionStaysAndAnUnfinishedOneIsReplaced) {
    install("/lib");
    test::make_file(root_ / "opt/1.0.new/bin/xcli", "half");
    copy("1.0");
    test::make_file(root_ / "usr/bin/xcli", "second");
    EXPECT_EQ(fs::file_size(copy("1.0") + "/bin/xcli"), 5u) << "\"first\": programs may have it open";
    EXPECT_EQ(fs::file_size(copy("1.1") + "/bin/xcli"), 6u);
}

TEST_F(KubernetesHostCopy, AnInstallationWithoutLibrariesIsAnError) {
    test::make_file(root_ / "usr/bin/xcli", "first");
    EXPECT_THROW(copy("1.0"), fs::filesystem_error);
}

}  // namespace
}  // namespace xsched::kubernetes
