#include "kubernetes/gpus.h"

#include <gtest/gtest.h>

#include "support/directory.h"

namespace xsched::kubernetes {
namespace {

class KubernetesGpus : public ::testing::Test {
protected:
    void write(const std::string& file, const std::string& text) { test::make_file(machine_.path() + file, text); }
    void add_nvidia(const std::string& config) {
        write("/proc/driver/nvidia/gpus/0000:3b:00.0/information",
              "Model: \t\t NVIDIA H200\nIRQ:   \t\t 18\nGPU UUID: \t GPU-604ac76c\n");
        write("/sys/bus/pci/devices/0000:3b:00.0/config", config);
    }

    test::TemporaryDirectory machine_;
};

std::string names_of(const auto& gpu) { return gpu.name + " " + gpu.platform + " " + gpu.vendors; }

TEST_F(KubernetesGpus, NvidiasAreNamedByTheirAddress) {
    add_nvidia(std::string("\xde\x10", 2));
    const auto gpus = find_gpus(machine_.path());
    ASSERT_EQ(gpus.size(), 1u);
    EXPECT_EQ(names_of(gpus[0]), "gpu-0000-3b-00-0 cuda nvidia.com/gpu=GPU-604ac76c");
    EXPECT_EQ(gpus[0].model, "NVIDIA H200");
    EXPECT_TRUE(gpus[0].answers);
}

TEST_F(KubernetesGpus, OneThatHasFallenOffItsBusDoesNotAnswer) {
    add_nvidia("\xff\xff\xff\xff");
    EXPECT_FALSE(find_gpus(machine_.path())[0].answers);
}

TEST_F(KubernetesGpus, AmdsAreCountedInTheOrderOfTheirAddresses) {
    for (const std::string address : {"0000:c1:00.0", "0000:41:00.0"}) {
        write("/sys/bus/pci/drivers/amdgpu/" + address + "/enable", "1\n");
        write("/sys/bus/pci/devices/" + address + "/mem_info_vram_total", "206141652992\n");
        write("/sys/bus/pci/devices/" + address + "/unique_id", "a1b2\n");
    }
    write("/sys/bus/pci/drivers/amdgpu/bind", "");
    const auto gpus = find_gpus(machine_.path());
    ASSERT_EQ(gpus.size(), 2u);
    EXPECT_EQ(names_of(gpus[0]), "gpu-0000-41-00-0 hip amd.com/gpu=0");
    EXPECT_EQ(gpus[1].vendors, "amd.com/gpu=1");
    EXPECT_EQ(gpus[0].uuid, "GPU-a1b2");
    EXPECT_EQ(gpus[0].memory, 206141652992);
}

}  // namespace
}  // namespace xsched::kubernetes
