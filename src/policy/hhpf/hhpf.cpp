// Heterogeneous highest priority first: see README.md.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "policy/policy.h"

namespace xsched::policy {
namespace {

class Hhpf final : public Policy {
public:
    int64_t choose(std::span<const Unit> units, int64_t /*now_ns*/, std::span<Choice> choices) override {
        if (units.empty()) return 0;
        Device& here = devices_[units[0].device];
        const Device before = here;
        here = {};
        for (const Unit& unit : units) {
            here.highest = std::max(here.highest, unit.priority);
            if (unit.wants && is_before(unit.priority, unit.id, here)) {
                here.wanted = unit.priority;
                here.by = unit.id;
            }
        }
        if (here != before) see_all();
        if (top_.by == 0) return 0;
        for (size_t i = 0; i < units.size(); ++i)
            if (units[i].priority < top_.wanted) choices[i] = {.run = false, .by = top_.by};
        return 0;
    }

    void forget(uint64_t device) override {
        if (devices_.erase(device) != 0) see_all();
    }

    void mark_preemptible(std::span<const Unit> units, std::span<uint8_t> marks) const override {
        int32_t highest = PRIORITY_NO_EXECUTE;
        for (const auto& [id, device] : devices_)
            if (units.empty() || id != units[0].device) highest = std::max(highest, device.highest);
        for (const Unit& unit : units) highest = std::max(highest, unit.priority);
        for (size_t i = 0; i < units.size(); ++i) marks[i] = units[i].priority < highest ? 1 : 0;
    }

    bool spans_devices() const override { return true; }
    uint64_t across() const override { return across_; }

private:
    // The most urgent of the units that want this device, as its priority and its id; of equal ones the oldest.
    struct Device {
        int32_t wanted = PRIORITY_NO_EXECUTE;
        uint64_t by = 0;                        // 0: no unit wants the device
        int32_t highest = PRIORITY_NO_EXECUTE;  // of all
        bool operator==(const Device&) const = default;
    };

    static bool is_before(int32_t priority, uint64_t id, const Device& than) {
        return than.by == 0 || priority > than.wanted || (priority == than.wanted && id < than.by);
    }

    void see_all() {
        Device top;
        for (const auto& [id, device] : devices_) {
            top.highest = std::max(top.highest, device.highest);
            if (device.by == 0 || !is_before(device.wanted, device.by, top)) continue;
            top.wanted = device.wanted;
            top.by = device.by;
        }
        if (std::exchange(top_, top) != top) ++across_;
    }

    std::unordered_map<uint64_t, Device> devices_;
    Device top_;
    uint64_t across_ = 1;
};

}  // namespace

XSCHED_POLICY(Hhpf, "HHPF", kPolicyHeterogeneousHighestPriorityFirst, bits_of(base::HintId::priority),
              "highest priority first over all devices: while an urgent unit has work, less urgent ones are suspended "
              "everywhere");

}  // namespace xsched::policy
