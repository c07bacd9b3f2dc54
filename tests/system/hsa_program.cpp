// A program that uses HSA and no HIP, for the tests of several processes: it keeps one queue busy with kernels while it
// is told to. Every kernel changes one word in its own way; after each batch the word is compared with what the same
// kernels make of it one after the other.
//
//   hsa_program SHARED-FILE [- [KERNEL-US]]
//
// In the environment: HSA_PROGRAM_MASK, the compute units of its queue (hexadecimal, of the first 32).
// The file holds a Board (cuda_program.h). Exit status: 0, 1 (a call failed), 2 (cannot start), 3 (a wrong result). Its
// kernels are functions of its own, as the HSA stand-in runs them (fake/hsa/fake_hsa.h).
#include <dlfcn.h>
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

#include "fake/hsa/fake_hsa.h"
#include "platform/hip/hal/hsa_api.h"
#include "system/cuda_program.h"

namespace {

using namespace xsched::hip::hsa;
using xsched::test::Board;

constexpr uint32_t kQueueSize = 64;
constexpr uint32_t kBatch = 4;

template <typename Function>
Function named(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

// A dispatch packet and what its kernel gets.
struct Packet {
    uint16_t header, setup, size[3], reserved0;
    uint32_t grid[3], private_bytes, group_bytes;
    void (*kernel_object)(void*);
    void* arguments;
    uint64_t reserved2;
    hsa_signal_t completion_signal;
};
static_assert(sizeof(Packet) == 64);
struct Arguments {
    uint32_t* word;
    uint32_t number, us;
};

void kernel(void* given) {
    const Arguments& arguments = *static_cast<Arguments*>(given);
    named<decltype(&fake_hsa_run_for)>("fake_hsa_run_for")(int64_t{arguments.us} * 1000);
    *arguments.word = *arguments.word * 31 + arguments.number;
}

class Program {
public:
    explicit Program(uint32_t kernel_us) : kernel_us_(kernel_us) {}

    bool prepare() {
        const auto create = named<QueueCreate>("hsa_queue_create");
        const auto create_signal =
            named<hsa_status_t (*)(int64_t, uint32_t, const hsa_agent_t*, hsa_signal_t*)>("hsa_signal_create");
        if (create == nullptr || named<hsa_status_t (*)()>("hsa_init")() != HSA_STATUS_SUCCESS ||
            create({1}, kQueueSize, 0, nullptr, nullptr, 0, 0, &queue_) != HSA_STATUS_SUCCESS ||
            create_signal(0, 0, nullptr, &done_) != HSA_STATUS_SUCCESS)
            return false;
        const char* mask = std::getenv("HSA_PROGRAM_MASK");
        if (mask == nullptr) return true;
        const auto units = static_cast<uint32_t>(std::strtoul(mask, nullptr, 16));
        return named<QueueSetMask>("hsa_amd_queue_cu_set_mask")(queue_, 32, &units) == HSA_STATUS_SUCCESS;
    }
    bool batch() {
        // The signal counts what is left.
        named<SignalStore>("hsa_signal_store_relaxed")(done_, kBatch);
        for (uint32_t i = 0; i < kBatch; ++i) launch();
        named<int64_t (*)(hsa_signal_t, uint32_t, int64_t, uint64_t, uint32_t)>("hsa_signal_wait_scacquire")(
            done_, 0, 1, UINT64_MAX, 0);
        if (word_ == expected_) return true;
        std::fprintf(stderr, "hsa_program: 0x%x instead of 0x%x after %u kernels\n", word_, expected_, kernels_);
        return false;
    }
    bool end() {
        return named<QueueDestroy>("hsa_queue_destroy")(queue_) == HSA_STATUS_SUCCESS &&
               named<hsa_status_t (*)(hsa_signal_t)>("hsa_signal_destroy")(done_) == HSA_STATUS_SUCCESS;
    }

private:
    void launch() {
        const uint64_t index =
            named<uint64_t (*)(const hsa_queue_t*, uint64_t)>("hsa_queue_add_write_index_screlease")(queue_, 1);
        Arguments& arguments = arguments_[index % kQueueSize];
        arguments = {&word_, kernels_, kernel_us_};
        expected_ = expected_ * 31 + kernels_++;
        Packet& packet = static_cast<Packet*>(queue_->base_address)[index % kQueueSize];
        packet.kernel_object = kernel;
        packet.arguments = &arguments;
        packet.completion_signal = done_;
        __atomic_store_n(&packet.header, uint16_t{2}, __ATOMIC_RELEASE);
        named<SignalStore>("hsa_signal_store_screlease")(queue_->doorbell_signal, static_cast<int64_t>(index));
    }

    hsa_queue_t* queue_ = nullptr;
    hsa_signal_t done_{};
    Arguments arguments_[kQueueSize] = {};
    uint32_t word_ = 0, expected_ = 0, kernels_ = 0;
    const uint32_t kernel_us_;
};

Board* map_board(const char* path) {
    const int file = open(path, O_RDWR | O_CLOEXEC);
    void* memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory != MAP_FAILED ? static_cast<Board*>(memory) : nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    Board* const board = argc > 1 ? map_board(argv[1]) : nullptr;
    if (board == nullptr) return 2;
    Program program(argc > 3 ? static_cast<uint32_t>(std::atoi(argv[3])) : 1000);
    if (!program.prepare()) return 1;
    while (board->order.load() != Board::kEnd) {
        if (board->order.load() == Board::kRest) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            continue;
        }
        if (!program.batch()) return xsched::test::kWrongResult;
        board->done.fetch_add(kBatch);
    }
    return program.end() ? 0 : 1;
}
