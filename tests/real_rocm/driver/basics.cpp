#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "emulator.h"

namespace kfd {
namespace {

void write_line(const char* format, va_list rest) {
    char line[512];
    int length = std::snprintf(line, sizeof line, "kfd emulator [%ld]: ", syscall(SYS_gettid));
    length += std::vsnprintf(line + length, sizeof line - static_cast<size_t>(length) - 1, format, rest);
    if (length > static_cast<int>(sizeof line) - 2) length = sizeof line - 2;
    line[length++] = '\n';
    [[maybe_unused]] const ssize_t written = write(2, line, static_cast<size_t>(length));
}

int number(const char* variable, int otherwise) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0' ? std::atoi(value) : otherwise;
}

}  // namespace

int gpus() {
    static const int count = number("KFD_EMULATOR_GPUS", 1);
    return count < 1 || count > kMostGpus ? 1 : count;
}

int gpu_numbered(uint32_t gpu_id) {
    const int64_t at = int64_t{gpu_id} - kFirstGpuId;
    return at >= 0 && at < gpus() ? static_cast<int>(at) : -1;
}

int pause_us() { return number("KFD_EMULATOR_PAUSE_US", 0); }

int64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void wait_ns(int64_t ns) {
    if (ns <= 0) return;
    const timespec time{ns / 1'000'000'000, ns % 1'000'000'000};
    nanosleep(&time, nullptr);
}

void say(int level, const char* format, ...) {
    static const int most = number("KFD_EMULATOR_LOG", 0);
    if (level > most) return;
    va_list rest;
    va_start(rest, format);
    write_line(format, rest);
    va_end(rest);
}

void give_up(const char* format, ...) {
    va_list rest;
    va_start(rest, format);
    write_line(format, rest);
    va_end(rest);
    std::abort();
}

}  // namespace kfd
