#include "cli/devices/device_users.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "base/files.h"
#include "base/printable.h"

namespace xsched::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kServer = "xserver";  // it opens devices to control them, and puts no work on them
constexpr size_t kNamed = 3;  // judgement: programs that a sentence names, so that it stays short

// The beginnings of the files' names, each followed by a number. Kernel documentation: gpu/drm-uapi (render nodes),
// accel/introduction; NVIDIA's and Huawei's drivers name theirs so.
constexpr std::string_view kNumbered[] = {"/dev/nvidia", "/dev/dri/renderD", "/dev/accel/accel", "/dev/davinci"};
constexpr std::string_view kSingle[] = {"/dev/kfd", "/dev/dxg"};

bool is_number(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return isdigit(c) != 0; });
}

std::string first_line_of(const std::string& path) {
    const std::string text = base::text_of_file(path);
    return base::printable(text.substr(0, text.find('\n')));
}

// Returns the first open file of a process, by its folder of descriptors, that shows that it uses a device for work.
// Empty: there is none, or the descriptors cannot be seen.
std::string open_work_file(const std::string& folder) {
    for (const std::string& number : base::names_in(folder)) {
        std::error_code error;
        const std::string target = fs::read_symlink(folder + "/" + number, error);
        if (!error && is_work_file(target)) return target;
    }
    return {};
}

}  // namespace

bool is_work_file(const std::string& path) {
    if (std::find(std::begin(kSingle), std::end(kSingle), path) != std::end(kSingle)) return true;
    return std::any_of(std::begin(kNumbered), std::end(kNumbered), [&](std::string_view begin) {
        return path.starts_with(begin) && is_number(std::string_view(path).substr(begin.size()));
    });
}

bool has_shim(const std::string& folder) {
    const std::string maps = base::text_of_file(folder + "/maps");
    return maps.find("/libshim") != std::string::npos || maps.find("/libpreempt") != std::string::npos;
}

std::vector<DeviceUser> unscheduled_device_users(const std::string& processes) {
    std::vector<DeviceUser> found;
    for (const std::string& name : base::names_in(processes)) {
        if (!is_number(name)) continue;
        const std::string folder = processes + "/" + name, file = open_work_file(folder + "/fd");
        const std::string program = first_line_of(folder + "/comm");
        if (!file.empty() && program != kServer && !has_shim(folder))
            found.push_back({std::stoll(name), program, file});
    }
    std::sort(found.begin(), found.end(), [](const DeviceUser& a, const DeviceUser& b) { return a.pid < b.pid; });
    return found;
}

std::string names_of(const std::vector<DeviceUser>& users) {
    std::string text;
    const size_t named = std::min(users.size(), kNamed), left = users.size() - named;
    for (size_t i = 0; i < named; ++i)
        text += (i == 0                        ? ""
                 : i + 1 == named && left == 0 ? " and "
                                               : ", ") +
                users[i].program + " (pid " + std::to_string(users[i].pid) + ")";
    return left == 0 ? text : text + " and " + std::to_string(left) + " more";
}

}  // namespace xsched::cli
