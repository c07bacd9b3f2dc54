#include "server/kept_orders.h"

#include <algorithm>

#include "base/clock.h"
#include "base/log.h"
#include "ipc/slot_hints.h"

namespace xsched::server {
namespace {

using Json = nlohmann::json;

constexpr const char* kOrders = "orders";  // in the checkpoint

Json living(Json orders) {
    Json kept = Json::array();
    for (Json& order : orders)
        if (is_same_start(start_of(order.value("pid", 0)), order.value("start", uint64_t{0})))
            kept.push_back(std::move(order));
    return kept;
}

}  // namespace

bool KeptOrders::keep(pid_t pid, uid_t user, bool trusted, const Json& order) {
    Json orders = living(checkpoint_.value(kOrders));
    const auto count = std::count_if(orders.begin(), orders.end(),
                                     [user](const Json& one) { return one.value("user", uid_t{0}) == user; });
    auto found = std::find_if(orders.begin(), orders.end(), [pid](const Json& one) { return one["pid"] == pid; });
    if (found == orders.end()) {
        const size_t most = trusted ? kMost : kMostOfOrdinary;
        if (static_cast<size_t>(count) >= kMostOfUser || orders.size() >= most) return false;
        orders.push_back({{"pid", pid}, {"start", start_of(pid)}, {"user", user}});
        found = orders.end() - 1;
    }
    found->merge_patch(order);
    checkpoint_.note(kOrders, orders);
    return true;
}

Json KeptOrders::of(pid_t pid) const {
    for (const Json& one : living(checkpoint_.value(kOrders)))
        if (one["pid"] == pid) return one;
    return Json::object();
}

Json KeptOrders::suspending() const {
    Json orders = living(checkpoint_.value(kOrders));
    for (size_t i = orders.size(); i-- > 0;)
        if (!orders[i].value("held", false)) orders.erase(i);
    return orders;
}

void KeptOrders::give(Client& client) {
    const Json known = checkpoint_.value(kOrders);
    const auto meant = [&client](const Json& one) { return one["pid"] == client.pid(); };
    if (!known.is_array() || client.pid_is_claimed() || std::none_of(known.begin(), known.end(), meant)) return;
    Json orders = living(known);
    const auto found = std::find_if(orders.begin(), orders.end(), meant);
    if (found == orders.end()) return;
    write_defaults(client.header(), *found);
    client.suspended_by_person = found->value("held", false);
    if (client.suspended_by_person) checkpoint_.note_suspended(client.pid(), 0, true);
    orders.erase(found);
    checkpoint_.note(kOrders, orders);
    if (client.user().may_log(base::now_ns()))
        XLOG_INFO("pid %d gets the orders that were given before it connected", client.pid());
}

void write_defaults(ipc::Header& header, const Json& order) {
    const Json hints = order.value("hints", Json::object());
    for (const base::HintInfo& hint : base::kHints)
        if (hints.contains(hint.name)) ipc::store_default(header, hint.id, hints[hint.name].get<int64_t>());
    const auto set = [&order](std::atomic<uint32_t>& field, const char* name) {
        if (const auto number = order.value(name, 0U); number != 0) field.store(number);
    };
    set(header.default_level, "level");
    set(header.default_threshold, "threshold");
    set(header.default_batch_size, "batch_size");
}

}  // namespace xsched::server
