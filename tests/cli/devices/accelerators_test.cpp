// Tests which devices are found in the system files of made-up machines, and which library schedules each of them.
#include "cli/devices/accelerators.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/directory.h"

namespace xsched::cli {
namespace {

class Accelerators : public testing::Test {
protected:
    void file(const std::string& path, const std::string& text = "") { test::make_file(root() + path, text); }
    void pci(const std::string& address, const std::string& kind, const std::string& vendor, const std::string& driver,
             bool computes = true) {
        const std::string folder = "/sys/bus/pci/devices/" + address;
        file(folder + "/class", kind + "\n");
        file(folder + "/vendor", vendor + "\n");
        if (computes) file(folder + "/drm/renderD128/dev");
        if (driver.empty()) return;
        std::filesystem::create_directories(root() + "/sys/bus/pci/drivers/" + driver);
        std::filesystem::create_directory_symlink("../../drivers/" + driver, root() + folder + "/driver");
    }
    std::string root() const { return directory_.path() + "/machine"; }
    Machine machine() const { return Machine(root()); }
    Finding only() const {
        const Platform devices = look_at_devices(machine());
        EXPECT_EQ(devices.findings.size(), 1U);
        return devices.findings.front();
    }
    // Expects a single finding, with this answer and this part in its detail.
    void expect_only(Answer answer, const std::string& part) const {
        const Finding found = only();
        EXPECT_EQ(found.answer, answer);
        EXPECT_TRUE(has(found.detail, part)) << found.detail;
    }
    static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

private:
    test::TemporaryDirectory directory_;
};

TEST_F(Accelerators, AVendorsGpuIsScheduledThroughItsInterface) {
    pci("0000:01:00.0", "0x030200", "0x10de", "nvidia");
    file("/usr/lib64/libcuda.so.1");
    file("/usr/share/misc/pci.ids", "10dd  Other\n10de  NVIDIA Corporation\n\t0001  A card\n");
    EXPECT_EQ(only().what, "NVIDIA Corporation GPU at 0000:01:00.0 (driver nvidia)");
    expect_only(Answer::kYes, "through CUDA");
}

TEST_F(Accelerators, AMissingLibraryIsNamed) {
    pci("0000:03:00.0", "0x038000", "0x1002", "amdgpu");
    expect_only(Answer::kNo, "HIP cannot be used: libamdhip64.so");
}

TEST_F(Accelerators, AGpuWithoutItsLibraryMayHaveAnInterfaceOfNoVendor) {
    pci("0000:00:02.0", "0x030000", "0x8086", "i915");
    file("/usr/lib64/libvulkan.so.1");
    expect_only(Answer::kUnknown, "only through Vulkan");
    expect_only(Answer::kUnknown, "libze_loader.so.1 is missing");
}

TEST_F(Accelerators, AnotherVendorsDeviceIsNamedWithTheRecipe) {
    pci("0000:c1:00.0", "0x120000", "0xcabc", "cambricon");
    EXPECT_EQ(only().what, "vendor 0xcabc accelerator at 0000:c1:00.0 (driver cambricon)");
    expect_only(Answer::kNo, "CONTRIBUTING.md");
}

TEST_F(Accelerators, ADeviceWithoutADriverIsNoUseThroughAnyInterface) {
    pci("0000:01:00.0", "0x030000", "0x10de", "");
    file("/usr/lib64/libcuda.so.1");
    file("/usr/lib64/libvulkan.so.1");
    expect_only(Answer::kNo, "no driver");
}

TEST_F(Accelerators, ADisplayThatComputesNothingNeedsNoScheduling) {
    pci("0000:02:00.0", "0x030000", "0x1a03", "ast", false);
    expect_only(Answer::kYes, "nothing to schedule");
}

TEST_F(Accelerators, NodesThatAreNoPciDevicesCount) {
    file("/sys/class/accel/accel0/device/uevent");
    pci("0000:00:0b.0", "0x120000", "0x8086", "intel_vpu");
    file("/sys/class/accel/accel1/device/class", "0x120000\n");  // the one above: it is listed once
    const std::vector<Accelerator> found = accelerators(machine());
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].place, "0000:00:0b.0");
    EXPECT_EQ(found[1].place, "accel0");
    EXPECT_EQ(name_of(machine(), found[1]), "accelerator at accel0");
}

TEST_F(Accelerators, OtherDevicesDoNotCount) {
    pci("0000:00:1f.0", "0x060100", "0x8086", "lpc_ich");
    EXPECT_TRUE(accelerators(machine()).empty());
    EXPECT_EQ(only().answer, Answer::kUnknown);
}

}  // namespace
}  // namespace xsched::cli
