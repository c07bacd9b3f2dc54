#include "platform/cuda/shim/host_pool.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "base/mutex.h"
#include "base/unique_fd.h"
#include "platform/cuda/shim/memory_pieces.h"

namespace xsched::cuda {
namespace {

using stream::driver;

constexpr unsigned kPortable = 1;  // CU_MEMHOSTREGISTER_PORTABLE: for every context
constexpr uint64_t kPartOfFree = 4;  // issue: a quarter of what the machine has free

// Free pieces in a list: each one's first word leads to the next.
constinit base::Mutex g_pool_mutex;  // guards the next one
constinit void* g_free_pieces = nullptr;
constinit std::atomic<uint64_t> g_pool_bytes{0};  // of all pieces, in use or not

uint64_t available_bytes() {
    char text[512] = "";
    const base::UniqueFd file(open("/proc/meminfo", O_RDONLY | O_CLOEXEC));
    if (!file || read(file.get(), text, sizeof text - 1) <= 0) return 0;
    const char* line = std::strstr(text, "MemAvailable:");
    return line != nullptr ? std::strtoull(line + std::strlen("MemAvailable:"), nullptr, 10) * 1024 : 0;
}

// Its pages are there before the driver registers them: the driver keeps other threads' calls out meanwhile.
void* make_pages() {
    void* piece = mmap(nullptr, kPieceBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (piece == MAP_FAILED) return nullptr;
    madvise(piece, kPieceBytes, MADV_HUGEPAGE);
    madvise(piece, kPieceBytes, MADV_DONTFORK);
    constexpr size_t kPage = 4096;
    for (size_t at = 0; at < kPieceBytes; at += kPage) static_cast<volatile char*>(piece)[at] = 0;
    return piece;
}

void* allocate_piece() {
    if (g_pool_bytes.load() + kPieceBytes > most_host_bytes()) return nullptr;
    const auto register_pages = driver<stream::kEntry_cuMemHostRegister_v2>();
    void* piece = register_pages != nullptr ? make_pages() : nullptr;
    if (piece == nullptr) return nullptr;
    if (register_pages(piece, kPieceBytes, kPortable) != CUDA_SUCCESS) {
        munmap(piece, kPieceBytes);
        return nullptr;
    }
    g_pool_bytes += kPieceBytes;
    return piece;
}

}  // namespace

uint64_t most_host_bytes() {
    static const uint64_t most = available_bytes() / kPartOfFree;
    return most;
}

void* take_host_piece() {
    {
        base::Lock lock(g_pool_mutex);
        void* piece = g_free_pieces;
        if (piece != nullptr) {
            std::memcpy(&g_free_pieces, piece, sizeof g_free_pieces);
            return piece;
        }
    }
    return allocate_piece();
}

void return_host_piece(void* piece) {
    base::Lock lock(g_pool_mutex);
    std::memcpy(piece, &g_free_pieces, sizeof g_free_pieces);
    g_free_pieces = piece;
}

bool prepare_host_piece(uint64_t wanted) {
    if (g_pool_bytes.load() >= wanted) return false;
    void* piece = allocate_piece();
    if (piece == nullptr) return false;
    return_host_piece(piece);
    return true;
}

}  // namespace xsched::cuda
