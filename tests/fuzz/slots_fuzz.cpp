// The words that clients write into shared memory between the passes of a dispatcher, under each policy: any words
// anywhere, queues, work and clients that come and go. Two programs of other users are beside them. One has a device of
// its own, the other is more urgent than the attacker may be: neither is ever suspended for the attacker's sake.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "dispatch/dispatcher.h"
#include "fuzz/bytes.h"
#include "fuzz/target.h"
#include "ipc/region.h"
#include "policy/policy.h"
#include "support/slots.h"

namespace xsched::fuzz::slots_target {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr uint64_t kShared = uint64_t{kDeviceTypeGPU} << 32 | 1;  // a device of everybody's
constexpr uint64_t kAlone = 0x5ec2e7;  // the device of one victim alone: no input writes this number
constexpr int32_t kMostOfAttacker = 127;  // as config/limits.def has it
constexpr uint32_t kQueues = 4;  // of an attacker, mostly
constexpr int kMostPasses = 4000;  // until nothing changes any more; a debt of slots is worked off in some hundred

// The policies are taken by name, so that an input means the same in each build: their list is in link order.
const std::vector<const policy::PolicyInfo*>& policies_by_name() {
    static const auto all = [] {
        std::vector<const policy::PolicyInfo*> found;
        for (const policy::PolicyInfo& info : policy::policies()) found.push_back(&info);
        std::sort(found.begin(), found.end(),
                  [](auto* one, auto* other) { return strcmp(one->name, other->name) < 0; });
        return found;
    }();
    return all;
}

class FuzzedClient {
public:
    FuzzedClient(uint32_t id, uint64_t user, int32_t highest) : region_(ipc::create_private_region()) {
        demand(region_ != nullptr, "there is memory");
        view_.id = id;
        view_.pid = static_cast<int32_t>(1000 + id);
        view_.region = region_;
        view_.limits = std::make_shared<dispatch::UserLimits>();
        view_.limits->account = user;
        view_.limits->highest_priority = highest;
    }
    ~FuzzedClient() { ipc::unmap_region(region_); }
    FuzzedClient(const FuzzedClient&) = delete;
    FuzzedClient& operator=(const FuzzedClient&) = delete;

    dispatch::ClientView& view() { return view_; }
    ipc::Header& header() { return region_->header; }
    ipc::QueueSlot& slot(uint32_t at) { return region_->slots[at]; }
    void make_queue(uint32_t at, uint64_t device, int32_t priority) {
        test::make_slot(*region_, at, uint64_t{view_.id} << 32 | at, device, priority, kMs);
        slot(at).gate = ipc::kGateOpen;
    }
    void submit(uint32_t at, int64_t now_ns) {
        slot(at).ready_since_ns = now_ns;
        slot(at).submitted.fetch_add(1);
        slot(at).launched.fetch_add(1);
    }
    void complete(uint32_t at, int64_t now_ns) {
        slot(at).idle_since_ns = now_ns;
        slot(at).completed = slot(at).submitted.load();
    }
    // Writes a value to any word of the shared memory, be it of the header or of a slot.
    template <typename Number>
    void write(size_t word, Number value) {
        if (static_cast<uint64_t>(value) == kAlone) return;
        reinterpret_cast<std::atomic<Number>*>(region_)[word % (sizeof(*region_) / sizeof(Number))] = value;
    }

private:
    ipc::Region* region_;
    dispatch::ClientView view_;
};

class World {
public:
    explicit World(Bytes& bytes) : bytes_(bytes) {
        const policy::PolicyInfo& chosen =
            *policies_by_name()[bytes.below(static_cast<uint32_t>(policies_by_name().size()))];
        goes_by_priority_ = chosen.type == kPolicyHighestPriorityFirst;
        const uint8_t how = bytes.number<uint8_t>();
        dispatcher_ = std::make_unique<dispatch::Dispatcher>(
            sched::Core(chosen.make(), {.starvation_limit_ns = (how & 1) != 0 ? 20 * kMs : 0,
                                        .claim_limit_ns = 0,  // the urgent victim never completes anything
                                        .precautions = (how & 4) != 0,
                                        .foresight = static_cast<sched::Foresight>(how >> 3 & 3)}));
        for (FuzzedClient* victim : {&urgent_, &alone_}) {
            victim->make_queue(0, victim == &alone_ ? kAlone : kShared, 200);
            victim->submit(0, now_ns_);
            dispatcher_->add_client(victim->view());
        }
        for (FuzzedClient& client : attackers_) {
            client.view().limits = attackers_[0].view().limits;
            client.make_queue(0, kShared, 0);
            dispatcher_->add_client(client.view());
        }
    }

    void run() {
        for (int step = 0; step < 512 && !bytes_.empty(); ++step) act();
        check();
        settle();
    }

private:
    void act() {
        FuzzedClient& client = attackers_[bytes_.below(2)];
        const uint32_t at = bytes_.below(kQueues);
        switch (bytes_.below(14)) {
            case 0: now_ns_ += bytes_.number<uint16_t>() * int64_t{10'000}; break;
            case 1: return pass(false);
            case 2: return pass(true);
            case 3: return write_words(client);
            case 4: return write_field(client, at);
            case 5: return client.write(bytes_.below(sizeof(ipc::Header) / 4), bytes_.number<uint32_t>());
            case 6: return client.make_queue(at, kShared + bytes_.below(3), bytes_.number<int8_t>());
            case 7: return client.submit(at, now_ns_);
            case 8: return client.complete(at, now_ns_);
            case 9: return come_or_go(client);
            case 10: {
                const bool suspend = bytes_.below(2) != 0;
                dispatcher_->set_suspended_by_person(client.view().id, client.slot(at).handle, suspend);
                break;
            }
            case 11: client.slot(at).state = bytes_.below(3); break;
            case 12: dispatcher_->act_for(client.view().id, {kShared, kShared + bytes_.below(3)}); break;
            default: alone_.complete(0, now_ns_); alone_.submit(0, now_ns_);
        }
    }

    void write_words(FuzzedClient& client) {
        size_t word = bytes_.number<uint32_t>();
        for (uint32_t count = bytes_.below(32); count > 0; --count) client.write(word++, bytes_.number<uint32_t>());
    }

    // Writes an extreme value (0, a maximum, about now) to a field of a slot that is probably in use.
    void write_field(FuzzedClient& client, uint32_t at) {
        const auto now = static_cast<uint64_t>(now_ns_);
        const uint64_t edges[] = {0,          INT64_MAX, INT32_MAX, UINT32_MAX,      uint64_t{1} << 63,
                                  1ULL << 20, now,       now + kMs, now - 1000 * kMs};
        constexpr size_t kWords = sizeof(ipc::QueueSlot) / sizeof(uint64_t);
        const size_t word =
            offsetof(ipc::Region, slots) / sizeof(uint64_t) + at * kWords + bytes_.below(static_cast<uint32_t>(kWords));
        const uint64_t value = edges[bytes_.below(std::size(edges))] + static_cast<uint64_t>(bytes_.number<int8_t>());
        if (bytes_.below(2) != 0) return client.write(word, value);
        client.write(2 * word + bytes_.below(2), static_cast<uint32_t>(value));
    }

    void come_or_go(FuzzedClient& client) {
        bool& here = here_[client.view().id - 1];
        here = !here;
        if (!here) return dispatcher_->remove_client(client.view().id);
        dispatcher_->add_client(client.view());
    }

    void pass(bool all) {
        std::vector<uint32_t> rung;
        for (FuzzedClient& client : attackers_)
            if (here_[client.view().id - 1]) rung.push_back(client.view().id);
        planned_ns_ = all ? dispatcher_->pass(now_ns_) : dispatcher_->pass(now_ns_, rung);
        demand(planned_ns_ >= 0, "a pass says when to come again");
        check();
    }

    void check() {
        ipc::QueueSlot& alone = alone_.slot(0);
        demand(alone.suspended == 0 && alone.gate == ipc::kGateOpen, "a victim alone on its device runs");
        demand(alone.handle == (uint64_t{4} << 32) && alone.device == kAlone, "what a client says of itself stays");
        if (!goes_by_priority_) return;
        demand(urgent_.slot(0).suspended == 0, "the most urgent one runs, whatever less urgent users write");
    }

    // No client writes any more: the scheduler comes to rest. Then the attackers go, and nothing of theirs stays
    // behind.
    void settle() {
        int passes = 0;
        for (const int64_t until_ns = now_ns_ + 20 * kMs; now_ns_ < until_ns; ++passes) {
            demand(passes < kMostPasses, "passes come to an end");
            pass(false);
            if (planned_ns_ == 0) break;
            now_ns_ = std::max(now_ns_ + 1000, planned_ns_);
        }
        for (FuzzedClient& client : attackers_)
            if (here_[client.view().id - 1]) come_or_go(client);
        for (int i = 0; i < 4; ++i) {
            now_ns_ += kMs;
            pass(true);
        }
        demand(urgent_.slot(0).suspended == 0 && urgent_.slot(0).gate == ipc::kGateOpen, "whoever is alone runs");
    }

    Bytes& bytes_;
    int64_t now_ns_ = 1'000'000 * kMs;
    int64_t planned_ns_ = 0;
    bool goes_by_priority_ = false;
    std::array<bool, 2> here_{true, true};
    std::array<FuzzedClient, 2> attackers_{{{1, 1000, kMostOfAttacker}, {2, 1000, kMostOfAttacker}}};
    FuzzedClient urgent_{3, 1001, PRIORITY_MAX};
    FuzzedClient alone_{4, 1002, PRIORITY_MAX};
    std::unique_ptr<dispatch::Dispatcher> dispatcher_;  // before the memory that it works on goes
};

}  // namespace

XSCHED_FUZZ(slots) {
    Bytes bytes(input);
    World(bytes).run();
}

}  // namespace xsched::fuzz::slots_target
