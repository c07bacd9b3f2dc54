#include "platform/stream/hal/linker.h"

#include <link.h>

#include <atomic>
#include <cstdint>

// No function of the C library may be called here. A sanitizer's runtime looks up its functions by dlsym, which may be
// the shim's, before its replacements (strcmp, dl_iterate_phdr) work.
namespace xsched::stream {
namespace {

// The parts of a loaded library that describe its symbols (System V ABI, GNU hash section).
struct Symbols {
    const ElfW(Sym) * table = nullptr;
    const char* strings = nullptr;
    const uint32_t* hash = nullptr;

    bool complete() const { return table != nullptr && strings != nullptr && hash != nullptr; }
};

Symbols symbols_of(const link_map& library) {
    Symbols symbols;
    for (const ElfW(Dyn)* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) {
        // The entry may be an offset: glibc has made most of these addresses absolute, but only if the section is
        // writable.
        const ElfW(Addr) value = entry->d_un.d_ptr;
        const ElfW(Addr) address = value < library.l_addr ? library.l_addr + value : value;
        if (entry->d_tag == DT_SYMTAB) symbols.table = reinterpret_cast<const ElfW(Sym)*>(address);
        if (entry->d_tag == DT_STRTAB) symbols.strings = reinterpret_cast<const char*>(address);
        if (entry->d_tag == DT_GNU_HASH) symbols.hash = reinterpret_cast<const uint32_t*>(address);
    }
    return symbols;
}

bool same(const char* one, const char* other) {
    for (; *one == *other; ++one, ++other)
        if (*one == '\0') return true;
    return false;
}

const char* file_name(const char* path) {
    const char* name = path;
    for (; *path != '\0'; ++path)
        if (*path == '/') name = path + 1;
    return name;
}

uint32_t gnu_hash(const char* name) {
    uint32_t hash = 5381;
    for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
    return hash;
}

// Returns the address of a function in a library, of any version; 0: it defines none of that name.
ElfW(Addr) defined_in(const link_map& library, const char* name) {
    const Symbols symbols = symbols_of(library);
    if (!symbols.complete()) return 0;
    const uint32_t buckets = symbols.hash[0], first = symbols.hash[1], bloom_words = symbols.hash[2];
    const uint32_t* bucket = symbols.hash + 4 + bloom_words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t* chain = bucket + buckets;
    const uint32_t wanted = gnu_hash(name);
    uint32_t index = buckets != 0 ? bucket[wanted % buckets] : 0;
    if (index < first) return 0;
    for (;; ++index) {
        const uint32_t hash = chain[index - first];
        const ElfW(Sym)& symbol = symbols.table[index];
        if ((hash | 1) == (wanted | 1) && symbol.st_shndx != SHN_UNDEF && (symbol.st_info & 0xf) == STT_FUNC &&
            same(symbols.strings + symbol.st_name, name))
            return library.l_addr + symbol.st_value;
        if ((hash & 1) != 0) return 0;  // the end of this bucket's chain
    }
}

// Finds a function in libc, or before glibc 2.34 in libdl. Walks the linker's list without its lock: the C library is
// among the first entries, which are never removed.
ElfW(Addr) defined_in_libc(const char* name) {
    for (const link_map* library = _r_debug.r_map; library != nullptr; library = library->l_next) {
        const char* file = library->l_name != nullptr ? file_name(library->l_name) : "";
        if (!same(file, "libc.so.6") && !same(file, "libdl.so.2")) continue;
        if (const ElfW(Addr) found = defined_in(*library, name); found != 0) return found;
    }
    return 0;
}

void* opens_nothing(const char*, int) { return nullptr; }
void* has_nothing(void*, const char*) { return nullptr; }

template <typename Function>
Function find(std::atomic<Function>& known, const char* name, Function otherwise) {
    Function function = known.load(std::memory_order_relaxed);
    if (function != nullptr) return function;
    const ElfW(Addr) found = defined_in_libc(name);
    function = found != 0 ? reinterpret_cast<Function>(found) : otherwise;
    known.store(function, std::memory_order_relaxed);
    return function;
}

}  // namespace

Dlopen linker_dlopen() {
    static constinit std::atomic<Dlopen> known{nullptr};
    return find(known, "dlopen", &opens_nothing);
}

Dlsym linker_dlsym() {
    static constinit std::atomic<Dlsym> known{nullptr};
    return find(known, "dlsym", &has_nothing);
}

}  // namespace xsched::stream
