// Which processes use a device without XSched, by files of a made-up /proc.
#include "cli/devices/device_users.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/directory.h"

namespace xsched::cli {
namespace {

class DeviceUsers : public testing::Test {
protected:
    void process(int pid, const std::string& program, const std::string& file, const std::string& maps = "") {
        const std::string folder = processes() + "/" + std::to_string(pid);
        test::make_file(folder + "/comm", program + "\n");
        test::make_file(folder + "/maps", maps);
        std::filesystem::create_directories(folder + "/fd");
        std::filesystem::create_symlink("/dev/null", folder + "/fd/0");
        std::filesystem::create_symlink(file, folder + "/fd/7");
    }
    std::string processes() const { return directory_.path() + "/proc"; }
    std::vector<DeviceUser> found() const { return unscheduled_device_users(processes()); }

private:
    test::TemporaryDirectory directory_;
};

TEST_F(DeviceUsers, AreNamedByTheirNumbers) {
    process(812, "Xorg", "/dev/dri/renderD128");
    process(44, "python3", "/dev/nvidia0");
    ASSERT_EQ(found().size(), 2U);
    EXPECT_EQ(found()[0].file, "/dev/nvidia0");
    EXPECT_EQ(names_of(found()), "python3 (pid 44) and Xorg (pid 812)");
}

TEST_F(DeviceUsers, ScheduledProgramsAndServersAreLeftOut) {
    process(44, "python3", "/dev/nvidia0", "7f00-7f01 r-xp 0 0:0 1 /usr/lib/xsched/libshimcuda.so\n");
    process(45, "xserver", "/dev/nvidia0");
    EXPECT_TRUE(found().empty());
}

TEST_F(DeviceUsers, FilesThatOnlyAnswerQuestionsDoNotCount) {
    process(50, "nvidia-smi", "/dev/nvidiactl");
    process(51, "shell", "/dev/pts/3");
    process(52, "kms", "/dev/dri/card0");
    EXPECT_TRUE(found().empty());
    for (const char* file : {"/dev/kfd", "/dev/accel/accel0", "/dev/davinci3", "/dev/dxg"})
        EXPECT_TRUE(is_work_file(file)) << file;
    for (const char* file : {"/dev/nvidia-uvm", "/dev/nvidia", "/dev/kfd2"}) EXPECT_FALSE(is_work_file(file)) << file;
}

TEST_F(DeviceUsers, ManyAreCounted) {
    for (int pid = 1; pid <= 5; ++pid) process(pid, "p" + std::to_string(pid), "/dev/kfd");
    EXPECT_EQ(names_of(found()), "p1 (pid 1), p2 (pid 2), p3 (pid 3) and 2 more");
}

TEST_F(DeviceUsers, ANameCannotBreakTheTerminal) {
    process(9, "bad\033[31m", "/dev/kfd");
    EXPECT_EQ(names_of(found()).find('\033'), std::string::npos);
}

}  // namespace
}  // namespace xsched::cli
