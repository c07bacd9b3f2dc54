#include "cli/devices/unscheduled.h"

#include <algorithm>

#include "cli/devices/accelerators.h"
#include "cli/doctor/shared_object.h"
#include "cli/platforms.h"

namespace xsched::cli {
namespace {

// The libraries by which programs are linked to OpenGL (the ABI of libglvnd), and the older one that loads them.
constexpr std::string_view kOpenGl[] = {"libGL.so.1", "libOpenGL.so.0", "libGLX.so.0", "libEGL.so.1", "libGLESv2.so.2"};
constexpr std::string_view kVulkan = "libvulkan.so.1";

bool has_layer(const Installation& installation) {
    return std::any_of(installation.shims.begin(), installation.shims.end(),
                       [](const Shim& shim) { return is_layer(*shim.platform); });
}

}  // namespace

std::vector<std::string> unscheduled_devices(const Machine& machine) {
    std::vector<std::string> sentences;
    for (const Accelerator& device : accelerators(machine)) {
        const Finding finding = schedulable(machine, device);
        if (finding.answer == Answer::kNo) sentences.push_back(finding.what + " is not scheduled: " + finding.detail);
    }
    return sentences;
}

std::string unscheduled_programs(const std::vector<DeviceUser>& users) {
    if (users.empty()) return {};
    return names_of(users) + (users.size() == 1 ? " has" : " have") + " a device open and no XSched loaded: start " +
           (users.size() == 1 ? "it" : "them") +
           " with 'xcli run -- PROGRAM' if it computes; OpenGL and the desktop cannot be scheduled";
}

std::string unseen_interface(const std::string& file, const Installation& installation) {
    const std::vector<std::string> libraries = needed_libraries(file);
    const auto needs = [&](std::string_view name) {
        return std::find(libraries.begin(), libraries.end(), name) != libraries.end();
    };
    if (needs(kVulkan) && !has_layer(installation))
        return file + " uses Vulkan, and this installation has no layer for it: build or install all platforms";
    if (std::any_of(std::begin(kOpenGl), std::end(kOpenGl), needs))
        return file + " draws with OpenGL, which XSched does not schedule; work through its other interfaces is";
    return {};
}

}  // namespace xsched::cli
