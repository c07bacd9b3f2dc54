#include "cli/steer.h"

#include <pwd.h>

#include <cerrno>
#include <cstdlib>

#include "cli/server_link.h"
#include "cli/show.h"
#include "console/table.h"

namespace xsched::cli {
namespace {

uint64_t read_handle(const std::string& text) {
    char* end = nullptr;
    errno = 0;
    const unsigned long long number = strtoull(text.c_str(), &end, 0);
    if (errno != 0 || end == text.c_str() || *end != '\0' || text.front() == '-')
        throw Failure("\"" + text + "\" is not a queue's handle: use one that 'xcli list' shows, such as 0x1f");
    return number;
}

void add_target(Json& request, const Target& target) {
    if (!target.queue.empty()) request["queue"] = read_handle(target.queue);
    if (target.pid) request["pid"] = *target.pid;
}

void add(Json& request, const char* member, const std::optional<int64_t>& value) {
    if (value) request[member] = *value;
}

int ask_and_print(const Json& request, const std::string& done, bool json) {
    const Json answer = ServerLink().ask(request);
    print(json ? answer.dump(2) + "\n" : done);
    return 0;
}

}  // namespace

int steer_policy(const PolicyWords& words, bool json) {
    const std::string name = words.set_name.empty() ? words.name : words.set_name;
    if (words.set && name.empty()) throw Failure("say which policy: xcli policy -s NAME ('xcli policy -n' lists them)");
    if (!words.set && !name.empty()) throw Failure("to change the policy say -s: xcli policy -s " + name);
    Json request{{"cmd", "policy"}};
    if (words.set) request["name"] = name;
    const Json answer = ServerLink().ask(request);
    if (json) {
        print(answer.dump(2) + "\n");
    } else if (words.list) {
        console::Table table({"POLICY", "WHAT IT DOES"});
        for (const Json& policy : answer["policies"])
            table.add({policy.value("name", ""), policy.value("summary", "")});
        print(table.text());
    } else {
        print("policy " + answer.value("policy", "") + "\n");
    }
    return 0;
}

int steer_hint(const Target& target, const HintWords& words, bool json) {
    Json request{{"cmd", "hint"}};
    add_target(request, target);
    for (const base::HintInfo& hint : base::kHints)
        if (hint.request != nullptr) add(request, hint.request, words.of(hint));
    const Json answer = ServerLink().ask(request);
    const int64_t queues = answer.value("queues", int64_t{0});
    print(json ? answer.dump(2) + "\n" : "hinted " + std::to_string(queues) + (queues == 1 ? " queue\n" : " queues\n"));
    return 0;
}

int steer_config(const Target& target, const ConfigWords& words, bool json) {
    Json request{{"cmd", "config"}};
    add_target(request, target);
    add(request, "level", words.level);
    add(request, "threshold", words.threshold);
    add(request, "batch_size", words.batch_size);
    return ask_and_print(request, "configured queue " + target.queue + "\n", json);
}

int steer_limit(const std::string& setting, bool json) {
    Json request{{"cmd", "limit"}};
    const size_t colon = setting.find(':');
    // A user's name is looked up here: where names come from may take its time.
    const passwd* user = colon == std::string::npos ? nullptr : getpwnam(setting.substr(0, colon).c_str());
    request["set"] = user != nullptr ? std::to_string(user->pw_uid) + setting.substr(colon) : setting;
    return ask_and_print(request, "limit " + setting + "\n", json);
}

int steer_suspension(const Target& target, bool suspend, bool json) {
    Json request{{"cmd", suspend ? "suspend" : "resume"}};
    add_target(request, target);
    const std::string what =
        target.queue.empty() ? "pid " + std::to_string(target.pid.value_or(0)) : "queue " + target.queue;
    return ask_and_print(request, (suspend ? "suspended " : "resumed ") + what + "\n", json);
}

}  // namespace xsched::cli
