#include "sim/server.h"

#include <algorithm>
#include <stdexcept>

#include "policy/no_such_policy.h"
#include "sim/process.h"

namespace xsched::sim {

std::unique_ptr<policy::Policy> make_policy(const std::string& name) {
    if (const policy::PolicyInfo* info = policy::find_policy(name.c_str())) return info->make();
    throw std::runtime_error(policy::no_such_policy(name));
}

Server::Server(Agenda& agenda, const Workload& workload, Observer* observer)
    : agenda_(agenda),
      reaction_ns_(workload.costs.reaction_us),
      observer_(observer),
      dispatcher_(sched::Core(make_policy(workload.policy), workload.settings)) {
    agenda.add(*this);
}

void Server::admit(Process& process, int64_t now_ns) {
    dispatch::ClientView view = process.view();
    view.journal = &journal_;
    dispatcher_.add_client(view);
    processes_.push_back(&process);
    ring(process.id(), now_ns);
}

void Server::expel(uint32_t id, int64_t now_ns) {
    const auto found = std::find_if(processes_.begin(), processes_.end(),
                                    [id](const Process* process) { return process->id() == id; });
    if (found == processes_.end()) return;
    Process& process = **found;
    dispatcher_.remove_client(id);
    tell(process, now_ns);
    processes_.erase(found);
    agenda_.set_earlier(*this, now_ns + reaction_ns_);
}

void Server::ring(uint32_t id, int64_t now_ns) {
    if (std::find(rung_.begin(), rung_.end(), id) == rung_.end()) rung_.push_back(id);
    agenda_.set_earlier(*this, now_ns + reaction_ns_);
}

void Server::set_policy(const std::string& name, int64_t now_ns) {
    dispatcher_.core().set_policy(make_policy(name));
    agenda_.set_earlier(*this, now_ns);
}

void Server::set_suspended_by_person(uint32_t id, bool suspended, int64_t now_ns) {
    dispatcher_.set_suspended_by_person(id, 0, suspended);
    agenda_.set_earlier(*this, now_ns);
}

void Server::wake(int64_t now_ns) {
    ++passes_;
    const int64_t again_ns = dispatcher_.pass(now_ns, rung_);
    rung_.clear();
    if (recording_ != nullptr) write_recording(now_ns);
    if (again_ns != 0) agenda_.set(*this, std::max(again_ns, now_ns + 1));
    for (Process* process : processes_)
        if (process->was_directed()) tell(*process, now_ns);
}

void Server::record_into(ipc::Recording& recording, int64_t now_ns) {
    recording_ = &recording;
    recording_began_ns_ = now_ns;
    recording_->policy = dispatcher_.core().policy_name();
    journal_.want_until(INT64_MAX);
}

void Server::write_recording(int64_t now_ns) {
    recording_->lasts_ns = now_ns - recording_began_ns_;
    entries_.clear();
    recorded_ = journal_.read(recorded_, dispatch::Journal::kEntries, entries_, recording_->lost);
    for (const dispatch::JournalEntry& entry : entries_) {
        if (entry.kind > dispatch::JournalKind::kGone) continue;  // kinds that only traces show
        const bool suspends = entry.kind == dispatch::JournalKind::kSuspended;
        recording_->changes.push_back({.at_ns = entry.at_ns - recording_began_ns_,
                                       .kind = static_cast<ipc::RecordedKind>(entry.kind),
                                       .client = entry.client,
                                       .slot = entry.slot,
                                       .reason = entry.reason,
                                       .by_client = suspends ? entry.by_client : 0,
                                       .completed = entry.completed,
                                       .command_ns = entry.command_ns});
    }
}

void Server::end_recording(int64_t now_ns) {
    recording_->lasts_ns = now_ns - recording_began_ns_;
    for (Process* process : processes_) {
        const auto& queues = process->queues();
        for (uint32_t at = 0; at < queues.size(); ++at) {
            const ipc::QueueSlot& slot = queues[at]->slot();
            const ipc::SlotWork work = ipc::work_of(slot);
            if (!work.ready) continue;
            recording_->changes.push_back({.at_ns = recording_->lasts_ns,
                                           .kind = ipc::RecordedKind::kReady,
                                           .client = process->id(),
                                           .slot = at,
                                           .completed = work.completed,
                                           .command_ns = slot.command_ns.load(std::memory_order_relaxed)});
        }
    }
}

void Server::tell(Process& process, int64_t now_ns) {
    const bool suspended = process.is_suspended();
    hash(static_cast<uint64_t>(now_ns));
    hash(uint64_t{process.id()} << 1 | (suspended ? 1 : 0));
    ++decisions_;
    if (observer_ != nullptr) observer_->on_suspension(process.number(), suspended, now_ns);
    process.directed(now_ns);
}

}  // namespace xsched::sim
