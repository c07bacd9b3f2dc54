#include "host/device_costs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace xsched::host {
namespace {

class DeviceCostsFile : public ::testing::Test {
protected:
    DeviceCostsFile() {
        char place[] = "/tmp/device-costs-XXXXXX";
        folder_ = mkdtemp(place);
        path_ = folder_ + "/state/xsched/device.json";
    }
    ~DeviceCostsFile() override { std::filesystem::remove_all(folder_); }
    std::string read_of(const std::string& text, DeviceCosts& costs) {
        std::filesystem::create_directories(std::filesystem::path(path_).parent_path());
        std::ofstream(path_) << text;
        return read_device_costs(path_, costs);
    }
    std::string folder_, path_;
};

TEST_F(DeviceCostsFile, IsReadAsItWasWritten) {
    const DeviceCosts written{.device = "NVIDIA H200", .measured = "2026-11-28", .us = {{"switch_us", 135.4}}};
    EXPECT_EQ(write_device_costs(path_, written), "");
    DeviceCosts read;
    EXPECT_EQ(read_device_costs(path_, read), "");
    EXPECT_EQ(read.device, "NVIDIA H200");
    EXPECT_EQ(read.measured, "2026-11-28");
    EXPECT_EQ(read.of("switch_us"), 135.4);
    EXPECT_EQ(read.of("launch_us"), 0) << "not measured";
}

TEST_F(DeviceCostsFile, NeedNotBeThere) {
    DeviceCosts costs;
    EXPECT_EQ(read_device_costs(path_, costs), "");
    EXPECT_EQ(read_device_costs("", costs), "");
    EXPECT_TRUE(costs.us.empty());
}

TEST_F(DeviceCostsFile, ThatIsDamagedSaysWhereAndChangesNothing) {
    for (const char* text :
         {"", "{", "[]", "{\"device\": 3}", "{\"device\": {\"switch_us\": \"175\"}}",
          "{\"device\": {\"launch_us\": 3, \"switch_us\": -1}}", "{\"device\": {\"switch_us\": 1e9}}"}) {
        DeviceCosts costs;
        EXPECT_NE(read_of(text, costs).find(path_), std::string::npos) << text;
        EXPECT_TRUE(costs.us.empty()) << text;
    }
}

TEST_F(DeviceCostsFile, ThatCannotBeWrittenSaysWhy) {
    EXPECT_NE(write_device_costs("", {}), "");
    std::ofstream(folder_ + "/state") << "a file where the folder should be";
    EXPECT_NE(write_device_costs(path_, {}).find(path_), std::string::npos);
}

}  // namespace
}  // namespace xsched::host
