#include "cli/drivers.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "base/log.h"
#include "base/unique_fd.h"
#include "cli/platforms.h"
#include "host/library_search.h"

namespace xsched::cli {
namespace {

#if defined(__aarch64__)
constexpr Elf64_Half kThisMachine = EM_AARCH64;
#else
constexpr Elf64_Half kThisMachine = EM_X86_64;
#endif

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Returns whether the file is a driver: for this kind of processor, and not one of our shims under the driver's name.
bool is_driver(const char* path, void*) {
    char* real = realpath(path, nullptr);
    const bool ours = real != nullptr && file_name(real).starts_with("libshim");
    free(real);
    const base::UniqueFd file(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    Elf64_Ehdr header{};
    return !ours && file && read(file.get(), &header, sizeof header) == sizeof header &&
           memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
           header.e_machine == kThisMachine;
}

bool has_node(const PlatformInfo& driver) {
    for (const char* node : driver.nodes)
        if (node != nullptr && access(node, F_OK) == 0) return true;
    return false;
}

// Returns whether a variable names the driver. The linker searches for a name without a slash; if it finds none, the
// shim reports it.
bool is_named(const PlatformInfo& driver) {
    const char* path = getenv(driver.variable);
    if (path == nullptr || *path == '\0') return false;
    if (strchr(path, '/') == nullptr || access(path, R_OK) == 0) return true;
    XLOG_WARN("%s=%s is not there: going on with the %s that the dynamic linker finds", driver.variable, path,
              driver.libraries[0]);
    return false;
}

bool is_found(const PlatformInfo& driver, bool in_more_folders) {
    constexpr const char* kNone[] = {nullptr};
    for (const char* name : driver.libraries)
        if (name != nullptr &&
            stream::for_each_library_file(name, in_more_folders ? driver.folders : kNone, is_driver, nullptr))
            return true;
    return false;
}

}  // namespace

bool driver_is_there(const PlatformInfo& driver) {
    const bool node = has_node(driver);
    if (is_named(driver) || (node && driver.nodes_suffice) || is_found(driver, node)) return true;
    if (node)
        XLOG_WARN(
            "there is a device, but no %s where the dynamic linker looks: %s is left out; name the library with "
            "%s",
            driver.libraries[0], driver.shim, driver.variable);
    XLOG_DEBG("%s is left out: there is no %s", driver.shim, driver.libraries[0]);
    return false;
}

bool may_have_device(const PlatformInfo& driver) {
    return driver.nodes[0] == nullptr || has_node(driver) || is_named(driver);
}

}  // namespace xsched::cli
