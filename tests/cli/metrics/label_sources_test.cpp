// Labels from files, in a folder that has those of a machine.
#include "cli/metrics/label_sources.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/directory.h"

namespace xsched::test {
namespace {

using cli::Labels;
using cli::LabelSources;

const std::string kNamedContainer = "4f1c2e9d0b7a86351f2e3d4c5b6a79880123456789abcdef0123456789abcdef";

class LabelSourcesOfFiles : public ::testing::Test {
protected:
    void write(const std::string& file, const std::string& text) {
        const std::filesystem::path path = directory_.path() + file;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text;
    }
    LabelSources sources() const { return LabelSources(directory_.path()); }

private:
    TemporaryDirectory directory_;
};

TEST_F(LabelSourcesOfFiles, PodsHaveTheNamesThatKubeletWrote) {
    write("/var/log/containers/trainer-7d9c_team-a_main-" + kNamedContainer + ".log", "");
    write("/var/log/containers/other-" + std::string(64, 'a') + ".log", "");
    const std::string pod = "8a6b0c1d2e3f405162738495a6b7c8d9";
    EXPECT_EQ(sources().of_group("/kubepods/pod" + pod + "/" + kNamedContainer),
              (Labels{{"container_id", kNamedContainer},
                      {"pod_uid", pod},
                      {"pod", "trainer-7d9c"},
                      {"namespace", "team-a"},
                      {"container", "main"}}));
    EXPECT_EQ(sources().of_group("/docker/" + std::string(64, 'a')), (Labels{{"container_id", std::string(64, 'a')}}));
    EXPECT_EQ(sources().of_group("/slurm/job_3"), (Labels{{"slurm_job", "3"}}));
}

TEST_F(LabelSourcesOfFiles, NvidiasDevicesHaveTheFormOfDcgm) {
    write("/sys/bus/pci/devices/0000:3b:00.0/class", "0x030200\n");
    write("/proc/driver/nvidia/gpus/0000:3b:00.0/information", "Model: \t\t NVIDIA H200\nGPU UUID: \t GPU-604ac76c\n");
    EXPECT_EQ(sources().of_device("GPU:3b00"), (Labels{{"pci_bus_id", "00000000:3B:00.0"}, {"UUID", "GPU-604ac76c"}}));
}

TEST_F(LabelSourcesOfFiles, AmdsDevicesHaveTheFormOfTheKernel) {
    write("/sys/bus/pci/devices/0001:0c:02.1/unique_id", "9a3bc0de12345678\n");
    EXPECT_EQ(sources().of_device("GPU:10c11"),
              (Labels{{"pci_bus_id", "0001:0c:02.1"}, {"UUID", "GPU-9a3bc0de12345678"}}));
}

TEST_F(LabelSourcesOfFiles, UnknownDevicesHaveNone) {
    write("/sys/bus/pci/devices/0000:3b:00.0/class", "0x030200\n");
    EXPECT_EQ(sources().of_device("GPU:3b00"), (Labels{{"pci_bus_id", "0000:3b:00.0"}})) << "no driver tells a UUID";
    for (const char* device : {"CPU:be42e530", "GPU:1", "", "GPU:"}) EXPECT_EQ(sources().of_device(device), Labels{});
}

}  // namespace
}  // namespace xsched::test
