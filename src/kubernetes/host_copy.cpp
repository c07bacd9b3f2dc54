#include "kubernetes/host_copy.h"

#include <filesystem>

#include "base/files.h"

namespace xsched::kubernetes {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCore = "libpreempt.so.1";
constexpr auto kAll = fs::copy_options::recursive | fs::copy_options::copy_symlinks;

// Returns the folder of libraries below the prefix: "lib", "lib64" or Debian's "lib/x86_64-linux-gnu".
std::string library_folder(const std::string& prefix) {
    for (const char* folder : {"lib", "lib64"})
        if (fs::exists(prefix + "/" + folder + "/" + kCore)) return folder;
    for (const std::string& name : base::names_in(prefix + "/lib"))
        if (fs::exists(prefix + "/lib/" + name + "/" + kCore)) return "lib/" + name;
    throw fs::filesystem_error("no libpreempt is installed below", prefix,
                               std::make_error_code(std::errc::no_such_file_or_directory));
}

bool is_ours(const std::string& name) {
    return name == "xsched" || name.rfind("libpreempt.so", 0) == 0 || name.rfind("libhal", 0) == 0 ||
           name.rfind("libshim", 0) == 0;
}

}  // namespace

std::string copy_to_host(const std::string& prefix, const std::string& folder, const std::string& version) {
    const std::string place = folder + "/" + version;
    if (fs::exists(place)) return place;
    const std::string fresh = place + ".new";
    fs::remove_all(fresh);  // of a driver that was ended meanwhile
    const std::string libraries = library_folder(prefix);
    fs::create_directories(fresh + "/bin");
    fs::create_directories(fresh + "/" + libraries);
    fs::copy(prefix + "/bin/xcli", fresh + "/bin/xcli");
    for (const std::string& name : base::names_in(prefix + "/" + libraries))
        if (is_ours(name)) fs::copy(prefix + "/" + libraries + "/" + name, fresh + "/" + libraries + "/" + name, kAll);
    fs::rename(fresh, place);
    return place;
}

std::string own_prefix() { return fs::read_symlink("/proc/self/exe").parent_path().parent_path(); }

}  // namespace xsched::kubernetes
