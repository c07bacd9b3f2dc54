#include "cli/web/changes.h"

#include <set>

#include "base/clock.h"
#include "ipc/journal_kind.h"

namespace xsched::cli {
namespace {

Json queues_of(const Json& answer) {
    Json queues = Json::array();
    for (const Json& queue : answer.at("queues"))
        queues.push_back({queue.at("client"), queue.at("slot"), queue.at("device"), queue.at("priority")});
    return queues;
}

}  // namespace

Changes read_changes(ServerLink& link, Json request, int most_answers) {
    Changes changes;
    request["cmd"] = "record";
    for (int answers = 0; answers < most_answers; ++answers) {
        const Json answer = link.ask(request);
        changes.next = answer.at("next");
        changes.lost += answer.at("lost").get<uint64_t>();
        if (answer.contains("queues")) changes.queues = queues_of(answer);
        if (answer.contains("reasons")) changes.reasons = answer["reasons"];
        for (const Json& row : answer.at("entries")) {
            changes.entries.push_back(
                {row.at(0).get<int64_t>() / base::kMicrosecond, row.at(1), row.at(2), row.at(3), row.at(4), row.at(5)});
            if (row.at(1) == static_cast<int>(ipc::JournalKind::kGone))
                changes.gone_queues.push_back({row.at(2), row.at(3), row.at(6)});
        }
        if (!answer.at("more").get<bool>()) break;
        request = {{"cmd", "record"}, {"from", changes.next}};
    }
    return changes;
}

Json read_gone(ServerLink& link) {
    const Json answer = link.ask({{"cmd", "record"}, {"queues", true}, {"all", true}});
    std::set<Json> here;
    for (const Json& queue : answer.at("queues")) here.insert(queue.at("client"));
    Json gone = Json::array();
    for (const Json& program : answer.at("programs"))
        if (!here.contains(program.at(0))) gone.push_back({program.at(0), program.at(1), program.at(2)});
    return gone;
}

}  // namespace xsched::cli
