#include "queue/memory/joint_limit.h"

#include <atomic>

#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/time.h"

namespace xsched::queue {
namespace {

using ipc::DeviceMemory;

struct CountedMemory {
    base::Mutex counting;  // guards `bytes`, and the word that tells them
    uint64_t bytes = 0;
    base::Mutex asking;  // one thread asks at a time
};
constinit CountedMemory g_counted_memory[ipc::kMostDeviceNames];

uint64_t joint_limit(const ipc::Header& header) { return header.memory_joint_limit.load(std::memory_order_seq_cst); }

// Counts the bytes. Takes them back, and returns false, if they are more than the scheduler allows by now.
bool try_to_count(size_t at, ipc::Header* header, uint64_t bytes) {
    CountedMemory& counted = g_counted_memory[at];
    base::Lock lock(counted.counting);
    counted.bytes += bytes;
    if (header == nullptr) return true;
    DeviceMemory& words = header->memory[at];
    words.counted.store(counted.bytes, std::memory_order_seq_cst);
    if (joint_limit(*header) == 0 || counted.bytes <= words.may_have.load(std::memory_order_seq_cst)) return true;
    counted.bytes -= bytes;
    words.counted.store(counted.bytes, std::memory_order_seq_cst);
    return false;
}

// Says once how much the program may have while the scheduler does not answer: the part that it was given last. The
// parts of all programs together are the limit, so they cannot have more meanwhile.
void tell_of_silence(const DeviceMemory& words) {
    static constinit std::atomic<bool> told{false};
    if (told.exchange(true, std::memory_order_relaxed)) return;
    XLOG_WARN(
        "the scheduler does not answer: until it does, this program may have %.2f GiB on the device, which is its part "
        "of the limits of its user and control group",
        static_cast<double>(words.may_have.load(std::memory_order_relaxed)) / (1 << 30));
}

// Returns whether an earlier request has no answer yet. A scheduler that answers again answers that one first.
bool is_silent(const DeviceMemory& words) {
    return words.limit_answered.load(std::memory_order_acquire) != words.limit_asked.load(std::memory_order_relaxed);
}

// Asks the scheduler for more of the joint limit: `bytes` in all. Returns false if no scheduler answers until
// `until_ns`.
bool ask_for_more(DeviceMemory& words, ipc::Header& header, uint64_t bytes, int64_t until_ns) {
    const uint32_t number = words.limit_asked.load(std::memory_order_relaxed) + 1;
    words.limit_wanted.store(bytes, std::memory_order_relaxed);
    words.limit_asked.store(number, std::memory_order_release);
    ipc::ring_doorbell(header);
    while (words.limit_answered.load(std::memory_order_acquire) != number) {
        if (base::now_ns() > until_ns) return false;
        base::sleep_ns(base::kMillisecond / 10);  // the scheduler looks once a millisecond
    }
    return true;
}

}  // namespace

// Counts an allocation against the joint limit. Returns false if the limit forbids it, or if the scheduler does not
// answer for a second; later allocations do not wait for it. Another thread of the process may take
// what was allowed for this one, which then asks again.
bool count_memory(size_t at, uint64_t device, ipc::Header* header, uint64_t bytes) {
    if (try_to_count(at, header, bytes)) return true;
    base::Lock lock(g_counted_memory[at].asking);
    DeviceMemory& words = header->memory[at];
    words.device.store(device, std::memory_order_release);
    const int64_t until_ns = base::now_ns() + base::kSecond;
    do {
        if (is_silent(words) || !ask_for_more(words, *header, bytes, until_ns)) {
            tell_of_silence(words);
            return false;
        }
        if (try_to_count(at, header, bytes)) return true;
    } while (bytes <= joint_memory_left(at, header) && base::now_ns() < until_ns);
    return false;
}

void uncount_memory(size_t at, ipc::Header* header, uint64_t bytes) {
    CountedMemory& counted = g_counted_memory[at];
    {
        base::Lock lock(counted.counting);
        counted.bytes -= bytes;
        if (header != nullptr) header->memory[at].counted.store(counted.bytes, std::memory_order_seq_cst);
    }
    if (header != nullptr && joint_limit(*header) != 0) ipc::ring_doorbell(*header);  // others may have more now
}

void publish_counted(size_t at, ipc::Header& header) {
    base::Lock lock(g_counted_memory[at].counting);
    header.memory[at].counted.store(g_counted_memory[at].bytes, std::memory_order_seq_cst);
}

uint64_t joint_memory_left(size_t at, const ipc::Header* header) {
    if (header == nullptr || joint_limit(*header) == 0) return UINT64_MAX;
    const uint64_t most = header->memory[at].joint_most.load(std::memory_order_relaxed);
    const uint64_t has = header->memory[at].counted.load(std::memory_order_relaxed);
    return most > has ? most - has : 0;
}

void carry_joint_limit(size_t at, const ipc::Header& before, ipc::Header& header) {
    if (joint_limit(before) == 0) return;
    const DeviceMemory& known = before.memory[at];
    DeviceMemory& words = header.memory[at];
    words.joint_most.store(known.joint_most.load(std::memory_order_relaxed), std::memory_order_relaxed);
    words.may_have.store(known.may_have.load(std::memory_order_seq_cst), std::memory_order_seq_cst);
    header.memory_joint_limit.store(joint_limit(before), std::memory_order_seq_cst);
}

void forget_counted_memory() {
    for (CountedMemory& counted : g_counted_memory) counted.bytes = 0;
}

}  // namespace xsched::queue
