// Sentences about what is not scheduled.
#include "cli/devices/unscheduled.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/platforms.h"
#include "support/directory.h"

namespace xsched::cli {
namespace {

TEST(Unscheduled, OnlyDevicesThatNothingSchedulesAreNamed) {
    const test::TemporaryDirectory directory;
    const std::string devices = directory / "sys/bus/pci/devices";
    EXPECT_TRUE(unscheduled_devices(Machine(directory.path())).empty());
    for (const char* address : {"0000:01:00.0", "0000:02:00.0"}) {
        test::make_file(devices + "/" + address + "/class", "0x120000\n");
        test::make_file(devices + "/" + address + "/vendor", "0x19e5\n");
    }
    EXPECT_EQ(unscheduled_devices(Machine(directory.path())).size(), 2U);
    test::make_file(directory / "usr/lib64/libOpenCL.so.1", "");
    std::filesystem::create_directories(directory / "drivers/davinci");
    std::filesystem::create_directory_symlink(directory / "drivers/davinci", devices + "/0000:01:00.0/driver");
    const std::vector<std::string> left = unscheduled_devices(Machine(directory.path()));
    ASSERT_EQ(left.size(), 1U) << "the other one may offer OpenCL";
    EXPECT_EQ(left[0].find("vendor 0x19e5 accelerator at 0000:02:00.0 is not scheduled: "), 0U) << left[0];
}

TEST(Unscheduled, ProgramsAreToldWhatToDo) {
    EXPECT_EQ(unscheduled_programs({}), "");
    const std::string one = unscheduled_programs({{812, "Xorg", "/dev/nvidia0"}});
    EXPECT_EQ(one.find("Xorg (pid 812) has a device open"), 0U) << one;
    const std::string two = unscheduled_programs({{812, "Xorg", "/dev/nvidia0"}, {813, "train", "/dev/nvidia0"}});
    EXPECT_EQ(two.find("Xorg (pid 812) and train (pid 813) have a device open"), 0U) << two;
}

class LinkedTo : public testing::Test {
protected:
    // Makes a program that is linked to a library of this name.
    std::string program(const std::string& library) const {
        const std::string folder = directory_.path();
        test::make_file(folder + "/empty.c", "int main(void) { return 0; }\n");
        const std::string script = "cd " + folder + " && cc -shared -fPIC -Wl,-soname," + library + " -o " + library +
                                   " -x c /dev/null && cc -Wl,--no-as-needed -o prog empty.c ./" + library;
        EXPECT_EQ(system(script.c_str()), 0);
        return folder + "/prog";
    }

private:
    test::TemporaryDirectory directory_;
};

TEST_F(LinkedTo, OpenGlIsNotScheduled) {
    const std::string said = unseen_interface(program("libGL.so.1"), Installation{});
    EXPECT_NE(said.find("OpenGL, which XSched does not schedule"), std::string::npos) << said;
}

TEST_F(LinkedTo, VulkanNeedsTheLayer) {
    Installation installation;
    const std::string file = program("libvulkan.so.1"), said = unseen_interface(file, installation);
    EXPECT_NE(said.find("no layer"), std::string::npos) << said;
    for (const PlatformInfo& platform : kPlatforms)
        if (is_layer(platform)) installation.shims.push_back({"/lib/libshimvulkan.so", "", &platform});
    EXPECT_EQ(unseen_interface(file, installation), "");
}

TEST_F(LinkedTo, OtherLibrariesAndWhatIsNoProgramSayNothing) {
    EXPECT_EQ(unseen_interface(program("libother.so.1"), Installation{}), "");
    EXPECT_EQ(unseen_interface("/dev/null", Installation{}), "");
    EXPECT_EQ(unseen_interface("", Installation{}), "");
}

}  // namespace
}  // namespace xsched::cli
