#include "sim/process_memory.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/time.h"

namespace xsched::sim {
namespace {

// As in platform/stream/shim/memory/evictable.h: how often one allocation asks at most.
constexpr int kMostTries = 4;
// How often the end of the program's work is looked for, while its memory is to move.
constexpr int64_t kMoveLookNs = base::kMillisecond;
// As in platform/stream/shim/memory/memory_moves.cpp: how long a move waits for the program's work to end, and how long
// the memory then stays.
constexpr int64_t kLongestWaitNs = 10 * base::kSecond;
constexpr int64_t kLeftAloneNs = 4 * kLongestWaitNs;

}  // namespace

ProcessMemory::ProcessMemory(Agenda& agenda, Card& card, const Workload& workload, const ProgramSpec& spec,
                             ipc::Header& header)
    : agenda_(agenda), card_(card), costs_(workload.card), spec_(spec), words_(header.memory[0]), header_(header) {
    agenda.add(*this);
}

void ProcessMemory::open(ProgramTold& program, RingTold* server, uint32_t id) {
    program_ = &program;
    server_ = server;
    id_ = id;
    if (!uses_memory()) return;
    card_.show_free(words_.free);
    words_.evictable.store(spec_.hints.evictable != 0 ? 1 : 0, std::memory_order_relaxed);
    words_.limit.store(static_cast<uint64_t>(spec_.hints.memory_limit), std::memory_order_relaxed);
    words_.guarantee.store(static_cast<uint64_t>(spec_.hints.memory_guarantee), std::memory_order_relaxed);
    words_.device.store(spec_.device + 1, std::memory_order_relaxed);
    header_.memory_priority.store(spec_.hints.priority, std::memory_order_relaxed);
    header_.memory_used.store(1, std::memory_order_relaxed);
}

bool ProcessMemory::fits_its_limit(uint64_t bytes) const {
    const auto limit = static_cast<uint64_t>(spec_.hints.memory_limit);
    return limit == 0 || on_card_ + on_host_ + bytes <= limit;
}

ProcessMemory::Got ProcessMemory::allocate(uint64_t bytes, int64_t now_ns) {
    if (off_ || waits_for_answer()) return Got::kWaits;
    const bool answered = asking_;
    asking_ = false;
    if (!fits_its_limit(bytes) || (answered && !may_try_again())) return refuse(bytes, now_ns);
    if (card_.take(bytes)) {
        on_card_ += bytes;
        tries_ = 0;
        publish(now_ns);
        return Got::kAll;
    }
    if (server_ == nullptr || tries_ == kMostTries) return refuse(bytes, now_ns);
    ask(bytes, now_ns);
    return Got::kWaits;
}

bool ProcessMemory::waits_for_answer() const {
    return asking_ && words_.answered.load(std::memory_order_relaxed) != words_.asked.load(std::memory_order_relaxed);
}

bool ProcessMemory::may_try_again() {
    return words_.answer.load(std::memory_order_relaxed) == static_cast<uint32_t>(ipc::MemoryAnswer::kTryAgain);
}

void ProcessMemory::ask(uint64_t bytes, int64_t now_ns) {
    asking_ = true;
    ++tries_;
    words_.wanted.store(bytes - card_.free_bytes(), std::memory_order_relaxed);
    words_.asked.fetch_add(1, std::memory_order_relaxed);
    publish(now_ns);
}

ProcessMemory::Got ProcessMemory::refuse(uint64_t bytes, int64_t now_ns) {
    results_.refused_bytes = bytes;
    publish(now_ns);
    return Got::kNothing;
}

void ProcessMemory::release(uint64_t bytes, int64_t now_ns) {
    if (bytes == 0) return;
    const uint64_t from_host = std::min(bytes, on_host_);
    on_host_ -= from_host;
    on_card_ -= bytes - from_host;
    card_.give(bytes - from_host);
    publish(now_ns);
}

void ProcessMemory::release_all(int64_t now_ns) {
    if (move_ == Move::kBack) card_.give(on_host_);  // it has its place already
    move_ = Move::kNone;
    agenda_.clear(*this);
    release(on_card_ + on_host_, now_ns);
    off_ = asking_ = false;
    count_wait(now_ns);
}

void ProcessMemory::publish(int64_t now_ns) {
    const bool movable = spec_.hints.evictable != 0;
    if (!asking_) words_.wanted.store(0, std::memory_order_relaxed);
    words_.on_card.store(movable ? on_card_ : 0, std::memory_order_relaxed);
    words_.fixed.store(movable ? 0 : on_card_, std::memory_order_relaxed);
    words_.on_host.store(on_host_, std::memory_order_relaxed);
    count_wait(now_ns);
    if (server_ != nullptr) server_->ring(id_, now_ns);
}

void ProcessMemory::count_wait(int64_t now_ns) {
    if (waits_since_ns_ != 0) results_.waited_ns += now_ns - waits_since_ns_;
    waits_since_ns_ = asking_ || off_ ? now_ns : 0;
}

MemoryResults ProcessMemory::results(int64_t now_ns) const {
    MemoryResults results = results_;
    if (waits_since_ns_ != 0) results.waited_ns += now_ns - waits_since_ns_;
    return results;
}

void ProcessMemory::directed(int64_t now_ns) {
    if (!uses_memory()) return;
    if (asking_ && !waits_for_answer()) program_->memory_changed(now_ns);
    if (move_ == Move::kNone) begin_move(now_ns);
}

void ProcessMemory::wake(int64_t now_ns) {
    if (move_ == Move::kOut || move_ == Move::kBack) end_move(now_ns);
    begin_move(now_ns);
}

void ProcessMemory::begin_move(int64_t now_ns) {
    const uint64_t away = words_.away.load(std::memory_order_relaxed);
    if (away > on_host_ && on_card_ > 0) return move_out(away, now_ns);
    if (move_ == Move::kWorkEnds) words_.moving.store(0, std::memory_order_relaxed);  // the order was taken back
    move_ = Move::kNone;
    ordered_ns_ = 0;
    if (away != 0) return;
    if (on_host_ > 0) return move_back(now_ns);
    if (!off_) return;
    off_ = false;
    count_wait(now_ns);
    program_->memory_changed(now_ns);
}

// Moves memory to the host once the program's work is complete.
void ProcessMemory::move_out(uint64_t away, int64_t now_ns) {
    if (now_ns < left_alone_until_ns_) return end_order(false, now_ns);
    if (!off_) {
        off_ = true;
        count_wait(now_ns);
    }
    if (ordered_ns_ == 0) ordered_ns_ = now_ns;
    words_.moving.store(1, std::memory_order_relaxed);
    if (program_->has_no_work())
        return begin(Move::kOut, std::min(on_card_, away - on_host_), costs_.out_gb_per_s, now_ns);
    if (now_ns - ordered_ns_ < kLongestWaitNs) {
        move_ = Move::kWorkEnds;
        return agenda_.set(*this, now_ns + kMoveLookNs);
    }
    left_alone_until_ns_ = now_ns + kLeftAloneNs;
    end_order(false, now_ns);
}

void ProcessMemory::move_back(int64_t now_ns) {
    if (!card_.take(on_host_)) return end_order(false, now_ns);
    begin(Move::kBack, on_host_, costs_.back_gb_per_s, now_ns);
}

void ProcessMemory::begin(Move move, uint64_t bytes, double gb_per_s, int64_t now_ns) {
    move_ = move;
    moving_bytes_ = bytes;
    words_.moving.store(1, std::memory_order_relaxed);
    const auto takes_ns = std::llround(static_cast<double>(bytes) / gb_per_s);
    results_.moved_bytes += bytes;
    results_.moving_ns += takes_ns;
    agenda_.set(*this, now_ns + takes_ns);
}

void ProcessMemory::end_move(int64_t now_ns) {
    const uint64_t away = words_.away.load(std::memory_order_relaxed);
    if (move_ == Move::kOut) {
        ++results_.swaps;
        on_card_ -= moving_bytes_;
        on_host_ += moving_bytes_;
        card_.give(moving_bytes_);
    } else {
        on_card_ += on_host_;
        on_host_ = 0;
    }
    end_order(on_card_ == 0 || on_host_ >= away || away == ipc::kAllMemory, now_ns);
}

// Tells the server how its order has ended.
void ProcessMemory::end_order(bool carried_out, int64_t now_ns) {
    move_ = Move::kNone;
    ordered_ns_ = 0;
    if (!carried_out) words_.failed.store(++failed_, std::memory_order_relaxed);
    if (!carried_out && on_host_ == 0 && off_) {
        off_ = false;
        program_->memory_changed(now_ns);
    }
    words_.moving.store(0, std::memory_order_relaxed);
    publish(now_ns);
}

}  // namespace xsched::sim
