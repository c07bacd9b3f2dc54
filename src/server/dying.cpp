#include "server/dying.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace xsched::server {
namespace {

constexpr unsigned long kExiting = 0x4;  // PF_EXITING, a flag in /proc/PID/stat

// The fields of /proc/PID/stat that are used. They describe the process's first thread.
struct FirstThread {
    char state = 0;
    unsigned long flags = 0;
    unsigned long pending = 0;  // mask of signals pending for this thread
    int exit_code = 0;          // as waitpid() reports it
};

bool read_stat(pid_t pid, FirstThread* found) {
    char path[32];
    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    FILE* file = fopen(path, "re");
    if (file == nullptr) return false;
    char text[1024] = "";
    const size_t bytes = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[bytes] = '\0';
    char* rest = strrchr(text, ')');  // the program's name before it may contain any character
    if (rest == nullptr) return false;
    int number = 2;  // number of the field, as proc(5) counts
    char* place = nullptr;
    for (const char* word = strtok_r(rest + 1, " ", &place); word != nullptr; word = strtok_r(nullptr, " ", &place)) {
        switch (++number) {
            case 3: found->state = word[0]; break;
            case 9: found->flags = strtoul(word, nullptr, 10); break;
            case 31: found->pending = strtoul(word, nullptr, 10); break;
            case 52: found->exit_code = atoi(word); return true;
            default: break;
        }
    }
    return false;
}

}  // namespace

std::optional<int> status_of_dying(pid_t pid) {
    FirstThread first;
    if (!read_stat(pid, &first)) return {};
    if (first.state == 'Z' || first.state == 'X' || (first.flags & kExiting) != 0) return first.exit_code;
    // If the thread has a pending SIGKILL, it is being killed inside the kernel. The signal that ends the process is
    // not shown any more, but the process did not exit by itself.
    if ((first.pending & 1UL << (SIGKILL - 1)) != 0) return SIGKILL;
    return {};
}

bool is_traced(pid_t pid) {
    char path[32];
    snprintf(path, sizeof(path), "/proc/%d/status", pid);
    FILE* file = fopen(path, "re");
    if (file == nullptr) return false;
    char line[256];
    int tracer = 0;
    while (fgets(line, sizeof(line), file) != nullptr)
        if (sscanf(line, "TracerPid: %d", &tracer) == 1) break;
    fclose(file);
    return tracer != 0;
}

}  // namespace xsched::server
