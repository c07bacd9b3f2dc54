// The allocation functions of guests' libraries, hidden in each of them. A container of ours cannot do without memory,
// and may neither throw into the user's program nor end it. Where the system has none left, memory comes from a
// reserve. Code that can do without its memory (std::nothrow) gets none then. Any thread.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <new>

namespace {

// Size of the reserve: more than the containers of a program with some dozen queues take. It costs no memory until
// used.
constexpr size_t kReserveBytes = 1 << 20;
constexpr long kPauseNs = 1'000'000;

alignas(64) char g_reserve[kReserveBytes];
std::atomic<size_t> g_taken{0};

bool is_reserve(const void* memory) {
    const auto at = reinterpret_cast<uintptr_t>(memory);
    const auto begin = reinterpret_cast<uintptr_t>(g_reserve);
    return at >= begin && at < begin + kReserveBytes;
}

// Takes memory from the reserve for good. Returns null if the reserve has too little left.
void* take_reserve(size_t bytes, size_t alignment) {
    size_t taken = g_taken.load(std::memory_order_relaxed);
    for (;;) {
        const size_t begin = (taken + alignment - 1) & ~(alignment - 1);
        if (bytes > kReserveBytes || begin > kReserveBytes - bytes) return nullptr;
        if (g_taken.compare_exchange_weak(taken, begin + bytes)) return g_reserve + begin;
    }
}

void* ask_system(size_t bytes, size_t alignment) {
    if (alignment <= alignof(std::max_align_t)) return std::malloc(std::max<size_t>(bytes, 1));
    return std::aligned_alloc(alignment, (std::max<size_t>(bytes, 1) + alignment - 1) & ~(alignment - 1));
}

// Allocates from the system, then from the reserve. If both are exhausted, waits until the program frees something.
void* allocate(size_t bytes, size_t alignment) {
    for (;;) {
        void* memory = ask_system(bytes, alignment);
        if (memory == nullptr) memory = take_reserve(bytes, std::min<size_t>(alignment, 64));
        if (memory != nullptr) return memory;
        const timespec pause{0, kPauseNs};
        nanosleep(&pause, nullptr);
    }
}

void give_back(void* memory) {
    if (!is_reserve(memory)) std::free(memory);
}

constexpr size_t kUsual = alignof(std::max_align_t);

}  // namespace

void* operator new(size_t bytes) { return allocate(bytes, kUsual); }
void* operator new[](size_t bytes) { return allocate(bytes, kUsual); }
void* operator new(size_t bytes, std::align_val_t alignment) { return allocate(bytes, static_cast<size_t>(alignment)); }
void* operator new[](size_t bytes, std::align_val_t alignment) {
    return allocate(bytes, static_cast<size_t>(alignment));
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return ask_system(bytes, kUsual); }
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept { return ask_system(bytes, kUsual); }
void* operator new(size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return ask_system(bytes, static_cast<size_t>(alignment));
}
void* operator new[](size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return ask_system(bytes, static_cast<size_t>(alignment));
}

void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, size_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { give_back(memory); }
