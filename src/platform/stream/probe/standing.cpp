// Measures how long a thread's call blocks while another thread waits for the same stream: in a synchronize, and in a
// copy to memory that the runtime does not know.
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "arguments.h"
#include "busy_device.h"
#include "calls.h"
#include "trials.h"

namespace xsched::probe {
namespace {

using busy::now_ns;

constexpr double kStandingKernelMs = 10;
constexpr int kStandingKernels = 5;
constexpr int kAfterMs = 10;  // by then the other thread waits (judgement)

template <typename Call>
void note_longest(double& longest_ms, const Call& call) {
    const int64_t begin = now_ns();
    call();
    longest_ms = std::max(longest_ms, static_cast<double>(now_ns() - begin) / 1e6);
}

// Returns the longest of some queries, and of some records of an event, while another thread is in `wait`.
Json beside(busy::BusyDevice& device, uint32_t steps, vendor::Stream stream, const std::function<void()>& wait) {
    for (int i = 0; i < kStandingKernels; ++i) device.enqueue(steps);
    std::atomic<bool> over{false};
    std::string complaint;
    std::thread other([&] {
        try {
            vendor::use_device();
            wait();
        } catch (const std::exception& error) {
            complaint = error.what();
        }
        over = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(kAfterMs));
    double query_ms = 0, record_ms = 0;
    int calls = 0;
    const vendor::Event event = vendor::make_event(false);
    for (; !over; ++calls) {
        note_longest(query_ms, [&] { vendor::query(stream); });
        note_longest(record_ms, [&] { vendor::record(event, stream); });
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    other.join();
    if (!complaint.empty()) throw std::runtime_error(complaint);
    return {{"query_ms", query_ms}, {"record_ms", record_ms}, {"calls", calls}};
}

}  // namespace

Json try_standing(const Settings& settings) {
    doing("running the first kernel");
    busy::BusyDevice device("own");
    const auto stream = static_cast<vendor::Stream>(device.queue());
    const auto steps = static_cast<uint32_t>(settings.steps_per_ms * kStandingKernelMs);
    const vendor::Memory memory = vendor::allocate(1 << 20);
    std::string copy(1 << 20, '\0');
    doing("asking a stream while another thread synchronizes it");
    const Json synchronize = beside(device, steps, stream, [&] { vendor::wait(stream); });
    doing("asking a stream while another thread copies from the device");
    const Json copying = beside(device, steps, stream, [&] {
        vendor::copy_out_in(stream, copy.data(), memory, copy.size());
        vendor::wait(stream);
    });
    return {{"synchronize", synchronize}, {"copy", copying}, {"work_ms", kStandingKernelMs * kStandingKernels}};
}

}  // namespace xsched::probe
