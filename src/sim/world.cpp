#include "sim/world.h"

#include <algorithm>

namespace xsched::sim {

// Begins a program when its time has come.
class World::Starter final : public Actor {
public:
    Starter(Program& program, Server* server) : program_(program), server_(server) {}
    void wake(int64_t now_ns) override { program_.begin(server_, now_ns); }

private:
    Program& program_;
    Server* server_;
};

World::World(const Workload& workload, Scheduling scheduling, Observer* observer) {
    if (scheduling == Scheduling::kServer) server_ = std::make_unique<Server>(agenda_, workload, observer);
    const Random random(workload.seed);
    cards_.assign(workload.devices, Card(workload.card.bytes));
    for (uint32_t number = 0; number < workload.devices; ++number) {
        devices_.push_back(
            std::make_unique<Device>(agenda_, workload.costs, number, observer, random.branch(~uint64_t{number})));
        agenda_.add(*devices_.back());
    }
    for (const ProgramSpec& spec : workload.programs) {
        for (uint32_t copy = 0; copy < spec.count; ++copy) {
            specs_.push_back(spec);
            specs_.back().start_ns += kBeginNs;
            specs_.back().end_ns = spec.end_ns == INT64_MAX ? INT64_MAX : spec.end_ns + kBeginNs;
            if (spec.count > 1) specs_.back().name += "-" + std::to_string(copy + 1);
        }
    }
    for (const ProgramSpec& spec : specs_) {
        const auto number = static_cast<uint32_t>(processes_.size());
        processes_.push_back(
            std::make_unique<Process>(agenda_, *devices_[spec.device], cards_[spec.device], workload, spec, number));
        programs_.push_back(std::make_unique<Program>(agenda_, *processes_.back(), workload, spec, observer,
                                                      random.branch(number + 1)));
        starters_.push_back(std::make_unique<Starter>(*programs_.back(), server_.get()));
        agenda_.add(*starters_.back());
        agenda_.set(*starters_.back(), spec.start_ns);
    }
}

World::~World() = default;

void World::run_until(int64_t end_ns) {
    while (!agenda_.empty() && agenda_.next_ns() <= end_ns) {
        now_ns_ = std::max(now_ns_, agenda_.next_ns());
        ++wakes_;
        agenda_.take().wake(now_ns_);
    }
    now_ns_ = std::max(now_ns_, end_ns);
}

void World::record_into(ipc::Recording& recording) {
    if (server_ == nullptr) return;
    server_->record_into(recording, now_ns_);
    for (size_t at = 0; at < specs_.size(); ++at) {
        for (uint32_t slot = 0; slot < specs_[at].queues; ++slot) {
            recording.queues.push_back({.client = processes_[at]->id(),
                                        .slot = slot,
                                        .pid = static_cast<int32_t>(processes_[at]->id()),
                                        .program = specs_[at].name,
                                        .device = uint64_t{specs_[at].device} + 1,
                                        .level = specs_[at].level,
                                        .priority = specs_[at].hints.priority});
        }
    }
}

void World::end_recording() {
    if (server_ != nullptr) server_->end_recording(now_ns_);
}

uint64_t World::events() const { return wakes_; }

}  // namespace xsched::sim
