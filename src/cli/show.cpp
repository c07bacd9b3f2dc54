#include "cli/show.h"

#include <cstdio>

#include "base/options.h"
#include "base/text.h"
#include "cli/fit.h"
#include "cli/other_servers.h"
#include "console/table.h"

namespace xsched::cli {
namespace {

std::string fixed(double number) {
    char text[32];
    snprintf(text, sizeof(text), "%.1f", number);
    return text;
}

// "1 queue", "2 queues"
std::string count(const Json& object, const char* member, const std::string& what) {
    const uint64_t number = object.value(member, uint64_t{0});
    return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

// "30", "30 to 50" with a limit, "-": nothing is asked for.
std::string share_of(const Json& program) {
    // A control group's share is all its programs'.
    const Json& queue = program.contains("group_gets") ? program["group_gets"] : program;
    const int64_t share = queue.value("share", int64_t{0});
    const int64_t limit = queue.value("limit", int64_t{0});
    if (share == 0 && limit == 0) return "-";
    return std::to_string(share) + (limit != 0 ? " to " + std::to_string(limit) : "");
}

// What its program had of its device, in percent.
std::string got_of(const Json& queue) {
    std::string text;
    for (const Json& percent : queue.value("got_percent", Json::array())) {
        char number[16] = "-";
        if (percent.is_number()) snprintf(number, sizeof(number), "%.0f", percent.get<double>());
        text += (text.empty() ? "" : "/") + std::string(number);
    }
    return text;
}

std::string less_of(const Json& queue) {
    const std::string why = queue.value("why_less", "");
    return why.empty() ? "" : "; less than its share: " + why;
}

std::string fitting(const std::string& text, size_t columns) {
    return text.size() <= columns ? text : cut(text, columns - 1) + "~";
}

// "held": it is suspended and has work.
std::string queue_state(const Json& queue) {
    if (!queue.value("suspended", false)) return queue.value("state", "");
    return queue.value("state", "") == "ready" ? "held" : "idle";
}

// At most 80 columns, unless a number is longer than it ever should be.
std::string narrow_table(const Json& answer) {
    console::Table table({">PID", "PROGRAM", "QUEUE", "DEVICE", ">PRIO", ">LV", "STATE", ">IN FLIGHT", ">COMPLETED"});
    for (const Json& queue : answer["queues"]) {
        const auto count = [&queue](const char* member) { return std::to_string(queue.value(member, int64_t{0})); };
        table.add({count("pid"), fitting(queue.value("program", ""), 10),
                   base::hexadecimal(queue.value("queue", uint64_t{0})), fitting(queue.value("device", ""), 12),
                   count("priority"), count("level"), queue_state(queue), count("in_flight"), count("completed")});
    }
    return table.text();
}

std::string queue_table(const Json& answer) {
    console::Table table({">PID", "PROGRAM", "QUEUE", "DEVICE", ">PRIO", "GANG", ">LEVEL", "STATE", ">PENDING",
                          ">IN FLIGHT", ">COMPLETED", ">SHARE", ">GOT 1/10/60 S", "SUSPENDED", "WHY"});
    for (const Json& queue : answer["queues"]) {
        const auto count = [&queue](const char* member) { return std::to_string(queue.value(member, int64_t{0})); };
        const int64_t by = queue.value("by_pid", int64_t{0});
        table.add({count("pid"), queue.value("program", ""), base::hexadecimal(queue.value("queue", uint64_t{0})),
                   queue.value("device", ""), count("priority"), queue.value("gang", ""), count("level"),
                   queue.value("state", ""), count("pending"), count("in_flight"), count("completed"), share_of(queue),
                   got_of(queue), queue.value("suspended", false) ? "yes" : "no",
                   queue.value("reason", "") + (by != 0 ? " (pid " + std::to_string(by) + ")" : "") + less_of(queue)});
    }
    return table.text();
}

// "gang train; "
std::string gangs_of(const Json& process) {
    std::string text;
    for (const Json& gang : process.value("gangs", Json::array())) text += "gang " + gang.get<std::string>() + "; ";
    return text;
}

std::string status_text(const Json& answer) {
    std::string text = "policy " + answer.value("policy", "") + "\n";
    for (const Json& process : answer["processes"]) {
        text += "pid " + std::to_string(process.value("pid", int64_t{0})) + " (" + process.value("program", "") + ") " +
                process.value("state", "") + "; " + gangs_of(process) + count(process, "queues", "queue") + ", " +
                count(process, "completed", "command") + " completed; preempted " +
                count(process, "preemptions", "time") + ", delayed by " + fixed(process.value("delayed_ms", 0.0)) +
                " ms in all; delayed others by " + fixed(process.value("caused_ms", 0.0)) + " ms\n";
        for (const Json& explanation : process["explanations"]) text += "    " + explanation.get<std::string>() + "\n";
    }
    for (const Json& path : answer.value("other_servers", Json::array()))
        text += "another server of this user answers at " + path.get<std::string>() +
                ", and schedules programs that are not shown here: see 'xcli doctor'\n";
    if (answer["processes"].empty()) text += "no process is scheduled: start one with 'xcli run -- PROGRAM'\n";
    return text;
}

}  // namespace

void print(const std::string& text) {
    fwrite(text.data(), 1, text.size(), stdout);
    fflush(stdout);
}

Json ask_all(ServerLink& link, Json request, const char* member) {
    Json whole = link.ask(request);
    for (Json page = whole; page.contains("next");) {
        request["cursor"] = page["next"];
        page = link.ask(request);
        for (Json& entry : page[member]) whole[member].push_back(std::move(entry));
    }
    whole.erase("next");
    return whole;
}

int show_list(bool wide, bool json) {
    ServerLink link;
    const Json answer = ask_all(link, {{"cmd", "list"}}, "queues");
    print(json ? answer.dump(2) + "\n" : wide ? queue_table(answer) : narrow_table(answer));
    return 0;
}

int show_status(std::optional<int64_t> pid, bool json) {
    Json request{{"cmd", "status"}};
    if (pid) request["pid"] = *pid;
    ServerLink link;
    Json answer = ask_all(link, request, "processes");
    answer["other_servers"] = Json::array();
    for (const OtherServer& server : other_servers(link.path()))
        if (server.owner == ServerOwner::kThisUser) answer["other_servers"].push_back(server.path);
    print(json ? answer.dump(2) + "\n" : status_text(answer));
    return 0;
}

int show_limits(bool json) {
    const Json answer = ServerLink().ask({{"cmd", "limits"}});
    if (json) {
        print(answer.dump(2) + "\n");
        return 0;
    }
    console::Table table({">UID", "LIMIT", ">USED", ">MOST", "UNIT"});
    for (const Json& user : answer["users"])
        for (const Json& limit : user["limits"]) {
            const std::string used = limit.contains("used") ? std::to_string(limit.value("used", int64_t{0})) : "-";
            table.add({std::to_string(user.value("uid", int64_t{0})), limit.value("name", ""), used,
                       std::to_string(limit.value("most", int64_t{0})), limit.value("unit", "")});
        }
    print(table.text());
    return 0;
}

int show_server(bool json) {
    const Json answer = ServerLink().ask({{"cmd", "server"}});
    if (json) {
        print(answer.dump(2) + "\n");
        return 0;
    }
    console::Table table({"WHAT", "VALUE"});
    for (const auto& [name, value] : answer.items())
        if (name != "ok") table.add({name, value.is_string() ? value.get<std::string>() : value.dump()});
    print(table.text());
    return 0;
}

int show_options(bool json) {
    console::Table table({"VARIABLE", "DEFAULT", "MEANING"});
    Json list = Json::array();
    for (const base::OptionInfo* info = base::option_infos(); info->variable != nullptr; ++info) {
        table.add({info->variable, *info->fallback != '\0' ? info->fallback : "-", info->help});
        list.push_back({{"variable", info->variable}, {"default", info->fallback}, {"help", info->help}});
    }
    print(json ? Json{{"ok", true}, {"options", list}}.dump(2) + "\n" : table.text());
    return 0;
}

}  // namespace xsched::cli
