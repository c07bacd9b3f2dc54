#include "cli/steer.h"

#include <pwd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <set>

#include "base/text.h"
#include "cli/explain/unknown_program.h"
#include "cli/hint_facts.h"
#include "cli/platforms.h"
#include "cli/server_link.h"
#include "cli/show.h"
#include "cli/size_text.h"
#include "config/group_setting.h"
#include "config/hint_text.h"
#include "config/ignored.h"
#include "config/limit_setting.h"
#include "config/policies.h"
#include "console/fold.h"
#include "console/table.h"
#include "host/process_checkpoint.h"

namespace xsched::cli {
namespace {

void add(Json& request, const char* member, const std::optional<int64_t>& value) {
    if (value) request[member] = *value;
}

// Reads a limit of users as it was typed. Throws Failure with a sentence that repeats it.
config::LimitSetting limit_of(const std::string& setting) {
    try {
        return config::read_limit(setting, true);
    } catch (const std::runtime_error& error) {
        throw Failure(error.what());
    }
}

// The outcome of one order that was sent to several targets, summed over them.
struct Done {
    uint64_t queues = 0;
    std::vector<std::string> names;
    std::vector<std::string> waiting;  // targets without queues, for which the order is kept
    Json answers = Json::array();
    std::vector<std::string> refused;
    int status = 0;
    bool by_driver = false;  // memory of one was moved by the driver's checkpoint
};

// Makes the driver's checkpoint that the server asks for, and tells the server.
Json let_driver_move(Json request, const Json& answer) {
    const auto pid = answer.value("pid", pid_t{0});
    const bool away = request.value("cmd", "") == "suspend";
    const std::string why = away ? host::checkpoint_process(pid) : host::restore_process(pid);
    if (!why.empty())
        throw Refusal(
            "the memory of process " + std::to_string(pid) + " can be moved by the driver's checkpoint alone: " + why,
            kRefused);
    request["checkpointed"] = true;
    Json done = ServerLink().ask(request);  // the other connection has waited for too long
    done["by"] = "checkpoint";
    return done;
}

// Asks for each target; if one is refused, the others are still asked.
Done ask_each(ServerLink& link, const Json& order, const std::vector<Json>& targets) {
    Done done;
    for (const Json& target : targets) {
        Json request = order;
        request.update(target);
        const std::string name = target.empty() ? "" : name_of(target);
        try {
            Json answer = link.ask(request);
            if (answer.value("by", "") == "checkpoint") answer = let_driver_move(request, answer);
            const uint64_t queues = answer.value("queues", uint64_t{0});
            done.queues += queues;
            // A program without queues is resumed at once, but suspended with its first queue.
            const bool is_later = answer.value("later", false) && !answer.contains("was_suspended");
            if (queues == 0 && is_later && !name.empty()) {
                const std::string why = why_kept(answer, target.value("pid", int64_t{0}));
                if (!why.empty())
                    throw Failure(why + "; the order is kept in case it connects to this server", kNobody);
                done.waiting.push_back(name);
            }
            done.by_driver |= answer.value("by", "") == "checkpoint";
            done.names.push_back(name);
            done.answers.push_back(std::move(answer));
        } catch (const Failure& failure) {
            if (targets.size() == 1 || failure.status() == kNoServer) throw;
            done.refused.push_back(name + ": " + failure.what());
            done.status = failure.status();
        }
    }
    return done;
}

std::string joined_names(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

// Prints consequences that a person might not notice to standard error, so that scripts read the same standard output.
void tell_aside(const Done& done) {
    for (const std::string& sentence : done.refused) console::print_error("xcli: %s\n", sentence.c_str());
    std::set<std::string> told;
    for (const Json& answer : done.answers)
        for (const std::string& sentence : hint_remarks(answer))
            if (told.insert(sentence).second) console::print_error("xcli: %s\n", sentence.c_str());
}

int tell(const Done& done, const std::string& sentence, bool json) {
    if (json)
        print((done.answers.size() == 1 ? done.answers[0] : Json{{"ok", done.status == 0}, {"answers", done.answers}})
                  .dump(2) +
              "\n");
    else if (!sentence.empty())
        print_text(sentence + "\n");
    if (!json && !done.waiting.empty())
        print_text("kept for the queues that " + joined_names(done.waiting) +
                   (done.waiting.size() == 1 ? " makes later\n" : " make later\n"));
    if (!json) tell_aside(done);
    return done.status;
}

// Sends one request without a target if none is given: a timeslice may be for all, otherwise the server says what is
// missing.
int change_queues(
    const Json& request, const Target& target, const std::string& verb, bool json,
    const std::function<void(const Done&)>& say_more = [](const Done&) {}) {
    ServerLink link;
    std::vector<Json> targets = requests_of(link, target);
    if (target.empty()) targets.push_back(Json::object());
    const Done done = ask_each(link, request, targets);
    const bool said_otherwise = done.queues == 0 && (!done.waiting.empty() || !done.refused.empty());
    const int status = tell(done, said_otherwise ? "" : verb + base::counted(done.queues, "queue"), json);
    if (!json) say_more(done);
    return status;
}

// Returns the option of a hint that the server's answers name.
std::string option_named(const std::string& request) {
    for (const base::HintInfo& hint : base::kHints)
        if (hint.request != nullptr && hint.request == request && hint.words != nullptr)
            return config::option_word(hint);
    return request;
}

std::string title_of(const std::string& platform) {
    for (const PlatformInfo& known : kPlatforms)
        if (platform == known.name) return known.title;
    return platform;
}

}  // namespace

std::string ceiling_sentence(int64_t highest) {
    return "a limit leaves priority " + std::to_string(highest) + " of that: 'xcli status --limits' shows it";
}

std::string unused_sentence(const std::string& policy, const Json& unused) {
    std::string readers;
    for (const Json& reader : unused.value("used_by", Json::array()))
        readers += (readers.empty() ? "" : ", ") + reader.get<std::string>();
    const std::string hint = unused.value("hint", "");
    const bool is_background = hint == base::hint_info(base::HintId::background).request;
    return (is_background ? no_less_urgent(policy)
                          : "policy " + policy + " does not use " + hint + " to decide who runs") +
           (readers.empty() ? "" : "; " + readers + (readers.find(',') == std::string::npos ? " does" : " do"));
}

std::vector<std::string> hint_remarks(const Json& answer) {
    std::vector<std::string> remarks;
    if (const auto highest = answer.find("highest_priority"); highest != answer.end())
        remarks.push_back(ceiling_sentence(highest->get<int64_t>()));
    for (const Json& unused : answer.value("unused", Json::array()))
        remarks.push_back(unused_sentence(
            answer.value("policy", ""),
            {{"hint", option_named(unused.value("hint", ""))}, {"used_by", unused.value("used_by", Json::array())}}));
    for (const Json& hint : answer.value("together", Json::array()))
        remarks.push_back(option_named(hint.get<std::string>()) +
                          " has no effect: what the program's user or control group has together counts ('xcli status "
                          "--limits' shows it)");
    for (const Json& sentence : answer.value("contradictions", Json::array())) remarks.push_back(sentence);
    for (const Json& one : answer.value("no_memory", Json::array()))
        remarks.push_back(option_named(one.value("hint", "")) + " has no effect with " +
                          title_of(one.value("platform", "")) +
                          ": the program's memory stays on the device and is not counted");
    return remarks;
}

Json ask_policies() {
    try {
        return ServerLink().ask({{"cmd", "policy"}});
    } catch (const NoServer&) {
        Json known = Json::array();
        for (const auto& [name, summary] : config::policies()) known.push_back({{"name", name}, {"summary", summary}});
        return {{"ok", true}, {"policies", known}};
    }
}

int steer_policy(const PolicyWords& words, bool json) {
    if (!words.name.empty() && !words.set)
        throw Failure("-n " + words.name + " changes nothing: 'xcli policy " + words.name +
                      "' changes to that one, 'xcli policy -n' lists them all");
    const std::string name = words.set_name.empty() ? words.name : words.set_name;
    if (words.query && !name.empty())
        throw Failure("-q shows the policy: 'xcli policy " + name + "' changes to that one");
    if (words.set && name.empty()) throw Failure("say which policy: xcli policy NAME ('xcli policy -n' lists them)");
    Json request{{"cmd", "policy"}};
    if (!name.empty()) request["name"] = name;
    const Json answer = words.list && name.empty() ? ask_policies() : ServerLink().ask(request);
    if (json) {
        print(answer.dump(2) + "\n");
    } else if (words.list) {
        console::Table table({"POLICY", "WHAT IT DOES"});
        for (const Json& policy : answer["policies"])
            table.add({policy.value("name", ""), policy.value("summary", "")});
        print_text(table.text());
    } else {
        print("policy " + answer.value("policy", "") + "\n");
    }
    return 0;
}

int steer_hint(const Target& target, const HintWords& words, bool json) {
    Json request{{"cmd", "hint"}};
    for (const base::HintInfo& hint : base::kHints)
        if (hint.request != nullptr) add(request, hint.request, words.of(hint));
    for (const std::string& remark : words.remarks)
        if (!json) console::print_error("xcli: %s\n", remark.c_str());
    return change_queues(request, target, "hinted ", json, [&words](const Done& done) {
        const auto moves_none = [](const Json& answer) { return answer.contains("no_memory"); };
        if (words.of(base::hint_info(base::HintId::evictable)).value_or(0) != 0 &&
            !std::all_of(done.answers.begin(), done.answers.end(), moves_none))
            console::print_error(
                "xcli: what the program allocates from now on can be moved; what it has already stays\n");
    });
}

int steer_config(const Target& target, const ConfigWords& words, bool json) {
    Json request{{"cmd", "config"}};
    add(request, "level", words.level);
    add(request, "threshold", words.threshold);
    add(request, "batch_size", words.batch_size);
    return change_queues(request, target, "configured ", json);
}

// Says that the policy in force does not read a share that a user or group was given. Empty: it does.
std::string unread_share(const std::string& value) {
    int64_t number = 0;
    if (!config::read_number(value, &number)) return "";
    const base::HintInfo& share = base::hint_info(base::HintId::share);
    const std::string policy = ServerLink().ask({{"cmd", "policy"}}).value("policy", "");
    const auto used_by = config::unused_under(policy, share, number);
    return used_by ? unused_sentence(policy, {{"hint", share.request}, {"used_by", *used_by}}) : "";
}

int steer_limit(const std::string& setting, bool json) {
    const size_t equals = setting.rfind('=');
    const std::string name = setting.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : setting.substr(equals + 1);
    Json request{{"cmd", "limit"}, {"set", setting}};
    std::vector<std::string> remarks;
    if (!config::is_about_group(setting)) {
        // A user's name is looked up here and not by the server, since a directory service may be slow.
        const config::LimitSetting read = limit_of(setting);
        if (read.user) request["set"] = std::to_string(*read.user) + setting.substr(setting.find(':'));
        if (read.user && getpwuid(*read.user) == nullptr)
            remarks.push_back("this machine knows no user " + std::to_string(*read.user) +
                              ": the limit counts for programs of that number");
    }
    if (name.ends_with("memory-limit") || name.ends_with("memory-guarantee"))
        if (const std::string remark = config::few_bytes(name + "=", value); !remark.empty()) remarks.push_back(remark);
    Json answer = ServerLink().ask(request);
    if (json) {
        print(answer.dump(2) + "\n");
        return 0;
    }
    const bool taken_back = value == config::kTakenBack;
    if (name == "share" || name.ends_with(":share"))
        if (const std::string remark = unread_share(value); !remark.empty()) remarks.push_back(remark);
    if (answer.value("waits", false)) remarks.push_back(group_waits(name.substr(0, name.rfind(':'))));
    if (name.ends_with("memory-limit") || name.ends_with("memory-guarantee"))
        if (int64_t bytes = 0; answer.contains("value") && config::read_number(answer.value("value", ""), &bytes))
            answer["value"] = size_text(static_cast<uint64_t>(bytes));
    const std::string again =
        answer.contains("value") ? ": " + answer.value("value", "") + " again, as configured" : "";
    print_text(taken_back ? "limit " + name + " taken back" + again + "\n" : limit_sentence(name, value) + "\n");
    for (const std::string& remark : remarks) console::print_error("xcli: %s\n", remark.c_str());
    return 0;
}

int steer_suspension(const Target& target, const Suspension& what, bool json) {
    ServerLink link;
    std::vector<Json> targets = requests_of(link, target);
    if (target.empty()) targets.push_back(Json::object());
    Json order{{"cmd", what.suspend ? "suspend" : "resume"}};
    if (what.memory) order["memory"] = true;
    order["driver"] = true;  // this tool can let the driver move memory
    const Done done = ask_each(link, order, targets);
    std::vector<std::string> reached;  // a program without queues is not suspended yet
    std::vector<std::string> ran;      // programs to be resumed that were not suspended
    for (size_t i = 0; i < done.names.size(); ++i) {
        const std::string& name = done.names[i];
        if (std::find(done.waiting.begin(), done.waiting.end(), name) != done.waiting.end()) continue;
        (done.answers[i].value("was_suspended", true) ? reached : ran).push_back(name);
    }
    std::string sentence = reached.empty() ? "" : (what.suspend ? "suspended " : "resumed ") + joined_names(reached);
    if (!ran.empty())
        sentence += (sentence.empty() ? "" : "; ") + joined_names(ran) +
                    (ran.size() == 1 ? " was not suspended" : " were not suspended");
    if (!sentence.empty() && done.by_driver) sentence += "; memory moved by the driver's checkpoint";
    return tell(done, sentence, json);
}

int steer_log(const std::string& level, bool json) {
    Json request{{"cmd", "log"}};
    if (!level.empty()) request["level"] = level;
    const Json answer = ServerLink().ask(request);
    print(json ? answer.dump(2) + "\n" : "log level " + answer.value("level", "") + "\n");
    return 0;
}

}  // namespace xsched::cli
