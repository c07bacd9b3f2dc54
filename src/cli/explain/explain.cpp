#include "cli/explain/explain.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "base/text.h"
#include "base/time.h"
#include "cli/explain/other_users.h"
#include "cli/explain/sentences.h"
#include "cli/explain/slow_bursts.h"
#include "cli/explain/unknown_program.h"
#include "cli/explain/urgency.h"
#include "cli/pool/fault.h"
#include "cli/program_facts.h"
#include "cli/show.h"
#include "cli/time_text.h"
#include "cli/trace/answers.h"

namespace xsched::cli {
namespace {

using Names = std::vector<std::string>;

bool is_called(const Json& program, const std::string& name) {
    return std::to_string(program.value("pid", int64_t{0})) == name ||
           program.value("program", "").find(name) != std::string::npos;
}

bool is_meant(const Json& program, const Names& who) {
    return who.empty() ||
           std::any_of(who.begin(), who.end(), [&](const std::string& name) { return is_called(program, name); });
}

// Returns the programs that `who` names; all if it names none. Throws Failure, with the reason, if no program has one
// of the names.
std::vector<const Json*> meant(ServerLink& link, const Json& answer, const Names& who) {
    const Json& programs = answer["programs"];
    if (programs.empty() && who.empty())
        throw Failure("no program is scheduled: start one with 'xcli run -- PROGRAM'", kNobody);
    for (const std::string& name : who)
        if (std::none_of(programs.begin(), programs.end(), [&](const Json& one) { return is_called(one, name); }))
            throw Failure(why_unknown(ask_all(link, {{"cmd", "status"}}, "processes"), name), kNobody);
    std::vector<const Json*> found;
    for (const Json& program : programs)
        if (is_meant(program, who)) found.push_back(&program);
    return found;
}

// Advice for a program whose pool has failed: its context is lost, whatever it waits for.
constexpr const char* kAfterFault =
    "end it and start it again, since nothing that it gives the device is done any more; 'xcli run --pool "
    "--max-restarts TIMES' does both by itself, and keep the program that caused the fault out of the pool";

int explain_now(const Names& who, bool json) {
    ServerLink link;
    const Json answer = ask_all(link, {{"cmd", "programs"}}, "programs");
    Json told = Json::array();
    std::string text;
    for (const Json* program : meant(link, answer, who)) {
        Explained explained = explain(answer, *program);
        if (const std::string lost = pool_sentence(program->value("pid", int64_t{0})); !lost.empty()) {
            explained.details.insert(explained.details.begin(), lost);
            explained.advice = kAfterFault;
        }
        text += explained_text(*program, explained);
        told.push_back(explained_json(*program, explained));
    }
    json ? print(Json{{"ok", true}, {"policy", answer.value("policy", "")}, {"programs", told}}.dump(2) + "\n")
         : print_text(text);
    return 0;
}

// Follows what the server records, and explains the slow bursts of the chosen programs.
class SlowWatch {
public:
    SlowWatch(const ExplainWords& words, bool json)
        : bursts_(time_ns(words.slow, "for --slow")), who_(words.who), json_(json) {
        const Json answer = link_.ask({{"cmd", "record"}, {"queues", true}});
        next_ = answer.at("next");
        began_ns_ = answer.at("now_ns");
        learn(answer);
        if (watched_.empty()) meant(link_, ask_programs(), who_);
    }
    void look() {
        for (bool more = true; more;) {
            const Json answer = link_.ask({{"cmd", "record"}, {"from", next_}, {"queues", true}, {"all", true}});
            next_ = answer.at("next");
            more = answer.at("more");
            learn(answer);
            for (const Json& row : answer.at("entries")) bursts_.see(change_of(row));
        }
        const std::vector<SlowBurst> bursts = bursts_.take();
        if (!bursts.empty()) programs_ = ask_programs();
        for (const SlowBurst& burst : bursts)
            if (watched_.contains(burst.queue.client)) tell(burst);
    }
    uint64_t told() const { return told_; }
    // Returns a sentence for each watched program beside which its equals work.
    std::string crowds() {
        programs_ = ask_programs();
        std::string text;
        for (const uint32_t client : watched_)
            if (const std::string beside = beside_equals(client); !beside.empty())
                text += names_[client] + " runs" + beside +
                        ": none of these makes room for another, so that a burst "
                        "takes longer than alone\n";
            else if (const std::string hidden = hidden_beside(client); !hidden.empty())
                text += names_[client] + " shares its device with " + hidden + ": a burst may take longer than alone\n";
        return text;
    }

private:
    Json ask_programs() { return ask_all(link_, {{"cmd", "programs"}}, "programs"); }
    const Json* program(uint32_t client) const {
        for (const Json& program : programs_["programs"])
            if (program.value("client", 0U) == client) return &program;
        return nullptr;
    }
    // Returns, for example, " beside 2 others of its priority"; empty: none of them works.
    std::string beside_equals(uint32_t client) const {
        const Json* it = program(client);
        const size_t equals = it == nullptr ? 0 : equals_at_work(programs_, *it).size();
        const std::string hidden = hidden_beside(client);
        return equals == 0 ? ""
                           : " beside " + base::counted(equals, "other") + as_equals(programs_) +
                                 (hidden.empty() ? "" : " and " + hidden);
    }
    // Returns, for example, "2 programs of other users"; empty: none is at work on its devices.
    std::string hidden_beside(uint32_t client) const {
        const Json* it = program(client);
        return it == nullptr ? "" : other_users(*it).text();
    }
    // Says what the part of a burst may have been for which the program was not held.
    std::string rest_of(const SlowBurst& burst) const {
        if (const std::string beside = beside_equals(burst.queue.client); !beside.empty())
            return " were not held, but" + beside;
        const Json* it = program(burst.queue.client);
        const size_t others = it == nullptr ? 0 : neighbours_at_work(programs_, *it).size();
        const std::string hidden = hidden_beside(burst.queue.client);
        const std::string seen = others == 0 ? "" : base::counted(others, "other program");
        if (const std::string all = seen + (seen.empty() || hidden.empty() ? "" : " and of ") + hidden; !all.empty())
            return " were not held: its own work, and commands of " + all + " that the device had begun";
        return burst.held.empty() ? " were its own (not us)" : " were its own";
    }
    void learn(const Json& answer) {
        for (const Json& queue : answer.at("queues")) {
            const uint32_t client = queue.at("client");
            names_[client] = "pid " + std::to_string(queue.value("pid", int64_t{0})) + " (" +
                             queue.value("program", "") + ", priority " +
                             std::to_string(queue.value("priority", int64_t{0})) + ")";
            if (is_meant(queue, who_)) watched_.insert(client);
        }
        for (const Json& reason : answer.value("reasons", Json::array()))
            reasons_[reason.at(0)] = reason.at(1).get<std::string>();
    }
    std::string text_of(const HoldCause& cause) {
        if (cause.by_client == 0) return "(" + reasons_[cause.reason] + ")";
        return names_.contains(cause.by_client) ? "behind " + names_[cause.by_client] : "behind another user's program";
    }
    void tell(const SlowBurst& burst) {
        ++told_;
        const double ms = base::milliseconds(burst.ns);
        const double held_ms = base::milliseconds(burst.held_ns());
        Json causes = Json::array();
        std::string text;
        for (const HeldFor& held : burst.held) {
            const double for_ms = base::milliseconds(held.ns);
            const std::string cause = text_of(held.cause);
            text += ", " + length_text(for_ms) + " held " + cause;
            causes.push_back({{"ms", for_ms}, {"times", held.times}, {"cause", cause}});
        }
        if (json_)
            return print(Json{{"at_s", static_cast<double>(burst.began_ns - began_ns_) / base::kSecond},
                              {"client", burst.queue.client},
                              {"ms", ms},
                              {"held_ms", held_ms},
                              {"held", causes}}
                             .dump() +
                         "\n");
        char at[32];
        snprintf(at, sizeof(at), "%8.3f s  ", static_cast<double>(burst.began_ns - began_ns_) / base::kSecond);
        print_text(at + names_[burst.queue.client] + ": a burst of " + length_text(ms) + text + "; " +
                   length_text(ms - held_ms) + rest_of(burst) + "\n");
    }

    ServerLink link_;
    SlowBursts bursts_;
    Names who_;
    bool json_;
    Json programs_ = {{"programs", Json::array()}};  // the server's latest answer about them
    uint64_t next_ = 0;
    int64_t began_ns_ = 0;
    uint64_t told_ = 0;
    std::set<uint32_t> watched_;
    std::map<uint32_t, std::string> names_;
    std::map<uint32_t, std::string> reasons_;
};

int explain_slow(const ExplainWords& words, bool json) {
    constexpr int64_t kLookEveryNs = 50 * base::kMillisecond;
    const int64_t until_ns = base::now_ns() + time_ns(words.time, "to follow a program for");
    SlowWatch watch(words, json);
    while (base::now_ns() < until_ns) {
        base::sleep_ns(std::min(kLookEveryNs, until_ns - base::now_ns()));
        watch.look();
    }
    if (watch.told() == 0 && !json)
        print_text("no burst that was followed took longer than " + words.slow + " in " + words.time +
                   " (bursts are followed while a program of another priority competes for a device, or the policy "
                   "gives turns)\n" +
                   watch.crowds());
    return 0;
}

}  // namespace

int explain(const ExplainWords& words, bool json) {
    return words.slow.empty() ? explain_now(words.who, json) : explain_slow(words, json);
}

}  // namespace xsched::cli
