#include "dispatch/memory_desk.h"

#include <algorithm>

#include "base/log.h"
#include "base/time.h"
#include "dispatch/look_times.h"
#include "dispatch/prices.h"

namespace xsched::dispatch {
namespace {

using ipc::bytes_of;
using ipc::DeviceMemory;
using ipc::MemoryAnswer;
using sched::MemoryOrder;
using sched::MemoryUser;

static_assert(MemoryOrder::all() == ipc::kAllMemory);

MemoryUser read_words(const ClientSlots& client, const DeviceMemory& words) {
    return {.client = client.view().id,
            .priority = client.memory_priority(),
            .evictable = words.evictable.load(std::memory_order_relaxed) != 0,
            .moving = words.moving.load(std::memory_order_acquire) != 0,
            .on_card = bytes_of(words.on_card),
            .on_host = bytes_of(words.on_host),
            .free = bytes_of(words.free),
            .failed = words.failed.load(std::memory_order_acquire),
            .asked = words.asked.load(std::memory_order_acquire),
            .wanted = words.answered.load(std::memory_order_relaxed) == words.asked.load(std::memory_order_relaxed)
                          ? 0
                          : bytes_of(words.wanted),
            .fixed = bytes_of(words.fixed),
            .guarantee = bytes_of(words.guarantee),
            .kept_away = client.memory_is_kept_away() || words.yields.load(std::memory_order_relaxed) != 0};
}

double gibibytes(uint64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

void log_order(const ClientSlots& client, const MemoryOrder& order, uint64_t before) {
    if (order.away == MemoryOrder::all())
        XLOG_DEBG("pid %d is to move all of its memory to the host", client.view().pid);
    else if (order.away > before)
        XLOG_DEBG("pid %d is to move %.2f GiB of its memory to the host", client.view().pid, gibibytes(order.away));
    else
        XLOG_DEBG("pid %d may have its memory back: %.2f GiB", client.view().pid, gibibytes(before));
}

}  // namespace

void MemoryDesk::read(ClientSlots& client) {
    std::atomic<uint64_t>& limit = client.view().region->header.memory_joint_limit;
    if (limit.load(std::memory_order_relaxed) != client.joint_memory_limit())
        limit.store(client.joint_memory_limit(), std::memory_order_seq_cst);
    for (DeviceMemory& words : client.view().region->header.memory) {
        const uint64_t id = words.device.load(std::memory_order_acquire);
        if (id == 0) break;
        Device& device = devices_[id];
        device.users.push_back(read_words(client, words));
        device.users.back().gang = gang_of(client);
        device.clients.push_back(&client);
        device.words.push_back(&words);
        device.joint.add(client, words);
    }
}

uint64_t MemoryDesk::gang_of(const ClientSlots& client) {
    const int64_t name = client.memory_gang();
    if (name == 0) return 0;
    return gangs_.try_emplace({client.user(), name}, gangs_.size() + 1).first->second;
}

// Tells each member of a gang whether memory of the other members is away, on all devices.
void MemoryDesk::tell_gangs() {
    struct Away {
        uint32_t members = 0;
        uint32_t waiting = 0;
    };
    std::vector<Away> gangs(gangs_.size() + 1);
    const auto of_all = [this](auto&& what) {
        for (auto& [id, device] : devices_)
            for (size_t i = 0; i < device.users.size(); ++i) {
                MemoryUser& user = device.users[i];
                if (user.gang == 0) continue;
                const bool away = user.on_host != 0 && device.words[i]->away.load(std::memory_order_relaxed) != 0;
                what(user, away, away && !device.planner.is_ready(user.client));
            }
    };
    of_all([&](const MemoryUser& user, bool away, bool waits) {
        gangs[user.gang].members += away ? 1 : 0;
        gangs[user.gang].waiting += waits ? 1 : 0;
    });
    of_all([&](MemoryUser& user, bool away, bool waits) {
        user.gang_is_away = gangs[user.gang].members > (away ? 1U : 0U);
        user.gang_waits = gangs[user.gang].waiting > (waits ? 1U : 0U);
    });
    gangs_.clear();
}

void MemoryDesk::write(Device& device, int64_t now_ns) {
    device.joint.divide();
    for (size_t i = 0; i < device.users.size(); ++i)
        device.users[i].guarantee = std::max(device.users[i].guarantee, bytes_of(device.words[i]->joint_guarantee));
    const std::vector<MemoryOrder> orders = device.planner.plan(device.users, now_ns);
    for (size_t i = 0; i < orders.size(); ++i) {
        DeviceMemory& words = *device.words[i];
        const uint64_t before = words.away.load(std::memory_order_relaxed);
        bool changed = false;
        if (before != orders[i].away) {
            log_order(*device.clients[i], orders[i], before);
            words.away.store(orders[i].away, std::memory_order_release);
            changed = true;
        }
        if (orders[i].answer != MemoryOrder::Answer::kNone) {
            const bool again = orders[i].answer == MemoryOrder::Answer::kTryAgain;
            const MemoryAnswer answer = again ? MemoryAnswer::kTryAgain : MemoryAnswer::kNotEnough;
            words.answer.store(static_cast<uint32_t>(answer), std::memory_order_relaxed);
            words.answered.store(device.users[i].asked, std::memory_order_release);
            changed = true;
        }
        if (changed) ipc::ring_directive(device.clients[i]->view().region->header);
    }
}

void MemoryDesk::pass(const ClientList& users, int64_t now_ns) {
    if (users.empty() && devices_.empty()) {
        look_ns_ = 0;
        return;
    }
    // However often clients ring, and however many there are, requests for memory are read so seldom that this takes at
    // most a sixteenth of the time.
    const int64_t every_ns = std::max(kLookSometimesNs, static_cast<int64_t>(users.size()) * 16 * kReadNs);
    if (now_ns - looked_ns_ < every_ns) {
        look_ns_ = base::earlier(look_ns_, looked_ns_ + every_ns);
        return;
    }
    looked_ns_ = now_ns;
    look_ns_ = 0;
    for (auto& [id, device] : devices_) {
        device.users.clear();
        device.clients.clear();
        device.words.clear();
    }
    for (ClientSlots* client : users) read(*client);
    std::erase_if(devices_, [](const auto& each) { return each.second.users.empty(); });
    tell_gangs();
    for (auto& [id, device] : devices_) {
        write(device, now_ns);
        const bool busy = std::any_of(device.users.begin(), device.users.end(), [](const MemoryUser& user) {
            return user.wanted != 0 || (user.on_host != 0 && !user.kept_away) || user.moving;
        });
        if (busy) look_ns_ = base::earlier(look_ns_, now_ns + every_ns);
        if (device.planner.look_ns() != 0) look_ns_ = base::earlier(look_ns_, device.planner.look_ns());
    }
}

}  // namespace xsched::dispatch
