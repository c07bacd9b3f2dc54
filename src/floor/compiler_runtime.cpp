// The functions of newer C libraries that GCC's static runtime (libstdc++, libgcc_eh) needs.
#include <link.h>
#include <sys/random.h>

#include <cstdint>
#include <ctime>

#include "floor/floor.h"

namespace {

// The structure as <dlfcn.h> defines it since 2.35, for older headers. The reserved fields after it stay unchanged.
struct FoundObject {
    unsigned long long flags;
    void* map_start;
    void* map_end;
    link_map* map;
    void* eh_frame;  // the segment PT_GNU_EH_FRAME
#if !defined(__x86_64__)
    void* eh_data_base;
#endif
};

struct Search {
    uintptr_t address;
    FoundObject* into;
};

// The callback for dl_iterate_phdr; returning 1 ends the search.
int look(dl_phdr_info* object, size_t, void* data) {
    auto& search = *static_cast<Search*>(data);
    uintptr_t low = UINTPTR_MAX, high = 0, frames = 0;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = object->dlpi_phdr[i];
        const uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
        if (segment.p_type == PT_GNU_EH_FRAME) frames = begin;
        if (segment.p_type != PT_LOAD) continue;
        low = begin < low ? begin : low;
        high = begin + segment.p_memsz > high ? begin + segment.p_memsz : high;
    }
    if (frames == 0 || search.address < low || search.address >= high) return 0;
    *search.into = {};
    search.into->map_start = reinterpret_cast<void*>(low);
    search.into->map_end = reinterpret_cast<void*>(high);
    search.into->eh_frame = reinterpret_cast<void*>(frames);
    return 1;
}

}  // namespace

extern "C" {
// Exists since 2.32. False makes libstdc++ count references with atomic instructions, as a program with threads needs.
XSCHED_FLOOR extern char __libc_single_threaded;
char __libc_single_threaded = 0;

// Exists since 2.35. libgcc finds the unwind tables for exceptions through it, since GCC 12 in no other way. (Newer
// headers declare the name with a type of their own.)
XSCHED_FLOOR int find_object(void* address, FoundObject* into) noexcept __asm__("_dl_find_object");
int find_object(void* address, FoundObject* into) noexcept {
    Search search{reinterpret_cast<uintptr_t>(address), into};
    return dl_iterate_phdr(look, &search) == 1 ? 0 : -1;
}

// Exists since 2.36; used by std::random_device. If a sandbox refuses getrandom, returns the clock's value: nothing
// here is secret.
XSCHED_FLOOR uint32_t arc4random() noexcept {
    uint32_t value = 0;
    if (getrandom(&value, sizeof value, 0) == sizeof value) return value;
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint32_t>(now.tv_nsec) * 2654435761U;
}
}
