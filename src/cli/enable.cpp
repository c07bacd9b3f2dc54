#include "cli/enable.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/unique_fd.h"
#include "cli/drivers.h"
#include "cli/installation.h"
#include "cli/quoted.h"
#include "cli/server_link.h"
#include "cli/show.h"
#include "cli/visibility.h"

namespace xsched::cli {
namespace {

// The line that tells files of ours from others.
constexpr const char* kMark = "# Written by 'xcli enable'; 'xcli disable' removes it.";
constexpr size_t kMostRead = 4096;  // the mark stands in the first lines
// What stands around the program in a wrapper's last line.
constexpr std::string_view kBefore = " run -- ";
constexpr std::string_view kBehind = " \"$@\"\n";

std::string home() {
    const char* value = getenv("HOME");
    if (value == nullptr || *value != '/') throw Failure("HOME names no folder: where are your files to be?");
    return value;
}

std::string wrapper_path(const std::string& name) { return home() + "/.local/bin/" + name; }

std::string session_path() {
    const char* configs = getenv("XDG_CONFIG_HOME");
    const std::string folder = configs != nullptr && *configs == '/' ? configs : home() + "/.config";
    return folder + "/environment.d/60-xsched.conf";
}

enum class Found { kNothing, kOurs, kOther };

Found look_at(const std::string& path) {
    struct stat info{};
    if (lstat(path.c_str(), &info) != 0) return Found::kNothing;
    if (!S_ISREG(info.st_mode)) return Found::kOther;
    const base::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    std::string text(kMostRead, '\0');
    const ssize_t bytes = file ? read(file.get(), text.data(), text.size()) : -1;
    text.resize(bytes > 0 ? static_cast<size_t>(bytes) : 0);
    return text.find(std::string(kMark) + "\n") != std::string::npos ? Found::kOurs : Found::kOther;
}

// Writes a file beside the path and renames it, so that no program ever finds half of it.
void put_file(const std::string& path, const std::string& text, mode_t mode) {
    if (look_at(path) == Found::kOther)
        throw Failure(path + " exists and is not xcli's: it is left as it is; rename or remove it first");
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
    std::string temporary = path + ".XXXXXX";
    base::UniqueFd file(mkostemp(temporary.data(), O_CLOEXEC));
    const bool written = file && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                         fchmod(file.get(), mode) == 0 && rename(temporary.c_str(), path.c_str()) == 0;
    if (written) return;
    const std::string why = strerror(errno);
    if (file) unlink(temporary.c_str());
    throw Failure(path + " cannot be written: " + why, kNotWritten);
}

void remove_file(const std::string& path, const std::string& what) {
    switch (look_at(path)) {
        case Found::kNothing: throw Failure(what + " is not enabled: there is no " + path);
        case Found::kOther: throw Failure(path + " is not xcli's: it is left as it is");
        case Found::kOurs: break;
    }
    if (unlink(path.c_str()) != 0) throw Failure(path + " cannot be removed: " + strerror(errno));
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::vector<std::string> folders_of_path() {
    const char* path = getenv("PATH");
    std::istringstream stream(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
    std::vector<std::string> folders;
    for (std::string folder; std::getline(stream, folder, ':');)
        if (!folder.empty()) folders.push_back(folder);
    return folders;
}

// Returns the program's file, which is not a wrapper of ours.
std::string program_file(const std::string& program) {
    if (program.find('/') != std::string::npos) {
        char real[PATH_MAX];
        check_path(program);
        return realpath(program.c_str(), real) != nullptr ? real : program;
    }
    for (const std::string& folder : folders_of_path())
        if (const std::string file = folder + "/" + program;
            access(file.c_str(), X_OK) == 0 && look_at(file) != Found::kOurs)
            return file;
    throw Failure("there is no program " + program + " in PATH");
}

std::string own_path() {
    char path[PATH_MAX];
    const ssize_t bytes = readlink("/proc/self/exe", path, sizeof(path));
    return bytes > 0 ? std::string(path, static_cast<size_t>(bytes)) : "xcli";
}

// Returns whether a shell finds the wrapper before the program.
bool comes_first(const std::string& wrapper, const std::string& program) {
    for (const std::string& folder : folders_of_path()) {
        if (folder + "/" + last_part(wrapper) == wrapper) return true;
        if (folder + "/" + last_part(program) == program) return false;
    }
    return false;
}

bool is_in_path(const std::string& program) {
    const std::vector<std::string> folders = folders_of_path();
    return std::any_of(folders.begin(), folders.end(),
                       [&](const std::string& folder) { return folder + "/" + last_part(program) == program; });
}

// Returns the entry of LD_PRELOAD as environment.d(5) takes it: $$ stands for a dollar, which $LIB has.
std::string escaped_entry(const std::string& entry) {
    std::string text;
    for (const char letter : entry) text += letter == '$' ? std::string("$$") : std::string(1, letter);
    return text;
}

std::string session_text() {
    std::string preload;
    std::string layers;
    for (const Shim& shim : find_installation().shims) {
        if (!driver_is_there(*shim.platform)) continue;
        if (is_layer(*shim.platform)) {
            layers += std::string(shim.platform->layer_switch) + "=1\n";
            continue;
        }
        preload += (preload.empty() ? "" : ":") + escaped_entry(shim.preload);
        if (*shim.platform->shim_also_in != '\0')
            layers += std::string(shim.platform->shim_also_in) + "=" + shim.path + "\n";
    }
    if (preload.empty())
        throw Failure("no driver is found that XSched has a shim for: 'xcli doctor' says what is missing");
    return std::string(kMark) + "\nLD_PRELOAD=" + preload + "${LD_PRELOAD:+:$LD_PRELOAD}\n" + layers;
}

int told(const std::string& path, const std::string& sentence, bool json) {
    if (json)
        print(Json{{"ok", true}, {"file", path}}.dump(2) + "\n");
    else
        print_text(sentence + "\n");
    return 0;
}

void check(const EnableWords& words, const char* command) {
    if (words.program.empty() != words.session)
        throw Failure(std::string("say one program, or --session for all: xcli ") + command + " PROGRAM");
}

}  // namespace

int enable(const EnableWords& words, bool json) {
    check(words, "enable");
    if (words.session) {
        const std::string path = session_path();
        put_file(path, session_text(), 0644);
        return told(path, "all programs of your sessions run under XSched from the next login on (" + path + ")", json);
    }
    const std::string program = program_file(words.program);
    const std::string path = wrapper_path(last_part(words.program));
    struct stat found{};
    if (stat(program.c_str(), &found) == 0 && (found.st_mode & (S_ISUID | S_ISGID)) != 0)
        throw Failure(program + " has a set-user-id bit: nothing can be loaded into it, so it runs unscheduled");
    if (program == own_path()) throw Failure(program + " is xcli itself, which needs no wrapper");
    if (program == path)
        throw Failure(program + " is the program itself, where its wrapper would be: start it by 'xcli run -- " +
                      words.program + "', or use --session");
    put_file(path,
             "#!/bin/sh\n" + std::string(kMark) + "\nexec " + quoted(own_path()) + std::string(kBefore) +
                 quoted(program) + std::string(kBehind),
             0755);
    if (!comes_first(path, program))
        return told(path,
                    "written: " + path + "; " +
                        (is_in_path(program) ? "your PATH has " + program + " before it, which"
                                             : "your PATH lacks ~/.local/bin, and " + program) +
                        " runs without XSched until ~/.local/bin is in front",
                    json);
    const std::string name = last_part(words.program);
    return told(path, name + " runs under XSched from now on (" + path + ")", json);
}

int disable(const EnableWords& words, bool json) {
    check(words, "disable");
    const std::string path = words.session ? session_path() : wrapper_path(last_part(words.program));
    remove_file(path, words.session ? "the session" : words.program);
    return told(path,
                words.session ? "programs of your sessions run without XSched from the next login on"
                              : words.program + " runs without XSched from now on",
                json);
}

std::string wrapped_program(const std::string& file) {
    char real[PATH_MAX];
    if (realpath(file.c_str(), real) == nullptr || look_at(real) != Found::kOurs) return "";
    const std::string text = base::text_of_file(real);
    const size_t before = text.find(kBefore), end = text.rfind(kBehind);
    if (before == std::string::npos || end == std::string::npos) return "";
    const size_t begin = before + kBefore.size();
    return begin < end ? unquoted(text.substr(begin, end - begin)) : "";
}

std::vector<std::string> enabled_programs() {
    std::vector<std::string> names;
    for (const std::string& name : base::names_in(wrapper_path("")))
        if (look_at(wrapper_path(name)) == Found::kOurs) names.push_back(name);
    return names;
}

}  // namespace xsched::cli
