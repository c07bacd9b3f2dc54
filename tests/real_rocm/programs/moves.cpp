// A program that fills BLOCKS blocks of MIB MiB with numbers of its own, and compares them again and again for MS.
// Says how many rounds it did, and how many of its allocations were refused. Exit status 0: every byte was right.
//   moves BLOCKS MIB MS FIRST
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "program.h"

namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kWords = 1024;  // of each place that is compared

std::vector<uint32_t> pattern(uint32_t first, size_t block, size_t round) {
    std::vector<uint32_t> words(kWords);
    for (size_t i = 0; i < kWords; ++i) words[i] = static_cast<uint32_t>(first + block * 7919 + round * 31 + i);
    return words;
}
void put(void* block, size_t at, const std::vector<uint32_t>& words) {
    CHECK(hipMemcpy(static_cast<char*>(block) + at, words.data(), words.size() * 4, hipMemcpyHostToDevice));
}
void compare(void* block, size_t at, const std::vector<uint32_t>& wanted) {
    std::vector<uint32_t> there(kWords);
    CHECK(hipMemcpy(there.data(), static_cast<char*>(block) + at, kWords * 4, hipMemcpyDeviceToHost));
    if (there != wanted) throw std::runtime_error("a wrong byte at " + std::to_string(at));
}

int run(size_t blocks, size_t bytes, int ms, uint32_t first) {
    hipStream_t stream = nullptr;
    CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    std::vector<void*> memory;
    int refused = 0;
    for (size_t i = 0; i < blocks; ++i) {
        void* block = nullptr;
        if (hipMalloc(&block, bytes) != hipSuccess) {
            ++refused;
            continue;
        }
        put(block, bytes - kWords * 4, pattern(first, i, 0));
        memory.push_back(block);
    }
    size_t free = 0, total = 0;
    CHECK(hipMemGetInfo(&free, &total));
    std::printf("has %zu blocks, %d refused, of %zu MiB %zu are free\n", memory.size(), refused, total / kMiB,
                free / kMiB);
    std::fflush(stdout);
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
    size_t rounds = 0;
    for (; std::chrono::steady_clock::now() < until; ++rounds) {
        for (size_t i = 0; i < memory.size(); ++i) put(memory[i], bytes / 2, pattern(first, i, rounds));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        for (size_t i = 0; i < memory.size(); ++i) {
            compare(memory[i], bytes / 2, pattern(first, i, rounds));
            compare(memory[i], bytes - kWords * 4, pattern(first, i, 0));
        }
    }
    for (void* block : memory) CHECK(hipFree(block));
    std::printf("%zu rounds, exact\n", rounds);
    return 0;
}

}  // namespace

int main(int count, char** words) {
    if (count != 5) return 2;
    try {
        return run(std::strtoull(words[1], nullptr, 10), std::strtoull(words[2], nullptr, 10) * kMiB,
                   std::atoi(words[3]), static_cast<uint32_t>(std::atoi(words[4])));
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
}
