#include "order/cuda/tracker.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>

#include "order/cuda/world.h"

namespace order::cuda {
namespace {

constexpr size_t kSlabBlocks = 256;

constexpr uint32_t kScribble = 0xABABABAB;

constexpr auto kMostLate = std::chrono::seconds(5);  // a bound of the test; a burst of its streams takes milliseconds

// Blocks of one kind of memory, of one allocation after another; a block is used again as late as possible. So a driver
// that says "complete" too early is seen to read or write memory that is checked.
struct HostPool {
    std::mutex mutex;
    std::deque<uint32_t*> free;
    std::vector<void*> slabs;
};
HostPool& pool_of(bool pinned) {
    static HostPool& with_pages = *new HostPool;
    static HostPool& locked = *new HostPool;
    return pinned ? locked : with_pages;
}

void* new_slab(bool pinned) {
    if (!pinned) return new uint32_t[kSlabBlocks * kWords];
    const std::shared_lock unsafe(unsafe_calls());
    void* slab = nullptr;
    expect_success(api().cuMemHostAlloc(&slab, kSlabBlocks * kBytes, CU_MEMHOSTALLOC_PORTABLE), "cuMemHostAlloc");
    return slab;
}

uint32_t* take_block(bool pinned) {
    HostPool& pool = pool_of(pinned);
    const std::lock_guard lock(pool.mutex);
    if (pool.free.size() < kSlabBlocks / 2) {
        auto* slab = static_cast<uint32_t*>(new_slab(pinned));
        pool.slabs.push_back(slab);
        std::fill_n(slab, kSlabBlocks * kWords, kScribble);
        for (size_t i = 0; i < kSlabBlocks; ++i) pool.free.push_back(slab + i * kWords);
    }
    uint32_t* words = pool.free.front();
    pool.free.pop_front();
    if (!std::all_of(words, words + kWords, [](uint32_t it) { return it == kScribble; }))
        violation("%s memory of the host changed after its copy was done", pinned ? "pinned" : "pageable");
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
    return std::unique_ptr<HostMemory>(new HostMemory(take_block(is_pinned), is_pinned));
}

HostMemory::~HostMemory() {
    if (!scribbled_) std::fill_n(words_, kWords, kScribble);
    HostPool& pool = pool_of(pinned_);
    const std::lock_guard lock(pool.mutex);
    pool.free.push_back(words_);
}

void HostMemory::set(const Words& words) { std::copy(words.begin(), words.end(), words_); }

void HostMemory::expect(const Words& words) {
    is_read_ = true;
    expected_ = words;
    std::fill_n(words_, kWords, 0xDEADBEEFU);
}

void HostMemory::remember(History& history) {
    history_ = &history;
    accesses_ = history.all();
}

void HostMemory::check_and_scribble(const char* what, const char* how) {
    Words found;
    std::copy_n(words_, kWords, found.begin());
    if (is_read_ && found != expected_) {
        violation("%s: the host does not have the right data after %s", what, how);
        if (history_ != nullptr) history_->explain(accesses_, found, expected_);
    }
    std::fill_n(words_, kWords, kScribble);
    scribbled_ = true;
}

void free_host_memory() {
    for (const bool pinned : {true, false}) {
        HostPool& pool = pool_of(pinned);
        const std::lock_guard lock(pool.mutex);
        for (void* it : pool.slabs) {
            if (pinned)
                expect_success(api().cuMemFreeHost(it), "cuMemFreeHost");
            else
                delete[] static_cast<uint32_t*>(it);
        }
        pool.slabs.clear();
        pool.free.clear();
    }
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

// Waits some more for a completion that did not come in time. Returns text that says whether it came late or was
// lost.
std::string Tracker::later() {
    const auto began = std::chrono::steady_clock::now();
    const auto waited = [began] { return std::chrono::steady_clock::now() - began; };
    while (!complete() && waited() < kMostLate) std::this_thread::sleep_for(std::chrono::microseconds(50));
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(waited()).count();
    return complete() ? std::to_string(ms) + " ms later" : "not within " + std::to_string(ms) + " ms either";
}

void Tracker::check_complete(const char* how) {
    // NVIDIA's driver returns from cuStreamSynchronize a moment before it admits that the stream's last event has
    // happened (580, about once in 1,000 times).
    for (int i = 0; i < 200 && !complete(); ++i) std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (!complete()) {
        violation("%s is not complete after %s, but %s", what_, how, later().c_str());
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
