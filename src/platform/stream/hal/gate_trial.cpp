#include "platform/stream/hal/gate_trial.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "base/clock.h"
#include "base/time.h"
#include "base/unique_fd.h"

namespace xsched::stream {
namespace {

constexpr int64_t kPatienceNs = 100 * base::kMillisecond;  // safety
constexpr int64_t kClosedNs = 300 * base::kMicrosecond;  // it must hold for this long (judgement)
constexpr int64_t kLookEveryNs = 20 * base::kMicrosecond;  // judgement
constexpr uint32_t kOpened = 1;
constexpr int kRounds = 3;  // the quickest counts
constexpr int kPairs = 4;   // gates and reports in each
constexpr size_t kPageBytes = 4096;
constexpr size_t kWordBytes = 64;  // a cache line: trials of two devices may run at once

void store(const TrialWord& word, uint32_t value) {
    if (word.wide)
        __atomic_store_n(static_cast<uint64_t*>(word.host), uint64_t{value}, __ATOMIC_SEQ_CST);
    else
        __atomic_store_n(static_cast<uint32_t*>(word.host), value, __ATOMIC_SEQ_CST);
}

// One page at two addresses. A store through the second address looks to the device like another process's: both come
// through a mapping that the driver does not know.
struct TrialPage {
    char* host = nullptr;
    char* elsewhere = nullptr;
};

char* map_page(int file) {
    void* memory = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory != MAP_FAILED ? static_cast<char*>(memory) : nullptr;
}

TrialPage make_page() {
    const base::UniqueFd file(memfd_create("xsched-trial", MFD_CLOEXEC));
    if (!file || ftruncate(file.get(), kPageBytes) != 0) return {};
    return {map_page(file.get()), map_page(file.get())};
}

}  // namespace

TrialWord trial_word(int device_index) {
    static const TrialPage page = make_page();
    const size_t place = static_cast<size_t>(device_index) * kWordBytes;
    if (page.host == nullptr || place >= kPageBytes) return {};
    TrialWord word;
    word.host = page.host + place;
    if (page.elsewhere != nullptr) word.elsewhere = reinterpret_cast<uint32_t*>(page.elsewhere + place);
    return word;
}

TrialStream::~TrialStream() {
    for (Event event : {before_, behind_})
        if (event != nullptr) event_destroy(api_, event);
}

Result TrialStream::make() {
    Result code = stream_create(api_, &stream_);
    if (code == kSuccess) code = event_create(api_, &before_);
    if (code == kSuccess) code = event_create(api_, &behind_);
    return code;
}

Result TrialStream::put_gate(const TrialWord& word, uint32_t least) const {
    Result code = event_record(api_, before_, stream_);
    if (code == kSuccess) code = wait_value(api_, stream_, word.device, least);
    return code == kSuccess ? event_record(api_, behind_, stream_) : code;
}

bool TrialStream::is_passed(Event event) const { return event_query(api_, event) == kSuccess; }

bool TrialStream::passes(Event event) const {
    const int64_t end_ns = base::now_ns() + kPatienceNs;
    while (!is_passed(event)) {
        if (base::now_ns() >= end_ns) return false;
        base::sleep_ns(kLookEveryNs);
    }
    return true;
}

XqGateCost TrialStream::measure(const TrialWord& word) const {
    int64_t least_ns = INT64_MAX;
    int64_t least_host_ns = INT64_MAX;
    for (int round = 0; round < kRounds; ++round) {
        const int64_t began_ns = base::now_ns();
        for (int i = 0; i < kPairs; ++i)
            if (wait_value(api_, stream_, word.device, kOpened) != kSuccess ||
                write_value(api_, stream_, word.device, kOpened) != kSuccess)
                return {};
        least_host_ns = std::min(least_host_ns, base::now_ns() - began_ns);
        if (event_record(api_, behind_, stream_) != kSuccess || !passes_gate()) return {};
        least_ns = std::min(least_ns, base::now_ns() - began_ns);
    }
    const auto of_pair = [](int64_t ns) {
        return static_cast<uint32_t>(std::min<int64_t>(ns / kPairs, base::kMillisecond));
    };
    return {of_pair(least_ns), of_pair(least_host_ns)};
}

void TrialStream::write(const TrialWord& word) const { write_value(api_, stream_, word.device, kOpened); }

void TrialStream::end() {
    if (stream_ != nullptr) stream_destroy(api_, stream_);
    stream_ = nullptr;
}

// Returns whether the second stream passes a gate that is open from the start. If it does not, the device may simply be
// full. The device itself opens the gate, since the host's stores may not be seen; so no gate stays closed.
bool Trial::second_passes_open_gate() {
    if (!second_.made() && (!makes_second_ || second_.make() != kSuccess)) return false;
    const bool passed = second_.put_gate(word_, 0) == kSuccess && second_.passes_gate();
    second_.write(word_);
    return passed;
}

// Opens a gate as xserver does.
GateTrial Trial::try_from_outside(bool* opened) {
    store(word_, 0);
    if (stream_.put_gate(word_, kOpened) != kSuccess) return GateTrial::kUnclear;
    const bool reached = stream_.reaches_gate();
    if (reached) {
        base::sleep_ns(kClosedNs);
        __atomic_store_n(word_.elsewhere, kOpened, __ATOMIC_SEQ_CST);
        *opened = stream_.passes_gate();
        if (*opened) return GateTrial::kWorks;
    }
    store(word_, kOpened);
    return reached && stream_.passes_gate() ? GateTrial::kOthersNotSeen : GateTrial::kUnclear;
}

GateTrial Trial::try_gate(bool* by_others) {
    if (!stream_.reaches_gate()) {
        store(word_, kOpened);
        return GateTrial::kUnclear;
    }
    base::sleep_ns(kClosedNs);
    const bool held = !stream_.has_passed_gate();
    store(word_, kOpened);
    if (!held) return GateTrial::kHoldsNothing;
    if (!stream_.passes_gate()) return second_passes_open_gate() ? GateTrial::kNotSeen : GateTrial::kUnclear;
    return word_.elsewhere != nullptr ? try_from_outside(by_others) : GateTrial::kWorks;
}

TrialResult Trial::run() {
    TrialResult result;
    store(word_, 0);
    result.code = stream_.put_gate(word_, kOpened);
    result.gate = result.code == kSuccess ? try_gate(&result.by_others) : GateTrial::kRefused;
    if (result.gate == GateTrial::kWorks) {
        result.cost = stream_.measure(word_);
        stream_.end();
        second_.end();
    }
    return result;
}

TrialResult Trial::first_run() {
    TrialResult result;
    result.gate = GateTrial::kRefused;
    result.code = stream_.make();
    if (result.code != kSuccess) return result;
    makes_second_ = true;
    result = run();
    if (result.gate == GateTrial::kUnclear && !second_.made()) second_.make();
    makes_second_ = false;
    return result;
}

TrialResult Trial::next_run() { return stream_.has_passed_gate() ? run() : TrialResult{}; }

const char* sentence(GateTrial trial) {
    switch (trial) {
        case GateTrial::kHoldsNothing: return "what follows a closed gate does not wait for it";
        case GateTrial::kNotSeen: return "the device does not see a store that opens a gate";
        case GateTrial::kOthersNotSeen: return "the device does not see what another process stores to open a gate";
        case GateTrial::kRefused: return "the driver refuses stream wait-values";
        default: return nullptr;
    }
}

}  // namespace xsched::stream
