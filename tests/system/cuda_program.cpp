// An ordinary CUDA program for the tests of several processes: it keeps the default stream, or one of a given priority,
// busy with kernels while it is told to, and counts those that are done. Every kernel changes one word in its own way,
// so that one that ran twice, not at all or out of turn leaves another number; after each batch the word is compared
// with what the same kernels make of it one after the other.
//
//   cuda_program SHARED-FILE [STREAM-PRIORITY|- [KERNEL-US [COMMAND]]]
//
// In the environment:
//   CUDA_PROGRAM_DEVICES  the devices' numbers, such as 0,1; a thread each. Else the first one
//   CUDA_PROGRAM_BATCH    so many kernels before it waits
//   CUDA_PROGRAM_SECOND=1 it has used the default stream before, and works on a second one
//   CUDA_PROGRAM_BESIDE=1 each batch begins with a kernel in another context, beside which the rest runs
//   CUDA_PROGRAM_SILENT_US  how long each kernel of a silent burst takes (Board::kSilent): the program launches a few,
//                         and then calls nothing until it is told something else
//   CUDA_PROGRAM_SILENT_COPY=1  but for a copy to pageable memory, whose call returns when the burst is over
//   CUDA_PROGRAM_SHARES=1 each batch ends with an event that other processes may have
//   CUDA_PROGRAM_AFTER    another program's SHARED-FILE, for whose event each batch waits first
//   CUDA_PROGRAM_MEETS    another program's SHARED-FILE, for whose event each batch waits after its own: two that meet
//                         each other wait in a circle
//   CUDA_PROGRAM_AHEAD    "value", "batch" or "function": the next batch is always with the driver, behind a wait for a
//                         value or behind a host function, which the program ends 50 ms later
//   CUDA_PROGRAM_COPIES=1 it waits by copying the word to pageable memory, as PyTorch's item() does
//   CUDA_PROGRAM_POLLS=1  it looks at its memory until the batch is over, and asks the driver nothing
//   CUDA_PROGRAM_COPY_BYTES  each batch ends with so many bytes that go to the device and come back, unchanged
// Compiled against ../order/hip/driver.cpp it is a HIP program.
//
// The file holds a Board (cuda_program.h). It ends when the board says so, or with the test that started it; it becomes
// COMMAND if the board says that. Exit status: 0, 1 (the driver failed), 2 (cannot start), 3 (a wrong result). Its
// kernels are those of the fake driver (fake/cuda/builtin_kernels.cpp).
#include "system/cuda_program.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "order/cuda/driver.h"
#include "order/cuda/kernels.h"
#include "system/ahead.h"

namespace {

using cuda::api;
using xsched::test::Board;

constexpr int kBatch = 8;
constexpr uint32_t kKernelUs = 100;
constexpr uint32_t kLongUs = 5000;  // launched one at a time
constexpr uint32_t kStepsPerUs = 50;
constexpr uint32_t kGapUs = 100;  // long enough for the scheduler to see
constexpr int kSilentKernels = 8;
constexpr auto kAhead = std::chrono::milliseconds(50);
constexpr uint32_t kPollUs = 50;

uint32_t number_of(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr ? static_cast<uint32_t>(std::atoi(value)) : 0;
}

bool good(CUresult result, const char* call) {
    if (result != CUDA_SUCCESS) std::fprintf(stderr, "cuda_program: %s returned %d\n", call, static_cast<int>(result));
    return result == CUDA_SUCCESS;
}

// The effect of the kernel "busy" on a word, worked out step by step.
struct Busy {
    uint32_t factor, sum;
    explicit Busy(uint32_t steps) {
        uint32_t from_zero = 0, from_one = 1;
        for (uint32_t i = 0; i < steps; ++i) {
            from_zero = from_zero * 1664525 + 1013904223;
            from_one = from_one * 1664525 + 1013904223;
        }
        sum = from_zero;
        factor = from_one - from_zero;
    }
};

Board* map_board(const char* path) {
    const int file = open(path, O_RDWR | O_CLOEXEC);
    void* memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory != MAP_FAILED ? static_cast<Board*>(memory) : nullptr;
}

// Events shared between processes: `own`, which others wait for, and those of other processes that this one waits
// for.
struct SharedEvents {
    CUevent own = nullptr, before = nullptr, met = nullptr;

    bool prepare(Board& board) {
        CUipcEventHandle name;
        if (number_of("CUDA_PROGRAM_SHARES") != 0) {
            if (!good(api().cuEventCreate(&own, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS), "cuEventCreate") ||
                !good(api().cuIpcGetEventHandle(&name, own), "cuIpcGetEventHandle"))
                return false;
            std::memcpy(board.event, &name, sizeof name);
        }
        const char* other = std::getenv("CUDA_PROGRAM_AFTER");
        if (other == nullptr) return true;
        const Board* others = map_board(other);
        return others != nullptr && open(*others, before);
    }
    static bool open(const Board& others, CUevent& event) {
        CUipcEventHandle name;
        std::memcpy(&name, others.event, sizeof name);
        return good(api().cuIpcOpenEventHandle(&event, name), "cuIpcOpenEventHandle");
    }
    static bool meets() { return std::getenv("CUDA_PROGRAM_MEETS") != nullptr; }
    // Waits until the other program has recorded its shared event, and then makes the stream wait for it.
    bool meet(CUstream stream, const Board& board) {
        if (met == nullptr) {
            const Board* others = map_board(std::getenv("CUDA_PROGRAM_MEETS"));
            if (others == nullptr) return false;
            while (others->recorded.load() == 0 && board.order.load() != Board::kEnd)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            if (!open(*others, met)) return false;
        }
        return good(api().cuStreamWaitEvent(stream, met, 0), "cuStreamWaitEvent");
    }
    bool wait(CUstream stream) const {
        return before == nullptr || good(api().cuStreamWaitEvent(stream, before, 0), "cuStreamWaitEvent");
    }
    bool record(CUstream stream, Board& board) const {
        if (own == nullptr) return true;
        if (!good(api().cuEventRecord(own, stream), "cuEventRecord")) return false;
        board.recorded.fetch_add(1);
        return true;
    }
};

// A second context of the program, with a busy kernel in a stream of its own. Nothing waits for its result.
struct Beside {
    CUcontext context = nullptr;
    CUfunction busy = nullptr;
    CUstream stream = nullptr;
    CUdeviceptr word = 0;

    bool prepare(int device) {
        CUmodule module = nullptr;
        return good(api().cuCtxCreate_v2(&context, 0, device), "cuCtxCreate") &&
               good(api().cuModuleLoadData(&module, cuda::kKernels), "cuModuleLoadData") &&
               good(api().cuModuleGetFunction(&busy, module, "busy"), "cuModuleGetFunction") &&
               good(api().cuMemAlloc_v2(&word, sizeof(uint32_t)), "cuMemAlloc") &&
               good(api().cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0),
                    "cuStreamCreateWithPriority") &&
               left();
    }
    bool launch(uint32_t steps) {
        void* parameters[] = {&word, &steps};
        return entered() &&
               good(api().cuLaunchKernel(busy, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr), "cuLaunchKernel") &&
               left();
    }
    bool wait() { return entered() && good(api().cuStreamSynchronize(stream), "cuStreamSynchronize") && left(); }

private:
    bool entered() { return good(api().cuCtxPushCurrent_v2(context), "cuCtxPushCurrent"); }
    static bool left() {
        CUcontext gone = nullptr;
        return good(api().cuCtxPopCurrent_v2(&gone), "cuCtxPopCurrent");
    }
};

struct Program {
    Board* board = nullptr;
    SharedEvents events;
    xsched::test::Ahead ahead;
    int device = 0;
    CUfunction busy = nullptr;
    CUfunction append = nullptr;
    CUstream stream = nullptr;
    CUdeviceptr word = 0;  // managed, or the host's: the host reads it when the stream is idle
    uint32_t kernel_us = kKernelUs;
    uint32_t batches = 0;
    uint32_t expected = 0;

    uint32_t batch_kernels = 0;  // 0: as the kernels' length says
    Beside beside;
    bool copies = false;
    bool polls = false;
    std::vector<unsigned char> sent;
    CUdeviceptr there = 0;  // room for them on the device

    int batch_size() const {
        if (batch_kernels != 0) return static_cast<int>(batch_kernels);
        return kernel_us < kLongUs ? kBatch : 1;
    }
    uint32_t steps() const { return kernel_us * kStepsPerUs; }
    uint32_t value() const { return *reinterpret_cast<const volatile uint32_t*>(word); }
    bool prepare(const char* priority) {
        CUcontext context = nullptr;
        CUmodule module = nullptr;
        const bool made = cuda::available() &&
                          good(api().cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain") &&
                          good(api().cuCtxPushCurrent_v2(context), "cuCtxPushCurrent") &&
                          good(api().cuModuleLoadData(&module, cuda::kKernels), "cuModuleLoadData") &&
                          good(api().cuModuleGetFunction(&busy, module, "busy"), "cuModuleGetFunction") &&
                          good(api().cuModuleGetFunction(&append, module, "append"), "cuModuleGetFunction") &&
                          allocate() && (number_of("CUDA_PROGRAM_SECOND") == 0 || leave_default_stream()) &&
                          (priority == nullptr ||
                           good(api().cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, std::atoi(priority)),
                                "cuStreamCreateWithPriority"));
        if (made) *reinterpret_cast<volatile uint32_t*>(word) = 0;
        sent.resize(number_of("CUDA_PROGRAM_COPY_BYTES"));
        if (made && !sent.empty() && !good(api().cuMemAlloc_v2(&there, sent.size()), "cuMemAlloc")) return false;
        if (made && number_of("CUDA_PROGRAM_BESIDE") != 0 && !beside.prepare(device)) return false;
        return made && ahead.prepare() && events.prepare(*board);
    }
    bool leave_default_stream() {
        uint32_t count = 1;
        void* of_busy[] = {&word, &count};
        return launch(busy, of_busy) && good(api().cuStreamSynchronize(stream), "cuStreamSynchronize") &&
               good(api().cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0), "cuStreamCreateWithPriority");
    }
    bool allocate() {
        if (api().cuMemAllocManaged != nullptr)
            return good(api().cuMemAllocManaged(&word, sizeof(uint32_t), 1), "cuMemAllocManaged");
        void* memory = nullptr;
        return good(api().cuMemHostAlloc(&memory, sizeof(uint32_t), CU_MEMHOSTALLOC_DEVICEMAP), "cuMemHostAlloc") &&
               good(api().cuMemHostGetDevicePointer_v2(&word, memory, 0), "cuMemHostGetDevicePointer");
    }
    bool launch(CUfunction kernel, void** parameters) {
        return good(api().cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr), "cuLaunchKernel");
    }
    // Runs a batch of operations whose result depends on their order, except for two "busy" kernels, which may change
    // places.
    bool batch(const Busy& change) {
        uint32_t count = steps(), one = 1;
        void* of_busy[] = {&word, &count};
        void* of_append[] = {&word, &batches, &one};
        if (!events.wait(stream)) return false;
        if (beside.stream != nullptr && !beside.launch(steps())) return false;
        if (ahead.wanted() && !ahead.wait(stream)) return false;
        for (int i = 0; i < batch_size(); ++i) {
            if (!launch(busy, of_busy)) return false;
            expected = expected * change.factor + change.sum;
        }
        if (!launch(append, of_append)) return false;
        expected = expected * 31 + batches++;
        if (!events.record(stream, *board)) return false;
        if (ahead.wanted()) {
            std::this_thread::sleep_for(kAhead);
            ahead.end();
        }
        if (!SharedEvents::meets()) return wait();
        if (!events.meet(stream, *board) || !launch(append, of_append)) return false;
        expected = expected * 31 + batches++;
        return wait();
    }
    // Launches a few long kernels, and then makes no driver call as long as the test's order is to be silent.
    bool silent() {
        uint32_t count = number_of("CUDA_PROGRAM_SILENT_US") * kStepsPerUs;
        const Busy change(count);
        void* of_busy[] = {&word, &count};
        for (int i = 0; i < kSilentKernels; ++i) {
            if (!launch(busy, of_busy)) return false;
            expected = expected * change.factor + change.sum;
        }
        if (number_of("CUDA_PROGRAM_SILENT_COPY") != 0) {
            uint32_t copied = 0;
            if (!good(api().cuMemcpyDtoHAsync_v2(&copied, word, sizeof copied, stream), "cuMemcpyDtoHAsync"))
                return false;
        }
        for (; board->order.load() == Board::kSilent; std::this_thread::sleep_for(std::chrono::milliseconds(1)))
            board->ended = value() == expected ? 1 : 0;
        return wait();
    }
    // Copies pageable memory to the device and back. Returns whether the calls succeeded and the data is right.
    bool copy_there_and_back() {
        for (size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<unsigned char>(batches + i / 16);
        std::vector<unsigned char> back(sent.size());
        if (!good(api().cuMemcpyHtoD_v2(there, sent.data(), sent.size()), "cuMemcpyHtoD") ||
            !good(api().cuMemcpyDtoH_v2(back.data(), there, back.size()), "cuMemcpyDtoH"))
            return false;
        if (back == sent) return true;
        std::fprintf(stderr, "cuda_program: other bytes came back than were sent\n");
        return false;
    }
    bool wait() {
        if (beside.stream != nullptr && !beside.wait()) return false;
        if (polls) {
            while (value() != expected && board->order.load() != Board::kEnd)
                std::this_thread::sleep_for(std::chrono::microseconds(kPollUs));
            return value() == expected || good(api().cuStreamSynchronize(stream), "cuStreamSynchronize");
        }
        if (!sent.empty() && !copy_there_and_back()) return false;
        if (!copies) return good(api().cuStreamSynchronize(stream), "cuStreamSynchronize");
        uint32_t copied = 0;
        if (!good(api().cuMemcpyDtoH_v2(&copied, word, sizeof copied), "cuMemcpyDtoH")) return false;
        if (copied == expected) return true;
        std::fprintf(stderr, "cuda_program: 0x%x copied instead of 0x%x\n", copied, expected);
        return false;
    }
};

struct Arguments {
    const char* priority = nullptr;
    uint32_t kernel_us = kKernelUs;
    const char* command = nullptr;
};

// Creates as many further contexts, without any work, as the test wants. The program's current context stays current.
class EmptyContexts {
public:
    bool settle(Board& board, int device) {
        const uint32_t wanted = board.contexts.load();
        for (; all_.size() < wanted; board.contexts_there = static_cast<uint32_t>(all_.size())) {
            CUcontext context = nullptr;
            if (!good(api().cuCtxCreate_v2(&context, 0, device), "cuCtxCreate") ||
                !good(api().cuCtxPopCurrent_v2(&context), "cuCtxPopCurrent"))
                return false;
            all_.push_back(context);
        }
        for (; all_.size() > wanted; board.contexts_there = static_cast<uint32_t>(all_.size())) {
            if (!good(api().cuCtxDestroy_v2(all_.back()), "cuCtxDestroy")) return false;
            all_.pop_back();
        }
        return true;
    }

private:
    std::vector<CUcontext> all_;
};

int work(Board& board, int device, const Arguments& arguments) {
    Program program;
    program.board = &board;
    program.device = device;
    program.kernel_us = arguments.kernel_us;
    program.batch_kernels = number_of("CUDA_PROGRAM_BATCH");
    program.copies = number_of("CUDA_PROGRAM_COPIES") != 0;
    program.polls = number_of("CUDA_PROGRAM_POLLS") != 0;
    if (!program.prepare(arguments.priority)) return 1;
    const Busy change(program.steps());
    EmptyContexts contexts;
    while (board.order.load() != Board::kEnd) {
        if (!contexts.settle(board, device)) return 1;
        if (board.order.load() == Board::kBecome && arguments.command != nullptr)
            execl(arguments.command, arguments.command, "60", nullptr);
        if (board.order.load() == Board::kRest) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            continue;
        }
        const bool silent = board.order.load() == Board::kSilent;
        if (!(silent ? program.silent() : program.batch(change))) return 1;
        if (program.value() != program.expected) {
            std::fprintf(stderr, "cuda_program: 0x%x instead of 0x%x after %u batches\n", program.value(),
                         program.expected, program.batches);
            return xsched::test::kWrongResult;
        }
        // Right after a synchronize the driver must call the stream idle: no keep-alive or report of XSched's may be
        // seen.
        if (!program.polls && !good(api().cuStreamQuery(program.stream), "cuStreamQuery after cuStreamSynchronize"))
            return 1;
        board.done.fetch_add(static_cast<uint64_t>(program.batch_size()));
        board.done_on[device].fetch_add(static_cast<uint64_t>(program.batch_size()));
        const uint32_t burst = board.burst.load();
        if (burst == 0) continue;
        const uint32_t us = program.batches % burst == 0 ? board.pause_us.load() : kGapUs;
        std::this_thread::sleep_for(std::chrono::microseconds(us));
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    Board* const mapped = map_board(argv[1]);
    if (mapped == nullptr) return 2;
    Board& board = *mapped;
    Arguments arguments;
    if (argc > 2 && std::strcmp(argv[2], "-") != 0) arguments.priority = argv[2];
    if (argc > 3) arguments.kernel_us = static_cast<uint32_t>(std::atoi(argv[3]));
    if (argc > 4) arguments.command = argv[4];
    const char* devices = std::getenv("CUDA_PROGRAM_DEVICES");
    const bool second = devices != nullptr && std::strchr(devices, '1') != nullptr;
    const bool first = !second || std::strchr(devices, '0') != nullptr;
    int status = 0;
    std::thread other;
    if (first && second) other = std::thread([&] { status = work(board, 1, arguments); });
    const int own = work(board, first ? 0 : 1, arguments);
    if (other.joinable()) other.join();
    return own != 0 ? own : status;
}
