#include "sim/process.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/clock.h"
#include "ipc/region.h"

namespace xsched::sim {

void FreeRegion::operator()(ipc::Region* region) const { ipc::unmap_region(region); }

namespace {

ipc::Region* make_region() {
    ipc::Region* region = ipc::create_private_region();
    if (region == nullptr) throw std::runtime_error("no memory for another simulated process");
    return region;
}

}  // namespace

Process::Process(Agenda& agenda, Device& device, Card& card, const Workload& workload, const ProgramSpec& spec,
                 uint32_t number)
    : agenda_(agenda),
      device_(device),
      costs_(workload.costs),
      spec_(spec),
      number_(number),
      meters_(workload.meters),
      context_(device.add_context(number)),
      region_(make_region()),
      memory_(agenda, card, workload, spec, region_->header) {
    region_->header.client_id = id();
    habits_->last_run = spec.last_run;
    if (workload.notes) record_ = std::make_shared<dispatch::ClientRecord>();
    agenda.add(*this);
}

dispatch::ClientView Process::view() {
    return {
        .id = id(), .pid = static_cast<int32_t>(id()), .region = region_.get(), .record = record_, .habits = habits_};
}

std::string Process::says() const {
    const dispatch::QueueRecord* queue = record_ != nullptr ? record_->find(0) : nullptr;
    if (queue == nullptr) return "";
    char text[200];
    return policy::write_note({.code = static_cast<policy::NoteCode>(queue->note_code.load()),
                               .first = queue->note_first.load(),
                               .second = queue->note_second.load()},
                              text, sizeof(text));
}

void Process::open(ProgramTold& program, RingTold* server, int64_t now_ns) {
    program_ = &program;
    for (uint32_t index = 0; index < spec_.queues; ++index) {
        queues_.push_back(std::make_unique<QueueModel>(program, device_, context_, costs_, meters_));
        const QueueSetup setup{.handle = uint64_t{id()} << 32 | (index + 1),
                               .device = spec_.device + 1,
                               .level = spec_.level,
                               .silent_waits = spec_.silent_waits,
                               .copies = spec_.copies,
                               .hints = spec_.hints};
        queues_.back()->publish(*region_, index, setup, server, now_ns);
    }
    memory_.open(program, server, id());
}

bool Process::is_suspended() const {
    return std::any_of(queues_.begin(), queues_.end(), [](const auto& queue) { return queue->suspended(); });
}

bool Process::is_kept_off() const {
    constexpr auto kLimited = static_cast<ipc::ReasonCode>(sched::Reason::kLimited);
    bool kept_off = false;
    for (const auto& queue : queues_) {
        if (!queue->suspended()) continue;
        kept_off = true;
        if (queue->slot().reason.load(std::memory_order_relaxed) == kLimited) return false;
    }
    return kept_off;
}

void Process::directed(int64_t now_ns) {
    if (!is_kept_off())
        kept_off_since_ns_ = 0;
    else if (kept_off_since_ns_ == 0)
        kept_off_since_ns_ = now_ns;
    seen_ = region_->header.directive.load(std::memory_order_relaxed);
    for (const auto& queue : queues_) queue->note_gate(now_ns);
    device_.look(now_ns);
    program_->directed(now_ns);
    memory_.directed(now_ns);
    if (call_ == Call::kNone) agenda_.set(*this, now_ns + costs_.agent_us);
}

// Returns how the whole process should be off the device, since the hardware cannot take off a single queue: kNo unless
// every queue is suspended with an interrupt, kKeptOff if one of them asks only for that.
Off Process::wanted_off() const {
    Off off = Off::kTakenOff;
    for (const auto& queue : queues_) {
        const auto how = static_cast<ipc::Interrupt>(queue->slot().interrupt.load(std::memory_order_relaxed));
        if (!queue->suspended() || how == ipc::Interrupt::kNone) return Off::kNo;
        if (how == ipc::Interrupt::kKeptOff) off = Off::kKeptOff;
    }
    return off;
}

uint32_t Process::wanted_timeslice_us() const {
    return queues_.empty() ? 0 : queues_.front()->slot().device_timeslice_us.load(std::memory_order_relaxed);
}

void Process::wake(int64_t now_ns) {
    end_call(now_ns);
    if (begin_call(now_ns)) return;
    ipc::Header& header = region_->header;
    header.carried_out.store(seen_, std::memory_order_relaxed);
    for (const auto& queue : queues_) queue->follow_stop(off_ != Off::kNo, now_ns);
    for (const auto& queue : queues_) queue->report_if_asked(now_ns);
    prepare_keep_alive(now_ns);
    for (const auto& queue : queues_) queue->hold_if_asked(now_ns);
}

void Process::prepare_keep_alive(int64_t now_ns) {
    ipc::Header& header = region_->header;
    if (spec_.level < 3 || header.keep_alive_wanted.load(std::memory_order_relaxed) == 0) return;
    if (keep_alive_ready_ns_ == 0) keep_alive_ready_ns_ = now_ns + costs_.keep_alive_ready_us;
    if (now_ns < keep_alive_ready_ns_) return agenda_.set(*this, keep_alive_ready_ns_);
    header.keeps_alive.store(1, std::memory_order_relaxed);
}

void Process::end_call(int64_t now_ns) {
    switch (std::exchange(call_, Call::kNone)) {
        case Call::kTakeOff: device_.set_off(context_, Off::kTakenOff, now_ns); break;
        case Call::kKeepOff: device_.set_off(context_, Off::kKeptOff, now_ns); break;
        case Call::kRestore: device_.set_off(context_, Off::kNo, now_ns); break;
        case Call::kTimeslice:
            device_.set_timeslice(
                context_, timeslice_us_ == 0 ? costs_.timeslice_us : timeslice_us_ * base::kMicrosecond, now_ns);
            break;
        default: break;
    }
}

bool Process::begin_call(int64_t now_ns) {
    const Off off = wanted_off();
    if (off != off_ && !(off_ == Off::kTakenOff && off == Off::kKeptOff)) {
        off_ = off;
        if (off != Off::kNo) ++interrupts_;
        if (off == Off::kNo)
            call(Call::kRestore, costs_.restore_us, now_ns);
        else if (off == Off::kKeptOff)
            call(Call::kKeepOff, costs_.keep_off_us, now_ns);
        else
            call(Call::kTakeOff, costs_.take_off_us, now_ns);
        return true;
    }
    if (const uint32_t us = wanted_timeslice_us(); us != timeslice_us_) {
        timeslice_us_ = us;
        call(Call::kTimeslice, costs_.set_timeslice_us, now_ns);
        return true;
    }
    return false;
}

void Process::call(Call call, int64_t ns, int64_t now_ns) {
    call_ = call;
    agenda_.set(*this, now_ns + ns);
}

}  // namespace xsched::sim
