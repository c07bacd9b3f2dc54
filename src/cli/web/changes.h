// Reads the changes of queues that the server records, for the live stream and for GET changes. Any thread, with a link
// of its own.
#pragma once

#include <cstdint>

#include "cli/server_link.h"

namespace xsched::cli {

struct Changes {
    Json entries = Json::array();  // each [time in us, kind, client, slot, reason, by client]
    Json queues;  // the present queues, [client, slot, device, priority]; null: they were not asked for
    Json gone_queues = Json::array();  // queues that went meanwhile, [client, slot, device]
    Json reasons;  // [number, sentence]; null, likewise
    uint64_t next = 0;  // where to go on
    uint64_t lost = 0;  // changes that were overwritten before they were read
};

// Asks the server's command "record", whose arguments `request` has, and again as long as it has more; `most_answers`
// bounds how often.
Changes read_changes(ServerLink& link, Json request, int most_answers);
// Returns the programs that left in the last minute, [client, pid, program].
Json read_gone(ServerLink& link);

}  // namespace xsched::cli
