#include "cli/web/live.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/clock.h"
#include "base/states.h"
#include "cli/explain/sentences.h"
#include "cli/show.h"
#include "cli/thread_start.h"
#include "cli/web/changes.h"

namespace xsched::cli {
namespace {

constexpr int64_t kProgramsEveryNs = 500 * base::kMillisecond;
constexpr int64_t kQuietNs = 250 * base::kMillisecond;
constexpr int64_t kTryAgainNs = base::kSecond;
constexpr int kMostPages = 8;  // most pages of changes in one event, so that other requests are not delayed

std::string event_text(const char* name, const Json& data) {
    return "event: " + std::string(name) + "\ndata: " + data.dump(-1, ' ', false, Json::error_handler_t::replace) +
           "\n\n";
}

// Returns a program's data for the page: a row as in xcli top, an explanation, and its burst lengths.
Json program_json(const Json& answer, const Json& program, const TopRow& row) {
    const Explained explained = explain(answer, program);
    Json entry = top_json(row);
    entry["uid"] = program.value("uid", int64_t{0});
    entry["wanted"] = row.wanted;
    entry["limit"] = program.value("limit", int64_t{0});
    entry["queues"] = program.value("queues", int64_t{0});
    entry["followed"] = program.value("followed", false);
    entry["suspended"] = row.state == base::word_of(base::State::kSuspended);
    entry["held_since_ms"] = program.value("held_since_ms", 0.0);
    entry["devices"] = program.value("devices", Json::array());
    entry["finding"] = finding_word(explained.finding);
    entry["not_us"] = explained.not_us;
    entry["headline"] = explained.headline;
    entry["bursts"] = program["bursts"].value("buckets", Json::array());
    return entry;
}

}  // namespace

WebLive::WebLive(HttpDoor& door) : door_(door) {}

WebLive::~WebLive() {
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
}

bool WebLive::join(int64_t hz) {
    const int64_t every_ns = base::kSecond / std::clamp<int64_t>(hz, 1, kMostHz);
    {
        const std::lock_guard lock(mutex_);
        asked_every_ns_ = asked_every_ns_ == 0 ? every_ns : std::min(asked_every_ns_, every_ns);
        joined_ns_ = base::now_ns();
    }
    changed_.notify_one();
    return thread_.joinable() || begin_thread(thread_, [this] { follow(); });
}

void WebLive::follow() {
    std::unique_lock lock(mutex_);
    while (!over_) {
        if (const int64_t every_ns = std::exchange(asked_every_ns_, 0); every_ns != 0) {
            every_ns_ = every_ns_ == 0 ? every_ns : std::min(every_ns_, every_ns);
            programs_ns_ = 0;  // send the newcomer data at once
        }
        lock.unlock();
        const int64_t due_ns = tick(base::now_ns());
        lock.lock();
        if (over_ || asked_every_ns_ != 0) continue;
        const int64_t left_ns = due_ns == 0 ? base::kSecond : due_ns - base::now_ns();
        if (left_ns > 0) changed_.wait_for(lock, std::chrono::nanoseconds(left_ns));
    }
}

ServerLink& WebLive::connected() {
    if (link_) return *link_;
    has_cursor_ = false;
    return link_.emplace();
}

void WebLive::tell_programs(ServerLink& link) {
    const Json answer = ask_all(link, {{"cmd", "programs"}, {"buckets", true}}, "programs");
    rows_.take(answer);
    Json programs = Json::array();
    for (size_t i = 0; i < rows_.rows().size(); ++i)
        programs.push_back(program_json(answer, answer["programs"][i], rows_.rows()[i]));
    door_.tell_streams(event_text("programs", {{"now_us", base::now_ns() / base::kMicrosecond},
                                               {"policy", answer.value("policy", "")},
                                               {"uptime_s", answer.value("uptime_s", 0.0)},
                                               {"devices", devices_json(rows_)},
                                               {"reasons", reasons_},
                                               {"programs", programs}}));
}

void WebLive::tell_changes(ServerLink& link, int64_t now_ns) {
    Json request{{"queues", !has_cursor_ || now_ns >= quiet_ns_}};
    if (has_cursor_) request["from"] = next_;
    Changes changes = read_changes(link, std::move(request), kMostPages);
    next_ = changes.next;
    has_cursor_ = true;
    if (!changes.reasons.is_null()) reasons_ = changes.reasons;
    if (changes.entries.empty() && now_ns < quiet_ns_) return;
    quiet_ns_ = now_ns + kQuietNs;
    Json event{{"now_us", base::now_ns() / base::kMicrosecond},
               {"lost", changes.lost},
               {"entries", std::move(changes.entries)}};
    if (!changes.queues.is_null()) event["queues"] = std::move(changes.queues);
    door_.tell_streams(event_text("changes", event));
}

// Sends the programs' data and the changes to all streams, as far as they are due. With no stream, closes the
// connection to the server, unless a stream has just been asked for: it begins a moment later.
int64_t WebLive::tick(int64_t now_ns) {
    bool just_joined = false;
    {
        const std::lock_guard lock(mutex_);
        just_joined = joined_ns_ != 0 && now_ns - joined_ns_ < kTryAgainNs;
    }
    if (door_.streams() == 0 && !just_joined) {
        link_.reset();
        every_ns_ = 0;
        return 0;
    }
    try {
        if (now_ns >= changes_ns_) {
            tell_changes(connected(), now_ns);
            changes_ns_ = std::max(changes_ns_ + every_ns_, now_ns);
        }
        if (now_ns >= programs_ns_) {
            tell_programs(connected());
            programs_ns_ = now_ns + kProgramsEveryNs;
        }
    } catch (const std::exception& failure) {
        link_.reset();
        door_.tell_streams(event_text("away", {{"error", failure.what()}}));
        changes_ns_ = programs_ns_ = now_ns + kTryAgainNs;
    }
    return std::min(changes_ns_, programs_ns_);
}

}  // namespace xsched::cli
