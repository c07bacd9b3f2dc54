#include "platform/stream/hal/gate_trial.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>

#include "base/clock.h"
#include "base/detached.h"
#include "base/time.h"
#include "base/unique_fd.h"

namespace xsched::stream {
namespace {

constexpr int64_t kPatienceNs = 100 * base::kMillisecond;
constexpr int64_t kClosedNs = 300 * base::kMicrosecond;  // it must hold for this long
constexpr int64_t kLookEveryNs = 20 * base::kMicrosecond;
constexpr int64_t kStoreWithinNs = 300 * base::kMillisecond;  // by another process, which is started for it
constexpr uint32_t kOpen = 1;
constexpr int kRounds = 3;  // the quickest counts
constexpr int kPairs = 4;   // gates and reports in each

void store(const TrialWord& word, uint32_t value) {
    if (word.wide)
        __atomic_store_n(static_cast<uint64_t*>(word.host), uint64_t{value}, __ATOMIC_SEQ_CST);
    else
        __atomic_store_n(static_cast<uint32_t*>(word.host), value, __ATOMIC_SEQ_CST);
}

// The stream of the trial and its marks.
class Bench {
public:
    explicit Bench(const Api& api) : api_(api) {}
    ~Bench() {
        for (Event event : {before_, behind_})
            if (event != nullptr) event_destroy(api_, event);
    }
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;

    Result make() {
        Result code = stream_create(api_, &stream_);
        if (code == kSuccess) code = event_create(api_, &before_);
        if (code == kSuccess) code = event_create(api_, &behind_);
        return code;
    }
    Result put_gate(const TrialWord& word, uint32_t least) const {
        Result code = event_record(api_, before_, stream_);
        if (code == kSuccess) code = wait_value(api_, stream_, word.device, least);
        return code == kSuccess ? event_record(api_, behind_, stream_) : code;
    }
    bool is_passed(Event event) const { return event_query(api_, event) == kSuccess; }
    bool passes(Event event) const {
        const int64_t end_ns = base::now_ns() + kPatienceNs;
        while (!is_passed(event)) {
            if (base::now_ns() >= end_ns) return false;
            base::sleep_ns(kLookEveryNs);
        }
        return true;
    }
    bool reaches_gate() const { return passes(before_); }
    bool passes_gate() const { return passes(behind_); }
    bool has_passed_gate() const { return is_passed(behind_); }
    // With the word open.
    XqGateCost measure(const TrialWord& word) const {
        int64_t least_ns = INT64_MAX;
        int64_t least_host_ns = INT64_MAX;
        for (int round = 0; round < kRounds; ++round) {
            const int64_t began_ns = base::now_ns();
            for (int i = 0; i < kPairs; ++i)
                if (wait_value(api_, stream_, word.device, kOpen) != kSuccess ||
                    write_value(api_, stream_, word.device, kOpen) != kSuccess)
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
    void write(const TrialWord& word) const { write_value(api_, stream_, word.device, kOpen); }
    void end() { stream_destroy(api_, stream_); }

private:
    const Api& api_;
    Stream stream_ = nullptr;
    Event before_ = nullptr;
    Event behind_ = nullptr;
};

// On another stream: whether a gate that is open from the start is passed, and not only ours finds no place on a device
// that is full. Where the host's stores are not seen the device's may be, so that nothing is left closed.
bool passes_open_gate(Bench& other, const TrialWord& word) {
    const bool passed = other.make() == kSuccess && other.put_gate(word, 0) == kSuccess && other.passes_gate();
    other.write(word);
    return passed;
}

// False: it could not be started.
bool start_late_store(int file) {
    constexpr const char* kPlaces[] = {"xsched/late_store", nullptr};  // beside the device's library
    char path[PATH_MAX];
    if (!base::find_beside_us(kPlaces, path, sizeof path)) return false;
    char number[] = "1";
    char* arguments[] = {path, number, nullptr};
    const char* environment[] = {nullptr};
    return base::start_detached({path, arguments, environment, file});
}

// The file's own word: not as this process has it mapped.
bool is_stored(int file) {
    const int64_t end_ns = base::now_ns() + kStoreWithinNs;
    uint32_t stored = 0;
    while (pread(file, &stored, sizeof stored, 0) != sizeof stored || stored != kOpen) {
        if (base::now_ns() >= end_ns) return false;
        base::sleep_ns(kLookEveryNs);
    }
    return true;
}

// As xserver opens gates. Where no other process can be started, this one's stores have to do.
GateTrial try_from_outside(const Bench& bench, const TrialWord& word, bool* opened) {
    store(word, 0);
    if (bench.put_gate(word, kOpen) != kSuccess) return GateTrial::kUnclear;
    const bool stored = bench.reaches_gate() && start_late_store(word.file) && is_stored(word.file);
    *opened = stored && bench.passes_gate();
    if (*opened) return GateTrial::kWorks;
    store(word, kOpen);
    if (!bench.passes_gate()) return GateTrial::kUnclear;
    return stored ? GateTrial::kOthersNotSeen : GateTrial::kWorks;
}

GateTrial try_on(Bench& bench, const Api& api, const TrialWord& word, bool* by_others) {
    if (!bench.reaches_gate()) {
        store(word, kOpen);
        return GateTrial::kUnclear;
    }
    base::sleep_ns(kClosedNs);
    const bool held = !bench.has_passed_gate();
    store(word, kOpen);
    if (!held) return GateTrial::kHoldsNothing;
    if (!bench.passes_gate()) {
        Bench other(api);
        return passes_open_gate(other, word) ? GateTrial::kNotSeen : GateTrial::kUnclear;
    }
    return word.file >= 0 ? try_from_outside(bench, word, by_others) : GateTrial::kWorks;
}

}  // namespace

TrialWord make_trial_word() {
    constexpr size_t kPageBytes = 4096;
    base::UniqueFd file(memfd_create("xsched-trial", MFD_CLOEXEC));
    if (!file || ftruncate(file.get(), kPageBytes) != 0) return {};
    void* memory = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (memory == MAP_FAILED) return {};
    TrialWord word;
    word.host = memory;
    word.file = file.release();
    return word;
}

TrialResult try_gate(const Api& api, const TrialWord& word) {
    TrialResult result;
    Bench bench(api);
    store(word, 0);
    result.code = bench.make();
    if (result.code == kSuccess) result.code = bench.put_gate(word, kOpen);
    result.gate = result.code == kSuccess ? try_on(bench, api, word, &result.by_others) : GateTrial::kRefused;
    if (result.gate == GateTrial::kWorks) {
        result.cost = bench.measure(word);
        bench.end();  // else it is left to itself: its end may never come
    }
    return result;
}

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
