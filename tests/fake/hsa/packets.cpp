// Packets of programs that use HSA directly: each queue has a thread that runs them in order once its doorbell rings.
#include <dlfcn.h>
#include <sched.h>

#include <cstring>
#include <ctime>

#include "fake/hsa/fake_hsa.h"
#include "fake/hsa/runtime.h"
#include "fake/kfd/fake_kfd.h"

namespace fake::hsa {
namespace {

thread_local const std::atomic<uint32_t>* t_stopped = nullptr;
thread_local uint32_t t_queue = 0;  // in the kernel driver, from 1; 0: none

struct DispatchPacket {
    uint16_t header, setup, size[3], reserved0;
    uint32_t grid[3], private_bytes, group_bytes;
    uint64_t kernel_object;
    void* arguments;
    uint64_t reserved2;
    hsa_signal_t completion_signal;
};
static_assert(sizeof(DispatchPacket) == kPacketBytes);

constexpr uint16_t kInvalid = 1, kDispatch = 2;

int64_t clock_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

void run(DispatchPacket& packet) {
    if ((packet.header & 0xff) == kDispatch && packet.kernel_object != 0)
        reinterpret_cast<void (*)(void*)>(packet.kernel_object)(packet.arguments);
    if (Signal* done = signal_of(packet.completion_signal)) done->value.fetch_sub(1, std::memory_order_acq_rel);
    __atomic_store_n(&packet.header, kInvalid, __ATOMIC_RELEASE);
}

void wait_while_stopped(const Queue& queue) {
    const timespec pause{0, 50'000};
    while (t_stopped != nullptr && t_stopped->load() != 0 && !queue.ending) nanosleep(&pause, nullptr);
}

void execute(Queue& queue) {
    t_stopped = fake_hsa_stopped(&queue.amd.hsa_queue);
    t_queue = fake_hsa_kfd_queue(&queue.amd.hsa_queue);
    auto* packets = static_cast<DispatchPacket*>(queue.ring);
    const uint32_t size = queue.amd.hsa_queue.size;
    for (uint64_t next = 0; !queue.ending;) {
        DispatchPacket& packet = packets[next % size];
        if (static_cast<int64_t>(next) > queue.doorbell.value.load() ||
            (__atomic_load_n(&packet.header, __ATOMIC_ACQUIRE) & 0xff) == kInvalid) {
            std::unique_lock lock(queue.mutex);
            queue.rung.wait_for(lock, std::chrono::milliseconds(1));
            continue;
        }
        wait_while_stopped(queue);
        run(packet);
        __atomic_store_n(&queue.amd.read_dispatch_id, ++next, __ATOMIC_RELEASE);
    }
}

}  // namespace

void ring(Queue& queue) {
    const std::lock_guard lock(queue.mutex);
    if (!queue.executor.joinable()) queue.executor = std::thread([&queue] { execute(queue); });
    queue.rung.notify_all();
}

void end_executor(Queue& queue) {
    queue.ending = true;
    {
        const std::lock_guard lock(queue.mutex);
        queue.rung.notify_all();
    }
    if (queue.executor.joinable()) queue.executor.join();
}

}  // namespace fake::hsa

extern "C" void fake_hsa_run_for(int64_t ns) {
    using namespace fake::hsa;
    int64_t before = clock_ns();
    const int place =
        t_queue != 0 ? of_kernel_driver<decltype(fake_kfd_run_begins)>("fake_kfd_run_begins")(t_queue - 1) : -1;
    auto* speed = of_kernel_driver<decltype(fake_kfd_speed)>("fake_kfd_speed");
    while (ns > 0) {
        sched_yield();
        const int64_t now = clock_ns();
        const bool runs = t_stopped == nullptr || t_stopped->load() == 0;
        if (place >= 0)
            ns -= static_cast<int64_t>(static_cast<double>(now - before) * speed(place, runs));
        else if (runs)
            ns -= now - before;
        before = now;
    }
    if (place >= 0) of_kernel_driver<decltype(fake_kfd_run_ended)>("fake_kfd_run_ended")(place);
}
