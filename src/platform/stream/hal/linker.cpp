#include "platform/stream/hal/linker.h"

#include <link.h>

#include <atomic>
#include <cstdint>
#include <cstring>

namespace xsched::stream {
namespace {

// What a loaded library says of its symbols (System V ABI, GNU hash section).
struct Symbols {
    const ElfW(Sym) * table = nullptr;
    const char* strings = nullptr;
    const uint32_t* hash = nullptr;

    bool complete() const { return table != nullptr && strings != nullptr && hash != nullptr; }
};

Symbols symbols_of(const dl_phdr_info& info) {
    Symbols symbols;
    for (int i = 0; i < info.dlpi_phnum; ++i) {
        if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; ++entry) {
            // glibc has made most of these absolute, where the section is writable.
            const ElfW(Addr) value = entry->d_un.d_ptr;
            const ElfW(Addr) address = value < info.dlpi_addr ? info.dlpi_addr + value : value;
            if (entry->d_tag == DT_SYMTAB) symbols.table = reinterpret_cast<const ElfW(Sym)*>(address);
            if (entry->d_tag == DT_STRTAB) symbols.strings = reinterpret_cast<const char*>(address);
            if (entry->d_tag == DT_GNU_HASH) symbols.hash = reinterpret_cast<const uint32_t*>(address);
        }
    }
    return symbols;
}

uint32_t gnu_hash(const char* name) {
    uint32_t hash = 5381;
    for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
    return hash;
}

// Of whatever version. 0: the library defines no function of that name.
ElfW(Addr) defined_in(const dl_phdr_info& info, const char* name) {
    const Symbols symbols = symbols_of(info);
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
            std::strcmp(symbols.strings + symbol.st_name, name) == 0)
            return info.dlpi_addr + symbol.st_value;
        if ((hash & 1) != 0) return 0;  // the end of this bucket's chain
    }
}

struct Search {
    const char* name;
    ElfW(Addr) found;
};

// Before glibc 2.34 both functions are in libdl.
int look_in(dl_phdr_info* info, size_t, void* data) {
    auto& search = *static_cast<Search*>(data);
    const char* slash = info->dlpi_name != nullptr ? std::strrchr(info->dlpi_name, '/') : nullptr;
    if (slash == nullptr || (std::strcmp(slash, "/libc.so.6") != 0 && std::strcmp(slash, "/libdl.so.2") != 0)) return 0;
    search.found = defined_in(*info, search.name);
    return search.found != 0 ? 1 : 0;
}

void* opens_nothing(const char*, int) { return nullptr; }
void* has_nothing(void*, const char*) { return nullptr; }

template <typename Function>
Function find(std::atomic<Function>& known, const char* name, Function otherwise) {
    Function function = known.load(std::memory_order_relaxed);
    if (function != nullptr) return function;
    Search search{name, 0};
    dl_iterate_phdr(look_in, &search);
    function = search.found != 0 ? reinterpret_cast<Function>(search.found) : otherwise;
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
