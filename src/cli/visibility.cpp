#include "cli/visibility.h"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include "base/files.h"
#include "cli/server_link.h"

namespace xsched::cli {
namespace {

constexpr int kMostInterpreters = 4;  // as in Linux
constexpr size_t kMostFirstLine = 256;
constexpr const char* kDefaultPath = "/bin:/usr/bin";
#ifdef XSCHED_GLIBC_FLOOR
const std::string kOldestGlibc = XSCHED_GLIBC_FLOOR;
#else
const std::string kOldestGlibc;
#endif

// Finds a program as execvp does; empty: there is none.
std::string look_up(const std::string& program) {
    if (program.find('/') != std::string::npos) return access(program.c_str(), X_OK) == 0 ? program : "";
    const char* path = getenv("PATH");
    std::istringstream folders(path != nullptr ? path : kDefaultPath);
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::string file = (folder.empty() ? "." : folder) + "/" + program;
        struct stat info{};
        if (access(file.c_str(), X_OK) == 0 && stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode)) return file;
    }
    return {};
}

// Returns the interpreter in a script's `first_line`; for "#!/usr/bin/env NAME" the program of that name.
std::string interpreter_of(const std::string& first_line) {
    std::istringstream words(first_line.substr(2));
    std::string interpreter, word;
    words >> interpreter;
    if (!interpreter.ends_with("/env")) return interpreter;
    while (words >> word)
        if (word[0] != '-' && word.find('=') == std::string::npos) return look_up(word);
    return interpreter;
}

// Returns the ELF file that the kernel starts for the program; empty: it cannot be told.
std::string executable_of(const std::string& program) {
    std::string file = look_up(program);
    for (int i = 0; i < kMostInterpreters && !file.empty(); ++i) {
        std::ifstream stream(file, std::ios::binary);
        std::string start(kMostFirstLine, '\0');
        stream.read(start.data(), kMostFirstLine);
        start.resize(static_cast<size_t>(stream.gcount()));
        if (start.starts_with(ELFMAG)) return file;
        if (!start.starts_with("#!")) return {};
        file = interpreter_of(start.substr(0, start.find('\n')));
    }
    return {};
}

// Returns the path of the file's dynamic linker. Empty: it is statically linked. nullopt: the kernel will report what
// is wrong with it.
std::optional<std::string> dynamic_linker_of(std::ifstream& stream, const ElfW(Ehdr) & header) {
    if (header.e_phentsize != sizeof(ElfW(Phdr))) return std::nullopt;
    std::vector<ElfW(Phdr)> segments(header.e_phnum);
    stream.seekg(static_cast<std::streamoff>(header.e_phoff));
    stream.read(reinterpret_cast<char*>(segments.data()),
                static_cast<std::streamsize>(segments.size() * sizeof segments[0]));
    if (!stream) return std::nullopt;
    for (const ElfW(Phdr) & segment : segments) {
        if (segment.p_type != PT_INTERP) continue;
        std::string path(std::min<size_t>(segment.p_filesz, PATH_MAX), '\0');
        stream.seekg(static_cast<std::streamoff>(segment.p_offset));
        if (!stream.read(path.data(), static_cast<std::streamsize>(path.size()))) return std::nullopt;
        return std::string(path.c_str());
    }
    return std::string();
}

// Returns whether the C library beside a dynamic linker is a glibc that lacks the version which guest libraries need.
// Most systems keep both in one folder, and so do Nix, snaps and programs that bring their own C library.
bool is_too_old(const std::string& linker) {
#ifdef XSCHED_GLIBC_FLOOR
    char real[PATH_MAX];
    if (realpath(linker.c_str(), real) == nullptr) return false;
    const std::string folder(real, static_cast<size_t>(strrchr(real, '/') - real));
    const std::string text = base::text_of_file(folder + "/libc.so.6");
    return text.starts_with(ELFMAG) && text.find(std::string("GLIBC_" XSCHED_GLIBC_FLOOR) + '\0') == std::string::npos;
#else
    return linker.empty();
#endif
}

// Returns why the program has more rights than its user; its linker then ignores libraries from the environment.
const char* why_trusted(const std::string& file) {
    struct stat info{};
    struct statvfs mount{};
    if (stat(file.c_str(), &info) != 0) return nullptr;
    if (statvfs(file.c_str(), &mount) == 0 && (mount.f_flag & ST_NOSUID) != 0) return nullptr;
    if ((info.st_mode & S_ISUID) != 0 && info.st_uid != getuid()) return "is a set-user-id program";
    const bool set_group = (info.st_mode & S_ISGID) != 0 && (info.st_mode & S_IXGRP) != 0;
    if (set_group && info.st_gid != getgid()) return "is a set-group-id program";
    if (getuid() != 0 && getxattr(file.c_str(), "security.capability", nullptr, 0) > 0)
        return "has file capabilities (getcap shows them)";
    return nullptr;
}

// Returns why a preloaded library cannot be loaded into this program file. musl's linker skips a preloaded library
// whose name it does not understand (installation.cpp).
Misfit misfit_of_file(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    ElfW(Ehdr) header{};
    if (!stream.read(reinterpret_cast<char*>(&header), sizeof header)) return {};
    const bool wide = sizeof(void*) == 8;
    if (header.e_ident[EI_CLASS] != (wide ? ELFCLASS64 : ELFCLASS32))
        return {wide ? "is a 32-bit program and XSched a 64-bit one" : "is a 64-bit program and XSched a 32-bit one"};
    const auto linker = dynamic_linker_of(stream, header);
    if (!linker) return {};
    if (linker->empty()) return {"is statically linked"};
    if (linker->find("/ld-musl-") != std::string::npos) return {"is linked to musl, and XSched needs glibc"};
    if (is_too_old(*linker)) return {"brings a glibc older than " + kOldestGlibc, true};
    const char* trusted = why_trusted(file);
    return {trusted != nullptr ? trusted : ""};
}

bool is_wrapper(const std::string& file) {
    const std::string name = file.substr(file.rfind('/') + 1);
    for (const char* known :
         {"env", "nice", "ionice", "nohup", "setsid", "time", "timeout", "stdbuf", "taskset", "chrt", "numactl"})
        if (name == known) return true;
    return false;
}

}  // namespace

void check_path(const std::string& program) {
    if (program.find('/') != std::string::npos && access(program.c_str(), X_OK) != 0)
        throw Failure(program + " cannot be executed: " + strerror(errno));
}

std::string last_executable(std::span<const std::string> words) {
    // In the command line of a wrapper (nice -n 5 PROGRAM), the first word that names an executable is the program.
    std::string file = executable_of(words.front());
    while (is_wrapper(file)) {
        do words = words.subspan(1);
        while (!words.empty() && (words.front().starts_with('-') || look_up(words.front()).empty()));
        if (words.empty()) break;
        file = executable_of(words.front());
    }
    return file;
}

Misfit misfit_of(std::span<const std::string> program) {
    const std::string file = last_executable(program);
    if (file.empty()) return {};
    Misfit misfit = misfit_of_file(file);
    if (!misfit.reason.empty()) misfit.reason = file + " " + misfit.reason;
    return misfit;
}

}  // namespace xsched::cli
