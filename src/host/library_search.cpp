#include "host/library_search.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/unique_fd.h"

namespace xsched::stream {
namespace {

using Visit = bool (*)(const char* path, void* data);

constexpr const char* kCache = "/etc/ld.so.cache";
bool visit_in(const char* folder, const char* name, Visit visit, void* data) {
    char path[kPathBytes];
    const int length = std::snprintf(path, sizeof path, "%s/%s", *folder != '\0' ? folder : ".", name);
    if (length <= 0 || static_cast<size_t>(length) >= sizeof path) return false;
    return access(path, R_OK) == 0 && visit(path, data);
}

// Calls `visit` for the folders that the linker searches: those before its cache, or with `defaults` the default ones
// after it.
bool visit_search_path(const char* name, bool defaults, Visit visit, void* data) {
    void* self = dlopen(nullptr, RTLD_NOW);
    Dl_serinfo size{};
    if (self == nullptr || dlinfo(self, RTLD_DI_SERINFOSIZE, &size) != 0) return false;
    auto* path = static_cast<Dl_serinfo*>(std::malloc(size.dls_size));
    if (path == nullptr) return false;
    bool found = false;
    if (dlinfo(self, RTLD_DI_SERINFOSIZE, path) == 0 && dlinfo(self, RTLD_DI_SERINFO, path) == 0)
        for (unsigned i = 0; i < path->dls_cnt && !found; ++i)
            if (((path->dls_serpath[i].dls_flags & LA_SER_DEFAULT) != 0) == defaults)
                found = visit_in(path->dls_serpath[i].dls_name, name, visit, data);
    std::free(path);
    return found;
}

// The linker's cache, in the format that glibc has written since 2.2 (sysdeps/generic/dl-cache.h describes it).
struct CacheHeader {
    char magic[20];
    uint32_t count;
    uint32_t string_bytes;
    uint32_t unused[5];
};
struct CacheEntry {
    int32_t flags;
    uint32_t name;  // offsets from the header
    uint32_t path;
    uint32_t os_version;
    uint64_t hwcap;
};
constexpr char kCacheMagic[] = "glibc-ld.so.cache1.1";
constexpr int32_t kElf = 1;
#ifdef __aarch64__
constexpr int32_t kThisMachine = 0x0a00;
#else
constexpr int32_t kThisMachine = 0x0300;
#endif

// Returns a string of the cache; nullptr if it does not end inside the file.
const char* cached_string(const char* bytes, size_t size, uint32_t offset) {
    if (offset >= size || std::memchr(bytes + offset, '\0', size - offset) == nullptr) return nullptr;
    return bytes + offset;
}

bool visit_cache(const char* name, Visit visit, void* data) {
    base::UniqueFd file(open(kCache, O_RDONLY | O_CLOEXEC));
    struct stat info{};
    if (!file || fstat(file.get(), &info) != 0 || info.st_size <= 0) return false;
    const auto size = static_cast<size_t>(info.st_size);
    void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (bytes == MAP_FAILED) return false;
    const bool found = for_each_cached_file(static_cast<const char*>(bytes), size, name, visit, data);
    munmap(bytes, size);
    return found;
}

}  // namespace

bool for_each_cached_file(const char* bytes, size_t size, const char* library, Visit visit, void* data) {
    // The library cache (ld.so.cache) may hold the older format in front of the new one, so the new format's magic
    // string is searched for.
    const void* start = memmem(bytes, size, kCacheMagic, sizeof kCacheMagic - 1);
    if (start == nullptr) return false;
    size -= static_cast<size_t>(static_cast<const char*>(start) - bytes);
    bytes = static_cast<const char*>(start);
    CacheHeader header{};
    if (size < sizeof header) return false;
    std::memcpy(&header, bytes, sizeof header);
    if (header.count > (size - sizeof header) / sizeof(CacheEntry)) return false;
    for (uint32_t i = 0; i < header.count; ++i) {
        CacheEntry entry{};
        std::memcpy(&entry, bytes + sizeof header + i * sizeof entry, sizeof entry);
        if ((entry.flags & 0xff) != kElf && (entry.flags & 0xff) != 3) continue;
        if ((entry.flags & 0xff00) != kThisMachine) continue;
        const char* name = cached_string(bytes, size, entry.name);
        const char* path = cached_string(bytes, size, entry.path);
        if (name != nullptr && path != nullptr && std::strcmp(name, library) == 0 && visit(path, data)) return true;
    }
    return false;
}

bool for_each_library_file(const char* name, const char* const* folders, Visit visit, void* data) {
    if (visit_search_path(name, false, visit, data) || visit_cache(name, visit, data) ||
        visit_search_path(name, true, visit, data))
        return true;
    for (const char* folder : kSystemFolders)
        if (visit_in(folder, name, visit, data)) return true;
    for (; *folders != nullptr; ++folders)
        if (visit_in(*folders, name, visit, data)) return true;
    return false;
}

}  // namespace xsched::stream
