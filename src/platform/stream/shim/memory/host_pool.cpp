#include "platform/stream/shim/memory/host_pool.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/mutex.h"
#include "base/options.h"
#include "base/unique_fd.h"
#include "platform/stream/shim/memory/memory_pieces.h"

namespace xsched::stream::memory {
namespace {

constexpr unsigned kPortable = 1;  // CU_MEMHOSTREGISTER_PORTABLE: for every context
constexpr uint64_t kPartOfFree = 4;  // issue: a quarter of what the machine has free

// One slab of kPieceBytes, in granules.
struct Slab {
    char* memory;
    uint32_t used;  // a bit for each granule
    Slab* next;
};
static_assert(kPieceBytes / kGranularity == 32);

constinit base::Mutex g_pool_mutex;  // guards the next one, and each slab's members
constinit Slab* g_slabs = nullptr;   // slabs stay until give_host_pool_back
constinit std::atomic<uint64_t> g_pool_bytes{0};  // of all slabs, in use or not

uint64_t available_bytes() {
    char text[512] = "";
    const base::UniqueFd file(open("/proc/meminfo", O_RDONLY | O_CLOEXEC));
    if (!file || read(file.get(), text, sizeof text - 1) <= 0) return 0;
    const char* line = std::strstr(text, "MemAvailable:");
    return line != nullptr ? std::strtoull(line + std::strlen("MemAvailable:"), nullptr, 10) * 1024 : 0;
}

// Makes a slab whose pages exist before the driver registers them: while the driver registers memory, it keeps other
// threads' calls out.
void* make_pages() {
    void* piece = mmap(nullptr, kPieceBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (piece == MAP_FAILED) return nullptr;
    madvise(piece, kPieceBytes, MADV_HUGEPAGE);
    madvise(piece, kPieceBytes, MADV_DONTFORK);
    constexpr size_t kPage = 4096;
    for (size_t at = 0; at < kPieceBytes; at += kPage) static_cast<volatile char*>(piece)[at] = 0;
    return piece;
}

char* pinned_pages() {
    if (g_pool_bytes.load() + kPieceBytes > most_host_bytes()) return nullptr;
    const auto register_pages = driver<kHostRegister>();
    void* pages = register_pages != nullptr ? make_pages() : nullptr;
    if (pages == nullptr) return nullptr;
    if (register_pages(pages, kPieceBytes, kPortable) == kSuccess) return static_cast<char*>(pages);
    munmap(pages, kPieceBytes);
    return nullptr;
}

bool add_slab() {
    char* const pages = pinned_pages();
    if (pages == nullptr) return false;
    auto* const slab = static_cast<Slab*>(std::malloc(sizeof(Slab)));
    if (slab == nullptr) {
        vendor_call<kHostUnregister>(pages);
        munmap(pages, kPieceBytes);
        return false;
    }
    base::Lock lock(g_pool_mutex);
    *slab = {pages, 0, g_slabs};
    g_slabs = slab;
    g_pool_bytes += kPieceBytes;
    return true;
}

uint32_t bits_of(size_t bytes) {
    const size_t granules = (bytes + kGranularity - 1) / kGranularity;
    return granules >= 32 ? ~uint32_t{0} : (uint32_t{1} << granules) - 1;
}

// Takes room for as many granules as `bits` has ones, side by side in any slab; nullptr: no slab has that much.
void* find_room(uint32_t bits) {
    base::Lock lock(g_pool_mutex);
    for (Slab* slab = g_slabs; slab != nullptr; slab = slab->next) {
        if (std::popcount(slab->used) + std::popcount(bits) > 32) continue;
        for (int at = 0; at + std::popcount(bits) <= 32; ++at) {
            if ((slab->used & bits << at) != 0) continue;
            slab->used |= bits << at;
            return slab->memory + at * kGranularity;
        }
    }
    return nullptr;
}

}  // namespace

uint64_t most_host_bytes() {
    static const uint64_t most = available_bytes() / kPartOfFree;
    const auto asked = static_cast<uint64_t>(base::options().memory_pool);
    return asked != 0 ? asked << 20 : most;
}

void* take_host_room(size_t bytes) {
    const uint32_t bits = bits_of(bytes);
    void* const room = find_room(bits);
    return room != nullptr || !add_slab() ? room : find_room(bits);
}

void return_host_room(void* room, size_t bytes) {
    base::Lock lock(g_pool_mutex);
    for (Slab* slab = g_slabs; slab != nullptr; slab = slab->next) {
        const auto at = static_cast<size_t>(static_cast<char*>(room) - slab->memory);
        if (at < kPieceBytes) slab->used &= ~(bits_of(bytes) << at / kGranularity);
    }
}

bool prepare_host_slab(uint64_t wanted) { return g_pool_bytes.load() < wanted && add_slab(); }

void give_host_pool_back() {
    Slab* unused = nullptr;
    {
        base::Lock lock(g_pool_mutex);
        for (Slab** at = &g_slabs; *at != nullptr;) {
            Slab* const slab = *at;
            if (slab->used != 0) {
                at = &slab->next;
                continue;
            }
            *at = slab->next;
            slab->next = std::exchange(unused, slab);
            g_pool_bytes -= kPieceBytes;
        }
    }
    while (unused != nullptr) {
        Slab* const slab = std::exchange(unused, unused->next);
        vendor_call<kHostUnregister>(slab->memory);
        munmap(slab->memory, kPieceBytes);
        std::free(slab);
    }
}

void forget_host_pool() {
    g_slabs = nullptr;
    g_pool_bytes = 0;
}

}  // namespace xsched::stream::memory
