#include "cli/trace/link.h"

#include <algorithm>

#include "base/clock.h"

namespace xsched::cli {

Json TraceLink::ask(const Json& more, bool names) {
    Json request{{"cmd", "record"}, {"all", true}, {"queues", names}};
    request.update(more);
    return link_.ask(request);
}

void TraceLink::begin_before(int64_t ns) {
    const Json answer = ask({{"last_ms", std::max<int64_t>(ns / base::kMillisecond, 1)}});
    answers_.take_before(answer, ns);
    while (answers_.more() && !full()) answers_.take(ask({{"from", answers_.next()}}, false));
    answers_.end_at(answer.at("now_ns"));
}

void TraceLink::look(bool names) {
    do answers_.take(ask({{"from", answers_.next()}}, names));
    while (answers_.more() && !full());
}

}  // namespace xsched::cli
