#include "cli/devices/accelerators.h"

#include <algorithm>
#include <filesystem>

#include "cli/platforms.h"

namespace xsched::cli {
namespace {

constexpr const char* kPciDevices = "/sys/bus/pci/devices";
constexpr const char* kAccelNodes = "/sys/class/accel";
// Classes of PCI devices, the first four digits of the file "class" (package pci.ids, "C 03" and "C 12").
constexpr std::string_view kDisplayController = "0x03";
constexpr std::string_view kProcessingAccelerator = "0x1200";
constexpr const char* kVendorNames[] = {"/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids"};
constexpr const char* kGraphicsToo = "; what it draws by OpenGL or encodes is not";

std::string file_name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string driver_of(const Machine& machine, const std::string& folder) {
    const std::string link = folder + "/driver", target = machine.real_path(link);
    return machine.exists(link) ? file_name_of(target) : "";
}

// Returns whether programs can compute on a display controller: the kernel gives such devices a render node.
bool computes(const Machine& machine, const std::string& folder) {
    return !machine.names(folder + "/drm", "renderD", "").empty() || machine.exists(folder + "/accel");
}

const PlatformInfo* platform_of(const Accelerator& device) {
    const auto found = std::find_if(std::begin(kPlatforms), std::end(kPlatforms), [&](const PlatformInfo& platform) {
        return std::find_if(std::begin(platform.pci_vendors), std::end(platform.pci_vendors), [&](const char* vendor) {
                   return vendor != nullptr && device.vendor == vendor;
               }) != std::end(platform.pci_vendors);
    });
    return found != std::end(kPlatforms) ? &*found : nullptr;
}

// Returns whether programs on this machine can reach the platform's driver.
bool has_library(const Machine& machine, const PlatformInfo& platform) {
    std::vector<std::string> more;
    for (const char* folder : platform.folders)
        if (folder != nullptr) more.push_back(folder);
    for (const char* name : platform.libraries)
        if (name != nullptr && !machine.libraries(name, more).empty()) return true;
    return false;
}

// "OpenCL and Vulkan": the interfaces of no vendor of which this machine has a loader; empty: none.
std::string common_interfaces(const Machine& machine) {
    std::string text;
    for (const PlatformInfo& platform : kPlatforms)
        if (platform.pci_vendors[0] == nullptr && has_library(machine, platform))
            text += (text.empty() ? "" : " and ") + std::string(platform.title);
    return text;
}

// Returns what would help a device of which no platform's own interface can be used.
std::string help_for(const Accelerator& device, const PlatformInfo* platform) {
    if (platform == nullptr) return "XSched has no interface of this vendor (CONTRIBUTING.md: how to add a platform)";
    if (device.driver.empty()) return "the kernel has no driver for it: install the vendor's";
    return std::string(platform->title) + " cannot be used: " + platform->libraries[0] + " is missing (the rows of " +
           platform->name + " say what to install)";
}

}  // namespace

std::vector<Accelerator> accelerators(const Machine& machine) {
    using Kind = Accelerator::Kind;
    std::vector<Accelerator> found;
    for (const std::string& address : machine.names(kPciDevices, "", "")) {
        const std::string folder = std::string(kPciDevices) + "/" + address;
        const std::string kind = machine.first_line(folder + "/class").value_or("");
        const bool display = kind.starts_with(kDisplayController);
        if (!display && !kind.starts_with(kProcessingAccelerator)) continue;
        Accelerator device{address, machine.first_line(folder + "/vendor").value_or(""), driver_of(machine, folder)};
        if (!display) device.kind = Kind::kAccelerator;
        if (display && platform_of(device) == nullptr && !computes(machine, folder)) device.kind = Kind::kDisplay;
        found.push_back(device);
    }
    for (const std::string& node : machine.names(kAccelNodes, "accel", "")) {
        const std::string folder = std::string(kAccelNodes) + "/" + node + "/device";
        if (!machine.exists(folder + "/class"))
            found.push_back({node, "", driver_of(machine, folder), Kind::kAccelerator});
    }
    return found;
}

std::string name_of(const Machine& machine, const Accelerator& device) {
    std::string vendor = device.vendor;
    const std::string number = vendor.starts_with("0x") ? vendor.substr(2) + "  " : "";
    for (const char* path : kVendorNames)
        for (const std::string& line : number.empty() ? std::vector<std::string>() : machine.lines(path))
            if (line.starts_with(number)) vendor = line.substr(number.size());
    if (vendor == device.vendor && !vendor.empty()) vendor = "vendor " + vendor;
    return vendor + (vendor.empty() ? "" : " ") +
           (device.kind == Accelerator::Kind::kAccelerator ? "accelerator" : "GPU") + " at " + device.place +
           (device.driver.empty() ? "" : " (driver " + device.driver + ")");
}

Finding schedulable(const Machine& machine, const Accelerator& device) {
    const std::string what = name_of(machine, device);
    if (device.kind == Accelerator::Kind::kDisplay)
        return {what, Answer::kYes, "it shows pictures and computes nothing: there is nothing to schedule"};
    const PlatformInfo* platform = platform_of(device);
    if (platform != nullptr && !device.driver.empty() && has_library(machine, *platform))
        return {what, Answer::kYes, std::string("through ") + platform->title + kGraphicsToo};
    const std::string help = help_for(device, platform), interfaces = common_interfaces(machine);
    if (device.driver.empty() || interfaces.empty()) return {what, Answer::kNo, help};
    return {what, Answer::kUnknown, "only through " + interfaces + ", if its driver offers that; " + help};
}

Platform look_at_devices(const Machine& machine) {
    Platform devices{"devices", {}, {}};
    for (const Accelerator& device : accelerators(machine)) devices.findings.push_back(schedulable(machine, device));
    if (devices.findings.empty())
        devices.findings.push_back({"GPUs and NPUs", Answer::kUnknown,
                                    "the kernel shows none: OpenCL and Vulkan can compute on the processors"});
    return devices;
}

}  // namespace xsched::cli
