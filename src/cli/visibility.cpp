#include "cli/visibility.h"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

namespace xsched::cli {
namespace {

constexpr int kMostInterpreters = 4;  // as in Linux
constexpr size_t kMostFirstLine = 256;
constexpr const char* kDefaultPath = "/bin:/usr/bin";

// Where execvp finds it; empty: nowhere.
std::string look_up(const std::string& program) {
    if (program.find('/') != std::string::npos) return program;
    const char* path = getenv("PATH");
    std::istringstream folders(path != nullptr ? path : kDefaultPath);
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::string file = (folder.empty() ? "." : folder) + "/" + program;
        struct stat info{};
        if (access(file.c_str(), X_OK) == 0 && stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode)) return file;
    }
    return {};
}

// The program that runs the script `first_line` begins; for "#!/usr/bin/env NAME" that of the name.
std::string interpreter_of(const std::string& first_line) {
    std::istringstream words(first_line.substr(2));
    std::string interpreter, word;
    words >> interpreter;
    if (!interpreter.ends_with("/env")) return interpreter;
    while (words >> word)
        if (word[0] != '-' && word.find('=') == std::string::npos) return look_up(word);
    return interpreter;
}

// The ELF file that the kernel starts for it; empty: none can be told.
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

bool has_dynamic_linker(std::ifstream& stream, const ElfW(Ehdr) & header) {
    if (header.e_phentsize != sizeof(ElfW(Phdr))) return true;
    std::vector<ElfW(Phdr)> segments(header.e_phnum);
    stream.seekg(static_cast<std::streamoff>(header.e_phoff));
    stream.read(reinterpret_cast<char*>(segments.data()),
                static_cast<std::streamsize>(segments.size() * sizeof segments[0]));
    if (!stream) return true;  // the kernel will say what is wrong with it
    for (const ElfW(Phdr) & segment : segments)
        if (segment.p_type == PT_INTERP) return true;
    return false;
}

// Such a program's linker takes no libraries from the user's environment.
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

const char* why_not_loadable(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    ElfW(Ehdr) header{};
    if (!stream.read(reinterpret_cast<char*>(&header), sizeof header)) return nullptr;
    const bool wide = sizeof(void*) == 8;
    if (header.e_ident[EI_CLASS] != (wide ? ELFCLASS64 : ELFCLASS32))
        return wide ? "is a 32-bit program and XSched a 64-bit one" : "is a 64-bit program and XSched a 32-bit one";
    if (!has_dynamic_linker(stream, header)) return "is statically linked";
    return why_trusted(file);
}

}  // namespace

std::string why_invisible(const std::string& program) {
    const std::string file = executable_of(program);
    const char* reason = file.empty() ? nullptr : why_not_loadable(file);
    return reason != nullptr ? file + " " + reason : "";
}

}  // namespace xsched::cli
