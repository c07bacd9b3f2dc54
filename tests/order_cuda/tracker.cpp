#include "order_cuda/tracker.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>

#include "order/report.h"
#include "order_cuda/world.h"

namespace order::cuda {
namespace {

constexpr size_t kSlabBlocks = 256;

// Pinned blocks, all of one portable allocation after another; a block is used again as late as possible, so that a
// driver that says "complete" too early is seen to write into memory that is checked.
struct PinnedPool {
    std::mutex mutex;
    std::deque<uint32_t*> free;
    std::vector<void*> slabs;
};
PinnedPool& pinned() {
    static PinnedPool& it = *new PinnedPool;
    return it;
}

uint32_t* take_pinned() {
    PinnedPool& pool = pinned();
    const std::lock_guard lock(pool.mutex);
    if (pool.free.size() < kSlabBlocks / 2) {
        const std::shared_lock unsafe(unsafe_calls());
        void* slab = nullptr;
        expect_success(api().cuMemHostAlloc(&slab, kSlabBlocks * kBytes, CU_MEMHOSTALLOC_PORTABLE), "cuMemHostAlloc");
        pool.slabs.push_back(slab);
        for (size_t i = 0; i < kSlabBlocks; ++i) pool.free.push_back(static_cast<uint32_t*>(slab) + i * kWords);
    }
    uint32_t* words = pool.free.front();
    pool.free.pop_front();
    return words;
}

}  // namespace

std::shared_mutex& unsafe_calls() {
    static std::shared_mutex& it = *new std::shared_mutex;
    return it;
}

std::shared_mutex& any_capture() {
    static std::shared_mutex& it = *new std::shared_mutex;
    return it;
}

std::unique_ptr<HostMemory> HostMemory::take(bool is_pinned) {
    uint32_t* words = is_pinned ? take_pinned() : new uint32_t[kWords];
    return std::unique_ptr<HostMemory>(new HostMemory(words, is_pinned));
}

HostMemory::~HostMemory() {
    if (!pinned_) {
        delete[] words_;
        return;
    }
    const std::lock_guard lock(pinned().mutex);
    pinned().free.push_back(words_);
}

void HostMemory::set(const Words& words) { std::copy(words.begin(), words.end(), words_); }
bool HostMemory::equals(const Words& words) const { return std::equal(words.begin(), words.end(), words_); }

void HostMemory::expect(const Words& words) {
    is_read_ = true;
    expected_ = words;
    std::fill_n(words_, kWords, 0xDEADBEEFU);
}

void HostMemory::check_and_scribble(const char* what, const char* how) {
    if (is_read_ && !equals(expected_)) violation("%s: the host does not have the right data after %s", what, how);
    std::fill_n(words_, kWords, 0xABABABABU);
}

void free_host_memory() {
    const std::lock_guard lock(pinned().mutex);
    for (void* it : pinned().slabs) expect_success(api().cuMemFreeHost(it), "cuMemFreeHost");
    pinned().slabs.clear();
    pinned().free.clear();
}

Tracker::~Tracker() {
    const InContext inside(context_);
    expect_success(api().cuEventDestroy_v2(event_), "cuEventDestroy");
}

bool Tracker::complete() {
    if (done_.load()) return true;
    const std::shared_lock unsafe(unsafe_calls());
    const CUresult now = api().cuEventQuery(event_);
    if (now == CUDA_ERROR_NOT_READY) return false;
    expect_success(now, "cuEventQuery");
    done_ = true;
    return true;
}

void Tracker::check_complete(const char* how) {
    // NVIDIA's driver returns from cuStreamSynchronize a moment before it admits that the stream's last event has
    // happened (580, about once in 1,000 times).
    for (int i = 0; i < 200 && !complete(); ++i) std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (!complete()) {
        violation("%s is not complete after %s", what_, how);
        return;
    }
    std::vector<TrackerPtr> dependencies;
    {
        const std::lock_guard lock(mutex_);
        dependencies.swap(dependencies_);
        if (host_ != nullptr) host_->check_and_scribble(what_, how);
        host_.reset();
    }
    for (const TrackerPtr& it : dependencies)
        if (!it->complete()) violation("%s is complete before %s, which it had to wait for", what_, it->what());
}

void Tracker::settle(const char* how) {
    if (!done_.load()) {
        const std::shared_lock unsafe(unsafe_calls());
        expect_success(api().cuEventSynchronize(event_), "cuEventSynchronize");
    }
    check_complete(how);
}

}  // namespace order::cuda
