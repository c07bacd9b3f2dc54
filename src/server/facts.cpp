#include "server/facts.h"

namespace xsched::server {

Facts::Facts(const Request& request) {
    request.order([](dispatch::Dispatcher&) {});
    request.order([this, &request](dispatch::Dispatcher& dispatcher) {
        for (const auto& report : dispatcher.reports())
            queues_[{report.client_id, report.slot}] = {report.verdict.suspend,
                                                        report.verdict.reason,
                                                        report.means,
                                                        report.verdict.by != 0 ? 1 : 0,
                                                        report.verdict.since_ns,
                                                        report.suspended_total_ns,
                                                        report.preemptions};
        for (const auto& [id, client] : request.host.clients) caused_ns_[id] = dispatcher.delay_caused_ns(id);
    });
}

QueueFacts Facts::of(const SeenQueue& queue) const {
    const auto found = queues_.find({queue.client.id(), queue.at});
    QueueFacts facts = found != queues_.end() ? found->second : QueueFacts{};
    if (facts.by_pid != 0) facts.by_pid = queue.slot.by_pid.load();
    return facts;
}

int64_t Facts::caused_ns(const Client& client) const {
    const auto found = caused_ns_.find(client.id());
    return found != caused_ns_.end() ? found->second : 0;
}

}  // namespace xsched::server
