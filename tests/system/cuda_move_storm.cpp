// A CUDA program that does at random what programs do with device memory, and knows what each byte must be: it
// allocates in several ways, maps memory of its own in parts, twice and elsewhere, writes by kernels, graphs, copies
// and sets, on several threads, and compares. For cuda_move_storm_test.cpp.
//
//   cuda_move_storm BOARD SEED MIB
//
// BOARD: a file with a MemoryBoard (cuda_move_storm.h). MIB: it allocates so much at most. A refused allocation is
// no error. It ends when the board says so, compares and frees all, and ends with the test that started it. Exit
// status: 0; 1 (the driver failed), 3 (a wrong byte), 4 (memory is left that it has freed).
#include "system/cuda_move_storm.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "order/cuda/driver.h"
#include "order/cuda/kernels.h"

namespace {

using cuda::api;
using xsched::test::MemoryBoard;

constexpr int kThreads = 3;
constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kWords = 64;  // of each place that is written and compared
constexpr size_t kPlaces = 3;  // of a block: its begin, its middle and its end
constexpr uint32_t kMostBlocks = 6;  // of a thread

std::atomic<size_t> g_bytes{0};
size_t g_most = 0;

void must(CUresult code, const char* call) {
    if (code == CUDA_SUCCESS) return;
    std::fprintf(stderr, "cuda_move_storm: %s returned %d\n", call, static_cast<int>(code));
    std::_Exit(1);
}
#define MUST(call) must(api().call, #call)

// The beginnings of cuda.h's structures.
struct Wanted {
    int type = 1, handles = 0, where = 1, device = 0;
    void* more = nullptr;
    char flags[8] = {};
};
struct Access {
    int where = 1, device = 0, flags = 3;
};
constexpr int kRead = 1;

CUresult create(CUmemGenericAllocationHandle* handle, size_t bytes) {
    const Wanted wanted;
    return api().cuMemCreate(handle, bytes, reinterpret_cast<const CUmemAllocationProp*>(&wanted), 0);
}
void open_to_device(CUdeviceptr begin, size_t bytes, int flags = 3) {
    const Access access{.flags = flags};
    MUST(cuMemSetAccess(begin, bytes, reinterpret_cast<const CUmemAccessDesc*>(&access), 1));
}

// One allocation, and what it must hold.
struct Block {
    enum class Kind { kPlain, kOrdered, kMapped } kind = Kind::kPlain;
    CUdeviceptr begin = 0;
    size_t bytes = 0;
    // The parts of mapped memory, two or one; and whether the program has released them already.
    std::array<CUmemGenericAllocationHandle, 2> handles{};
    std::array<size_t, 2> part_bytes{};
    bool released = false;
    CUgraphExec graph = nullptr;  // appends `graph_value` to its first place
    uint32_t graph_value = 0;
    std::array<std::array<uint32_t, kWords>, kPlaces> words{};

    CUdeviceptr place(size_t at) const {
        return begin + (at == 0 ? 0 : (at == 1 ? bytes / 2 : bytes - kWords * sizeof(uint32_t)));
    }
};

class Worker {
public:
    explicit Worker(uint64_t seed) : random_(seed) {}

    void run(CUcontext context, CUfunction append, MemoryBoard& board) {
        append_ = append;
        MUST(cuCtxSetCurrent(context));
        MUST(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
        while (board.over.load() == 0) {
            step();
            board.steps.fetch_add(1);
        }
        while (!blocks_.empty()) release(blocks_.size() - 1);
        MUST(cuStreamSynchronize(stream_));
        MUST(cuStreamDestroy_v2(stream_));
    }

private:
    uint32_t below(uint32_t bound) { return std::uniform_int_distribution<uint32_t>(0, bound - 1)(random_); }
    uint32_t value() { return below(1u << 30) + 1; }

    void step() {
        if (blocks_.empty()) return allocate();
        const size_t which = below(static_cast<uint32_t>(blocks_.size()));
        Block& block = blocks_[which];
        switch (below(18)) {
            case 0:
            case 1:
            case 2: return allocate();
            case 3: return release(which);
            case 4:
            case 5:
            case 6: return append(block, below(kPlaces));
            case 7:
            case 8: return set(block, below(kPlaces));
            case 9: return copy_within(block, blocks_[below(static_cast<uint32_t>(blocks_.size()))]);
            case 10: return upload(block, below(kPlaces));
            case 11:
            case 12: return launch_graph(block);
            case 13: return compare(block);
            case 14: return look_at_another_place(block);
            case 15: return map_elsewhere(block);
            case 16: return below(20) == 0 ? fork_once(block) : MUST(cuStreamSynchronize(stream_));
            default: std::this_thread::sleep_for(std::chrono::microseconds(below(300)));
        }
    }

    void allocate() {
        constexpr size_t kSizes[] = {kMiB, 2 * kMiB, 3 * kMiB, 4 * kMiB, 6 * kMiB, 10 * kMiB};
        Block block;
        block.bytes = below(40) == 0 ? 66 * kMiB : kSizes[below(6)];
        if (blocks_.size() >= kMostBlocks) return;
        if (g_bytes.fetch_add(block.bytes) + block.bytes > g_most) {
            g_bytes -= block.bytes;
            return;
        }
        const uint32_t way = block.bytes % (2 * kMiB) != 0 ? 9 : below(10);
        block.kind = way == 0 ? Block::Kind::kOrdered : (way < 5 ? Block::Kind::kMapped : Block::Kind::kPlain);
        const CUresult code = allocate_as(block);
        if (code != CUDA_SUCCESS) {
            g_bytes -= block.bytes;
            if (code != CUDA_ERROR_OUT_OF_MEMORY) must(code, "an allocation");
            return;
        }
        blocks_.push_back(block);
        for (size_t at = 0; at < kPlaces; ++at) set(blocks_.back(), at);
    }
    CUresult allocate_as(Block& block) {
        if (block.kind == Block::Kind::kPlain) return api().cuMemAlloc_v2(&block.begin, block.bytes);
        if (block.kind == Block::Kind::kOrdered) return api().cuMemAllocAsync(&block.begin, block.bytes, stream_);
        return map(block);
    }
    CUresult map(Block& block) {
        block.part_bytes = {block.bytes, 0};
        if (block.bytes >= 4 * kMiB && below(2) == 0) block.part_bytes = {2 * kMiB, block.bytes - 2 * kMiB};
        for (size_t i = 0; i < 2 && block.part_bytes[i] != 0; ++i) {
            const CUresult code = create(&block.handles[i], block.part_bytes[i]);
            if (code == CUDA_SUCCESS) continue;
            if (i != 0) MUST(cuMemRelease(block.handles[0]));
            return code;
        }
        map_parts(block);
        block.released = below(2) == 0;
        if (block.released) release_handles(block);
        return CUDA_SUCCESS;
    }
    static void map_parts(Block& block) {
        MUST(cuMemAddressReserve(&block.begin, block.bytes, 2 * kMiB, 0, 0));
        MUST(cuMemMap(block.begin, block.part_bytes[0], 0, block.handles[0], 0));
        if (block.part_bytes[1] != 0)
            MUST(cuMemMap(block.begin + block.part_bytes[0], block.part_bytes[1], 0, block.handles[1], 0));
        open_to_device(block.begin, block.bytes);
    }
    static void unmap_parts(const Block& block) {
        MUST(cuMemUnmap(block.begin, block.bytes));
        MUST(cuMemAddressFree(block.begin, block.bytes));
    }
    static void release_handles(const Block& block) {
        MUST(cuMemRelease(block.handles[0]));
        if (block.part_bytes[1] != 0) MUST(cuMemRelease(block.handles[1]));
    }
    static CUmemGenericAllocationHandle handle_at(CUdeviceptr address) {
        CUmemGenericAllocationHandle handle = 0;
        MUST(cuMemRetainAllocationHandle(&handle, reinterpret_cast<void*>(address)));
        return handle;
    }
    // Maps the first part once more, for reading, and compares.
    void look_at_another_place(const Block& block) {
        if (block.kind != Block::Kind::kMapped) return;
        const CUmemGenericAllocationHandle handle = handle_at(block.begin + block.part_bytes[0] / 2);
        if (!block.released && handle != block.handles[0]) must(CUDA_ERROR_INVALID_HANDLE, "another handle");
        CUdeviceptr place = 0;
        MUST(cuMemAddressReserve(&place, 2 * kMiB, 2 * kMiB, 0, 0));
        MUST(cuMemMap(place, 2 * kMiB, 0, handle, 0));
        open_to_device(place, 2 * kMiB, kRead);
        MUST(cuMemRelease(handle));
        if (below(2) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(below(20)));
        MUST(cuStreamSynchronize(stream_));
        compare_place(block, 0, place);
        MUST(cuMemUnmap(place, 2 * kMiB));
        MUST(cuMemAddressFree(place, 2 * kMiB));
    }
    // Maps the block's memory at another address, except if a graph knows the address.
    void map_elsewhere(Block& block) {
        if (block.kind != Block::Kind::kMapped || block.graph != nullptr) return;
        MUST(cuStreamSynchronize(stream_));
        if (block.released) {
            block.handles[0] = handle_at(block.begin);
            if (block.part_bytes[1] != 0) block.handles[1] = handle_at(block.begin + block.part_bytes[0]);
        }
        unmap_parts(block);
        if (below(2) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(below(20)));
        map_parts(block);
        if (block.released) release_handles(block);
    }
    void release(size_t which) {
        Block block = blocks_[which];
        compare(block);
        if (block.graph != nullptr) MUST(cuGraphExecDestroy(block.graph));
        if (block.kind == Block::Kind::kMapped) {
            unmap_parts(block);
            if (!block.released) release_handles(block);
        } else if (block.kind == Block::Kind::kOrdered || below(4) == 0) {
            MUST(cuMemFreeAsync(block.begin, stream_));
        } else {
            MUST(cuMemFree_v2(block.begin));
        }
        g_bytes -= block.bytes;
        blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(which));
    }

    void launch(CUdeviceptr memory, uint32_t appended) {
        uint32_t count = kWords;
        void* parameters[] = {&memory, &appended, &count};
        MUST(cuLaunchKernel(append_, 1, 1, 1, kWords, 1, 1, 0, stream_, parameters, nullptr));
    }
    static void note_append(Block& block, size_t place, uint32_t appended) {
        for (uint32_t& word : block.words[place]) word = word * 31 + appended;
    }
    void append(Block& block, size_t place) {
        const uint32_t appended = value();
        launch(block.place(place), appended);
        note_append(block, place, appended);
    }
    void set(Block& block, size_t place) {
        const uint32_t wanted = value();
        MUST(cuMemsetD32Async(block.place(place), wanted, kWords, stream_));
        block.words[place].fill(wanted);
    }
    void copy_within(const Block& from, Block& to) {
        const size_t there = below(kPlaces), here = below(kPlaces);
        if (&from == &to && there == here) return;
        MUST(cuMemcpyDtoDAsync_v2(to.place(there), from.place(here), kWords * sizeof(uint32_t), stream_));
        to.words[there] = from.words[here];
    }
    void upload(Block& block, size_t place) {
        for (uint32_t& word : block.words[place]) word = value();
        MUST(cuMemcpyHtoDAsync_v2(block.place(place), block.words[place].data(), kWords * sizeof(uint32_t), stream_));
        MUST(cuStreamSynchronize(stream_));
    }
    void launch_graph(Block& block) {
        if (block.graph == nullptr) {
            CUgraph graph = nullptr;
            block.graph_value = value();
            MUST(cuStreamBeginCapture_v2(stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
            for (int i = 0; i < 3; ++i) launch(block.place(0), block.graph_value);
            MUST(cuStreamEndCapture(stream_, &graph));
            MUST(cuGraphInstantiateWithFlags(&block.graph, graph, 0));
            MUST(cuGraphDestroy(graph));
        }
        MUST(cuGraphLaunch(block.graph, stream_));
        for (int i = 0; i < 3; ++i) note_append(block, 0, block.graph_value);
    }

    void compare(const Block& block) {
        MUST(cuStreamSynchronize(stream_));
        for (size_t at = 0; at < kPlaces; ++at) compare_place(block, at, block.place(at));
    }
    static void compare_place(const Block& block, size_t at, CUdeviceptr place) {
        std::array<uint32_t, kWords> there{};
        MUST(cuMemcpyDtoH_v2(there.data(), place, sizeof there));
        if (there == block.words[at]) return;
        std::fprintf(stderr, "cuda_move_storm: place %zu of 0x%llx (%zu MiB, kind %d) holds 0x%x, not 0x%x\n", at,
                     block.begin, block.bytes / kMiB, static_cast<int>(block.kind), there[0], block.words[at][0]);
        std::_Exit(3);
    }
    // Forks a child, which has no device: its calls must be refused and must not hang.
    static void fork_once(const Block& block) {
        const pid_t child = fork();
        if (child == 0) std::_Exit(api().cuMemFree_v2(block.begin) == CUDA_SUCCESS ? 1 : 0);
        int status = 0;
        if (child > 0 && (waitpid(child, &status, 0) != child || status != 0))
            must(CUDA_ERROR_UNKNOWN, "a forked child");
    }

    std::mt19937_64 random_;
    std::vector<Block> blocks_;
    CUstream stream_ = nullptr;
    CUfunction append_ = nullptr;
};

// Returns whether all of the program's memory is free at the end. Memory that the device's default pool keeps does
// not count.
bool nothing_is_left() {
    bool nothing = true;
    CUmemoryPool pool = nullptr;
    MUST(cuCtxSynchronize());
    MUST(cuDeviceGetDefaultMemPool(&pool, 0));
    MUST(cuMemPoolTrimTo(pool, 0));
    using Live = long (*)(const char*);
    const auto live = reinterpret_cast<Live>(cuda::fake_control("fake_cuda_live"));
    for (const char* kind : {"piece", "reservation", "memory"}) {
        if (live == nullptr || live(kind) == 0) continue;
        std::fprintf(stderr, "cuda_move_storm: %ld of kind %s are left\n", live(kind), kind);
        nothing = false;
    }
    return nothing;
}

}  // namespace

int main(int count, char** words) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int file = count == 4 ? open(words[1], O_RDWR | O_CLOEXEC) : -1;
    void* memory = mmap(nullptr, sizeof(MemoryBoard), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || memory == MAP_FAILED || !cuda::available()) return 2;
    auto& board = *static_cast<MemoryBoard*>(memory);
    g_most = std::strtoull(words[3], nullptr, 10) * kMiB;
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    CUfunction append = nullptr;
    MUST(cuDevicePrimaryCtxRetain(&context, 0));
    MUST(cuCtxSetCurrent(context));
    MUST(cuModuleLoadData(&module, cuda::kKernels));
    MUST(cuModuleGetFunction(&append, module, "append"));
    {
        std::vector<std::thread> threads;
        std::vector<Worker> workers;
        for (uint64_t i = 0; i < kThreads; ++i) workers.emplace_back(std::strtoull(words[2], nullptr, 10) * 16 + i);
        for (Worker& worker : workers) threads.emplace_back([&] { worker.run(context, append, board); });
        for (std::thread& thread : threads) thread.join();
    }
    if (cuda::fake_count("fake_cuda_errors") != 0) return 1;
    return nothing_is_left() ? 0 : 4;
}
