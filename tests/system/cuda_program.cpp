// An ordinary CUDA program for the tests of several processes: it keeps the default stream, or one of a given priority,
// busy with short kernels while it is told to, and counts those that are done.
//
//   cuda_program SHARED-FILE [STREAM-PRIORITY|- [KERNEL-US [COMMAND]]]
//
// The file holds a Board (cuda_program.h). It ends when the board says so, or after a minute; it becomes COMMAND if the
// board says that.
#include "system/cuda_program.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "order_cuda/driver.h"
#include "order_cuda/kernels.h"

namespace {

using cuda::api;
using xsched::test::Board;

constexpr int kBatch = 8;
constexpr uint32_t kKernelUs = 100;
constexpr uint32_t kLongUs = 5000;  // launched one at a time

bool good(CUresult result, const char* call) {
    if (result != CUDA_SUCCESS) std::fprintf(stderr, "cuda_program: %s returned %d\n", call, static_cast<int>(result));
    return result == CUDA_SUCCESS;
}

struct Program {
    CUfunction spin = nullptr;
    CUstream stream = nullptr;
    uint32_t kernel_us = kKernelUs;

    int batch_size() const { return kernel_us < kLongUs ? kBatch : 1; }
    bool prepare(const char* priority) {
        CUcontext context = nullptr;
        CUmodule module = nullptr;
        return cuda::available() && good(api().cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain") &&
               good(api().cuCtxSetCurrent(context), "cuCtxSetCurrent") &&
               good(api().cuModuleLoadData(&module, cuda::kKernels), "cuModuleLoadData") &&
               good(api().cuModuleGetFunction(&spin, module, "spin"), "cuModuleGetFunction") &&
               (priority == nullptr ||
                good(api().cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, std::atoi(priority)),
                     "cuStreamCreateWithPriority"));
    }
    bool batch() {
        void* parameters[] = {&kernel_us};
        for (int i = 0; i < batch_size(); ++i)
            if (!good(api().cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr), "cuLaunchKernel"))
                return false;
        return good(api().cuStreamSynchronize(stream), "cuStreamSynchronize");
    }
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    const int file = open(argv[1], O_RDWR | O_CLOEXEC);
    void* memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) return 2;
    auto& board = *static_cast<Board*>(memory);
    Program program;
    if (argc > 3) program.kernel_us = static_cast<uint32_t>(std::atoi(argv[3]));
    if (!program.prepare(argc > 2 && std::strcmp(argv[2], "-") != 0 ? argv[2] : nullptr)) return 1;
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (board.order.load() != Board::kEnd && std::chrono::steady_clock::now() < end) {
        if (board.order.load() == Board::kBecome && argc > 4) execl(argv[4], argv[4], "60", nullptr);
        if (board.order.load() == Board::kRest) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            continue;
        }
        if (!program.batch()) return 1;
        board.done.fetch_add(static_cast<uint64_t>(program.batch_size()));
    }
    return 0;
}
