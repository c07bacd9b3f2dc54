// The processes that hold an accelerator's device file open. XSched schedules those that were started under it; the
// others share the device with them unscheduled. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xsched::cli {

struct DeviceUser {
    int64_t pid = 0;
    std::string program;  // as list shows programs
    std::string file;     // "/dev/nvidia0"
};

// Returns whether work reaches a device through this file. Other files of a driver only answer questions.
bool is_work_file(const std::string& path);

// Returns whether one of our shims, or the library that they use, is loaded in a process. `folder`: the process' folder
// in /proc.
bool has_shim(const std::string& folder);

// Returns the processes that have such a file open and no shim loaded, by their numbers. A user sees only the user's
// own processes; root sees all. `processes`: the folder where the kernel lists them.
std::vector<DeviceUser> unscheduled_device_users(const std::string& processes = "/proc");

// "Xorg (pid 812) and blender (pid 4410)". After three it says how many more there are.
std::string names_of(const std::vector<DeviceUser>& users);

}  // namespace xsched::cli
