#include "cli/explain/held_causes.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "cli/explain/held_sentence.h"
#include "cli/explain/urgency.h"
#include "cli/hint_facts.h"
#include "cli/known_by.h"
#include "cli/program_facts.h"
#include "config/ignored.h"
#include "xsched/types.h"

namespace xsched::cli {
namespace {

constexpr double kStarvedMs = 900;  // one hold

constexpr const char* kByShares[] = {"PUP", "SPUP"};

bool is_among(const std::string& policy, auto& policies) {
    return std::find(std::begin(policies), std::end(policies), policy) != std::end(policies);
}

// One cause of holds, for writing its sentences.
struct Cause {
    const Json& answer;
    const Json& program;
    const Json& held;
    const Json& by = held["by"].front();
    const std::string policy = answer.value("policy", "");
    const std::string pid = std::to_string(program.value("pid", int64_t{0}));
    Explained result = {};

    void found(WhySlow finding, const std::string& more, const std::string& advice) {
        result.finding = finding;
        result.headline += more;
        result.advice = advice;
    }
    // Returns "xcli hint 812 WORDS".
    std::string hint(const std::string& words) const { return "xcli hint " + pid + " " + words; }
};

bool has_hint(const Json& program, const char* hint) {
    return program.value("hints_in_force", Json::object()).contains(hint);
}

// Returns whether the program for which this one was held still runs, so that advice may name it.
bool still_there(const Cause& cause) {
    return cause.by.contains("pid") && program_of(cause.answer, cause.by.value("pid", int64_t{0})) != nullptr;
}

// Says that nothing of the kind holds the program now.
void say_past(Cause& cause, WhySlow finding, const std::string& more) { cause.found(finding, more, ""); }

// Returns the share or limit of the program's control group, as `which` says; 0: none.
int64_t of_group(const Cause& cause, const char* which) {
    return cause.program.value("group_gets", Json::object()).value(which, int64_t{0});
}

// Returns what a share comes to where all together ask for more than 100 percent; empty: it comes to itself.
std::string worth_text(const Cause& cause, int64_t share) {
    for (const Json& device : cause.program.value("devices", Json::array())) {
        const Json worth = device.value("share_worth", Json());
        if (worth.is_number() && worth.get<int64_t>() < share)
            return ", which counts as " + worth.dump() + " because all together ask for more than 100,";
    }
    return "";
}

int64_t of_user(const Cause& cause, const char* which, int64_t unless_set) {
    return cause.program.value("user_gets", Json::object()).value(which, unless_set);
}

// The share that counts: the program's own, or that of its user or control group together.
struct Share {
    int64_t percent = 0;  // 0: none
    std::string whose;    // for the sentence
    std::string larger;   // advice
};
Share share_of(const Cause& cause) {
    const int64_t users = of_user(cause, "share", 0);
    const int64_t groups = of_group(cause, "share");
    const int64_t all = std::max(users, groups);
    const auto own = cause.program.value("share", int64_t{0});
    if (all == 0 && own == 0)
        return {0, "it has no share, and has used up its part of what the shares of others leave",
                "give it a share (" + cause.hint("--share PERCENT") + ")"};
    if (all == 0) return {own, "it has used up its share", be_more_urgent(cause.answer, cause.program, cause.by)};
    const std::string group = cause.program.value("cgroup", "");
    const std::string named = users > 0 ? user_name(cause.program.value("uid", uid_t{0})) : group;
    return {
        all,
        users > 0 ? "its user has used up the user's share" : "its control group " + group + " has used up its share",
        all >= 100 ? kByPriority
                   : (users > 0 ? std::string(kByRoot) + "give the user" : "give the group") +
                         " a larger share (xcli limit " + named + ":share=PERCENT)"};
}

void say_used_up(Cause& cause) {
    const Share share = share_of(cause);
    const std::string worth = worth_text(cause, share.percent);
    const bool is_turn = cause.by.value("reason", "") != "limited";
    const bool asked_less = is_said(cause.program, "why_less", "does not ask for more");
    const std::string turn = "; policy " + cause.policy + " gave the turn to another, and ";
    if (is_turn && share.percent == 0) return cause.found(WhySlow::kTurns, turn + "it has no share", share.larger);
    if (is_turn && (asked_less || is_said(cause.program, "why_less", "asks now and then")))
        return cause.found(
            WhySlow::kTurns,
            turn + "over time it had less than its share" + (asked_less ? ", since it did not ask for more" : ""),
            kByPriority);
    const std::string others = worth.empty() ? "" : "give others smaller shares (xcli list shows them)";
    const bool has_all = share.percent >= 100 && !others.empty();
    cause.found(WhySlow::kShareUsedUp,
                "; " + share.whose +
                    (share.percent > 0 ? " of " + std::to_string(share.percent) + " percent" + worth : "") + " for now",
                has_all ? others : others + (others.empty() ? "" : ", or ") + share.larger);
}

// The smallest of the limits of the program, its control group and its user.
struct Limit {
    int64_t percent = 100;  // 100: none
    std::string text;       // for the sentence
    std::string raise;      // advice
};
Limit limit_of(const Cause& cause) {
    Limit least;
    const auto take = [&least](int64_t percent, const std::string& text, const std::string& raise) {
        if (percent > 0 && percent < least.percent) least = {percent, text, raise};
    };
    const std::string group = cause.program.value("cgroup", "");
    const std::string user = user_name(cause.program.value("uid", uid_t{0}));
    const int64_t own = cause.program.value("limit", int64_t{0});
    const int64_t groups = of_group(cause, "limit");
    take(own, "its limit is " + std::to_string(own) + " percent",
         "raise the limit (" + cause.hint("--limit 100") + ")");
    take(groups, "the limit of its control group " + group + " is " + std::to_string(groups) + " percent",
         "raise that of the group (xcli limit " + group + ":device-limit=PERCENT)");
    take(of_user(cause, "limit", 100), "its user has had what the user's limit allows",
         std::string(kByRoot) + "raise that of its user (xcli status --limits; xcli limit " + user +
             ":device-limit=PERCENT)");
    const int64_t together = std::max(groups, of_user(cause, "limit", int64_t{0}));
    if (least.percent != own || together <= own || together >= 100) return least;
    // Each of the two counts, and other programs may have used up the common one.
    least.text += ", and " + std::to_string(together) + " for all programs of its " +
                  (groups > 0 ? "control group" : "user") + " together";
    return least;
}

void say_limited(Cause& cause) {
    const Limit limit = limit_of(cause);
    const Share share = share_of(cause);
    const bool shares_count = is_among(cause.policy, kByShares) && share.percent > 0;
    const bool is_none = limit.percent >= 100;
    // Strict shares are limits, too.
    if (cause.policy == "SPUP" && (is_none || (shares_count && share.percent < limit.percent)))
        return say_used_up(cause);
    if (is_none)
        return say_past(cause, WhySlow::kLimit,
                        "; it had used what a limit or strict share allowed, and has no limit now");
    const bool share_too = shares_count && share.percent >= limit.percent;
    cause.found(WhySlow::kLimit, "; " + limit.text, limit.raise + (share_too ? ", and " + share.larger : ""));
}

std::string come_first(const Cause& cause) { return be_more_urgent(cause.answer, cause.program, cause.by); }

void say_not_its_turn(Cause& cause) {
    // A larger share is worth nothing beyond the limit.
    if (is_among(cause.policy, kByShares)) {
        const int64_t limit = limit_of(cause).percent;
        return limit < 100 && share_of(cause).percent >= limit ? say_limited(cause) : say_used_up(cause);
    }
    const std::string more = come_first(cause);
    cause.found(WhySlow::kTurns, "; policy " + cause.policy + " gave the turn to another",
                more.empty() || more == kByPriority ? kByPriority : std::string(kByPriority) + ", or " + more);
}

void say_more_urgent(Cause& cause) {
    if (cause.policy == "AWF")
        return cause.found(WhySlow::kWindow, "; that one has the active window, which policy AWF has go first",
                           "work in its own window, or choose a policy by priority (xcli policy -s HPF)");
    if (!config::is_of_this_build(cause.policy)) return say_not_its_turn(cause);
    const std::string advice = come_first(cause);
    if (advice.empty())
        return say_past(cause, WhySlow::kMoreUrgent,
                        still_there(cause) ? "; that one is less urgent now" : "; that one has ended");
    if (cause.held.value("longest_ms", 0.0) < kStarvedMs) return cause.found(WhySlow::kMoreUrgent, "", advice);
    cause.found(WhySlow::kStarved, "; only the starvation limit lets it run",
                advice + ", or give it a share (xcli policy -s PUP; " + cause.hint("--share 10") + ")");
}

std::string unless_as_important(const Cause& cause, const std::string& as) {
    const std::string advice = come_first(cause);
    return advice.empty() ? "" : "nothing, if it is as important as the " + as + "; otherwise " + advice;
}

void say_equals_turn(Cause& cause) {
    cause.found(WhySlow::kTurns, "; programs of one priority take turns below a more urgent one",
                unless_as_important(cause, "others"));
}

void say_favoured(Cause& cause) {
    cause.found(WhySlow::kTurns, "; that one had waited for half of the starvation limit",
                unless_as_important(cause, "other"));
}

void say_copies_wait(Cause& cause) {
    cause.found(WhySlow::kMoreUrgent, "; its copies would be in the way of that one's, which come soon",
                come_first(cause));
}

void say_suspended(Cause& cause) {
    const std::string state = cause.program.value("state", "");
    if (state != "suspended" && state != "mixed")
        return say_past(cause, WhySlow::kSuspended, "; a person had suspended it (xcli suspend), and it was resumed");
    cause.found(WhySlow::kSuspended, "; a person suspended it (xcli suspend)", "xcli resume " + cause.pid);
}

void say_no_execute(Cause& cause) {
    if (const int64_t now = cause.program.value("priority", int64_t{0}); now != PRIORITY_NO_EXECUTE)
        return say_past(cause, WhySlow::kNoExecute,
                        "; its priority was -256, which means never, and is " + std::to_string(now) + " now");
    cause.found(WhySlow::kNoExecute, "; its priority -256 means never", "give it another one: " + cause.hint("-p 0"));
}

void say_late(Cause& cause) {
    cause.found(WhySlow::kLate, "; it missed its deadline, and what can still be on time comes first",
                "give it a later deadline (" + cause.hint("-d TIME") + "), or less work");
}

void say_announced(Cause& cause) {
    const Json* other = program_of(cause.answer, cause.by.value("pid", int64_t{-1}));
    if (other != nullptr && other != &cause.program && !has_hint(*other, "expect_us") && !has_hint(*other, "period_us"))
        return say_past(cause, WhySlow::kAnnounced, "; that one had announced a burst, and announces none now");
    cause.found(WhySlow::kAnnounced, "; the device was kept free for a burst that was announced",
                "if the announced bursts come late or not at all, correct the other's --expect-in or --period" +
                    (still_there(cause) ? " (xcli hint " + std::to_string(cause.by.value("pid", int64_t{0})) +
                                              " --expect-in 0 --period 0: no burst is announced)"
                                        : ""));
}

void say_elsewhere(Cause& cause) {
    cause.found(WhySlow::kElsewhere, "; the more urgent work is on another device, and this policy spans devices",
                "use a policy that decides device by device (xcli policy -s HPF)");
}

void say_its_gang_is_suspended(Cause& cause) {
    if (!has_hint(cause.program, "gang") || is_over(cause.held, cause.program))
        return say_past(cause, WhySlow::kGang, "; its gang was held, because not all of it could run");
    cause.found(WhySlow::kGang, "; its gang is held, because not all of it may run",
                "see what keeps the others of the gang (xcli status), or take it out (" + cause.hint("--gang 0") + ")");
}

void say_own_queue(Cause& cause) {
    if (!config::is_of_this_build(cause.policy)) return cause.found(WhySlow::kOwnQueue, "", come_first(cause));
    // The hints that other policies read are given to all queues of a process.
    const bool by_priority = goes_by_priority(cause.answer, cause.program, cause.by);
    cause.found(WhySlow::kOwnQueue, "",
                by_priority ? "give its queues one priority, if they should run side by side (" +
                                  cause.hint("-p " + std::to_string(cause.program.value("priority", int64_t{0}))) + ")"
                            : "");
}

// Texts by the reason that the server gives (sched/facts/reason.def).
struct ReasonText {
    const char* word;
    bool by_policy;  // decided by the policy alone: a person, a limit or the core decides the others under each policy
    void (*write)(Cause& cause);
};
constexpr ReasonText kReasonTexts[] = {
    {"held", false, say_suspended},           {"no_execute", false, say_no_execute},
    {"limited", false, say_limited},          {"late", true, say_late},
    {"expected", false, say_announced},       {"elsewhere", true, say_elsewhere},
    {"not_its_turn", true, say_not_its_turn}, {"gang", false, say_its_gang_is_suspended},
    {"equals_turn", true, say_equals_turn},   {"favoured", true, say_favoured},
    {"copies_wait", true, say_copies_wait},   {"less_urgent", true, say_more_urgent},
    {"anticipation", true, say_more_urgent},
};
// For another queue of the program itself, and for a reason that this table lacks.
constexpr ReasonText kOwnQueueText = {"", true, say_own_queue};
constexpr ReasonText kOtherText = {"", true, say_more_urgent};

// Returns whether the priorities tell if the policy would decide the same now.
bool is_told_by_priority(const Cause& cause) {
    return !cause.by.value("itself", false) && cause.by.value("reason", "") != "not_its_turn" &&
           goes_by_priority(cause.answer, cause.program, cause.by);
}

const ReasonText& text_of(const Cause& cause) {
    if (cause.by.value("itself", false)) return kOwnQueueText;
    const std::string word = cause.by.value("reason", "");
    const auto* found = std::find_if(std::begin(kReasonTexts), std::end(kReasonTexts),
                                     [&word](const ReasonText& text) { return word == text.word; });
    return found != std::end(kReasonTexts) ? *found : kOtherText;
}

}  // namespace

Explained held_cause(const Json& answer, const Json& program, const Json& held) {
    Cause cause{answer, program, held};
    const std::string headline = held_sentence(held, program);
    cause.result.headline = headline;
    const ReasonText& text = text_of(cause);
    text.write(cause);
    // The policy in force can be asked for nothing about what an earlier one has decided.
    const bool is_earlier = cause.by.value("earlier_policy", false);
    const bool by_policy = text.by_policy || cause.result.finding == WhySlow::kShareUsedUp;
    if (by_policy && (is_earlier || (is_over(held, program) && !is_told_by_priority(cause)))) {
        cause.result.headline = headline;
        say_past(cause, cause.result.finding,
                 is_earlier ? "; the policy then in force decided that, and policy " + cause.policy + " is in force now"
                            : "; policy " + cause.policy + " decided that, and it is over");
    }
    return cause.result;
}

bool find_just_held(const Json& program, Explained& result) {
    const double since_ms = program.value("held_since_ms", 0.0);
    const std::string state = program.value("state", "");
    const bool by_person = state == "suspended";
    if (!by_person && (since_ms <= 0 || state != "held")) return false;
    const std::string pid = std::to_string(program.value("pid", int64_t{0}));
    result.not_us = false;
    result.finding = by_person ? WhySlow::kSuspended : WhySlow::kJustHeld;
    result.headline = !by_person     ? "held for " + length_text(since_ms) + " until now"
                      : since_ms > 0 ? "a person suspended it " + length_text(since_ms) + " ago (xcli suspend)"
                                     : "a person suspended it (xcli suspend), and it has no work now";
    result.advice = by_person ? "xcli resume " + pid : "see for which program it is held: xcli status " + pid;
    return true;
}

}  // namespace xsched::cli
