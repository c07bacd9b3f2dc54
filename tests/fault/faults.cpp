// Preloaded: makes one call of a program fail, or hang. The n-th call of a kind fails, for each n, to see how the
// program does without its result. It counts the calls that come from some files of code alone, so that neither a
// driver's nor the program's own fail. Any thread.
//
// Calls before main() do not count: what C++ sets up there cannot be told that it failed.
//
//   FAULT_CALL  malloc (and its like), mmap, memfd_create, socket, eventfd, futex (waits), pthread_create or ioctl
//   FAULT_AT    which of these calls fails, from 1 on; 0: none
//   FAULT_IN    the files of code, parts of their names with a space between; "-": the program's own
//   FAULT_FILE  a file that holds a Told (below): what was seen, and whether calls count already
//   FAULT_HANG  while this file exists the main thread hangs in epoll_wait
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
}

namespace {

struct Told {
    std::atomic<uint32_t> counts;  // written by the test: 1, calls count from now on
    std::atomic<uint32_t> calls;
    std::atomic<uint32_t> failed;
    std::atomic<uint32_t> descriptors;  // of this process at its end; 0: it did not end by exit
    std::atomic<uint32_t> threads;      // likewise
};

struct Settings {
    const char* call = nullptr;
    const char* in = "";
    const char* hang = nullptr;
    uint32_t at = 0;
    Told* told = nullptr;
};
Settings g_settings;
std::atomic<bool> g_ready{false};  // main() runs
int (*g_main)(int, char**, char**) = nullptr;

template <typename Function>
Function next_of(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

void* map(size_t bytes, int fd) {
    return reinterpret_cast<void*>(syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
}

__attribute__((constructor)) void begin() {
    const char* in = getenv("FAULT_IN");
    const char* at = getenv("FAULT_AT");
    const char* file = getenv("FAULT_FILE");
    g_settings.call = getenv("FAULT_CALL");
    g_settings.hang = getenv("FAULT_HANG");
    g_settings.at = at != nullptr ? static_cast<uint32_t>(atoi(at)) : 0;
    if (in != nullptr) g_settings.in = in;
    if (g_settings.call == nullptr || file == nullptr) return;
    const int fd = open(file, O_RDWR | O_CLOEXEC);
    void* memory = fd >= 0 ? map(sizeof(Told), fd) : MAP_FAILED;
    if (fd >= 0) close(fd);
    if (memory == MAP_FAILED) return;
    g_settings.told = static_cast<Told*>(memory);
}

int run_main(int argc, char** argv, char** environment) {
    g_ready.store(g_settings.told != nullptr);
    return g_main(argc, argv, environment);
}

uint32_t entries_of(const char* folder) {
    uint32_t count = 0;
    DIR* list = opendir(folder);
    while (list != nullptr && readdir(list) != nullptr) ++count;
    if (list != nullptr) closedir(list);
    return count;
}

__attribute__((destructor)) void end() {
    if (!g_ready.exchange(false)) return;
    g_settings.told->descriptors.store(entries_of("/proc/self/fd"));
    g_settings.told->threads.store(entries_of("/proc/self/task"));
}

bool is_counted(const void* caller) {
    dl_find_object found{};
    if (_dl_find_object(const_cast<void*>(caller), &found) != 0) return false;
    const char* path = found.dlfo_link_map->l_name;
    if (path[0] == '\0') return strchr(g_settings.in, '-') != nullptr;
    const char* slash = strrchr(path, '/');
    const char* name = slash != nullptr ? slash + 1 : path;
    for (const char* part = g_settings.in; *part != '\0';) {
        const size_t length = strcspn(part, " ");
        char text[64];
        if (length != 0 && length < sizeof(text)) {
            memcpy(text, part, length);
            text[length] = '\0';
            if (strstr(name, text) != nullptr) return true;
        }
        part += length + (part[length] == ' ' ? 1 : 0);
    }
    return false;
}

bool fails(const char* call, const void* caller) {
    if (!g_ready.load() || strcmp(call, g_settings.call) != 0 || g_settings.told->counts.load() == 0) return false;
    if (!is_counted(caller)) return false;
    if (g_settings.told->calls.fetch_add(1) + 1 != g_settings.at) return false;
    g_settings.told->failed.fetch_add(1);
    return true;
}

template <typename Result>
Result failure(Result result, int error) {
    errno = error;
    return result;
}

}  // namespace

#define FAILS(call) fails(call, __builtin_return_address(0))

extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*linker_fini)(), void* stack) {
    using Start = int (*)(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
    static const auto next = next_of<Start>("__libc_start_main");
    g_main = main;
    return next(run_main, argc, argv, init, fini, linker_fini, stack);
}

void* malloc(size_t bytes) { return FAILS("malloc") ? failure<void*>(nullptr, ENOMEM) : __libc_malloc(bytes); }

void* calloc(size_t count, size_t bytes) {
    return FAILS("malloc") ? failure<void*>(nullptr, ENOMEM) : __libc_calloc(count, bytes);
}

void* realloc(void* memory, size_t bytes) {
    return bytes != 0 && FAILS("malloc") ? failure<void*>(nullptr, ENOMEM) : __libc_realloc(memory, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) {
    return FAILS("malloc") ? failure<void*>(nullptr, ENOMEM) : __libc_memalign(alignment, bytes);
}

int posix_memalign(void** memory, size_t alignment, size_t bytes) {
    if (FAILS("malloc")) return ENOMEM;
    *memory = __libc_memalign(alignment, bytes);
    return *memory != nullptr ? 0 : ENOMEM;
}

void* mmap(void* at, size_t bytes, int protection, int flags, int fd, off_t offset) {
    if (FAILS("mmap")) return failure(MAP_FAILED, ENOMEM);
    return reinterpret_cast<void*>(syscall(SYS_mmap, at, bytes, protection, flags, fd, offset));
}

int memfd_create(const char* name, unsigned flags) {
    static const auto next = next_of<int (*)(const char*, unsigned)>("memfd_create");
    return FAILS("memfd_create") ? failure(-1, EMFILE) : next(name, flags);
}

int socket(int domain, int type, int protocol) {
    static const auto next = next_of<int (*)(int, int, int)>("socket");
    return FAILS("socket") ? failure(-1, EMFILE) : next(domain, type, protocol);
}

int eventfd(unsigned value, int flags) {
    static const auto next = next_of<int (*)(unsigned, int)>("eventfd");
    return FAILS("eventfd") ? failure(-1, EMFILE) : next(value, flags);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*), void* argument) {
    static const auto next =
        next_of<int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
    return FAILS("pthread_create") ? EAGAIN : next(thread, attributes, body, argument);
}

int ioctl(int fd, unsigned long request, ...) {
    static const auto next = next_of<int (*)(int, unsigned long, ...)>("ioctl");
    va_list rest;
    va_start(rest, request);
    void* argument = va_arg(rest, void*);
    va_end(rest);
    return FAILS("ioctl") ? failure(-1, EIO) : next(fd, request, argument);
}

// Lets futex calls fail as they can in practice: futex_waitv is missing in the kernel, or a signal ends a wait. A
// wake is passed on, since the kernel never refuses it.
long syscall(long number, ...) {
    static const auto next = next_of<long (*)(long, ...)>("syscall");
    va_list rest;
    va_start(rest, number);
    long words[6];
    for (long& word : words) word = va_arg(rest, long);
    va_end(rest);
    if (number == SYS_futex_waitv && FAILS("futex")) return failure(-1L, ENOSYS);
    if (number == SYS_futex && (words[1] & FUTEX_CMD_MASK) == FUTEX_WAIT && FAILS("futex")) return failure(-1L, EINTR);
    return next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

int epoll_wait(int epoll, epoll_event* events, int count, int timeout) {
    static const auto next = next_of<int (*)(int, epoll_event*, int, int)>("epoll_wait");
    while (g_settings.hang != nullptr && getpid() == gettid() && access(g_settings.hang, F_OK) == 0) usleep(10'000);
    return next(epoll, events, count, timeout);
}

}  // extern "C"
