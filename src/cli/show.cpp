#include "cli/show.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "base/text.h"
#include "cli/colours.h"
#include "cli/devices/unscheduled.h"
#include "cli/explain/unknown_program.h"
#include "cli/explain/urgency.h"
#include "cli/fields.h"
#include "cli/fit.h"
#include "cli/hint_facts.h"
#include "cli/known_by.h"
#include "cli/other_servers.h"
#include "cli/program_facts.h"
#include "cli/size_text.h"
#include "console/columns.h"
#include "console/fold.h"
#include "console/table.h"

namespace xsched::cli {
namespace {

// Returns a count with its noun: "1 queue", "2 queues".
std::string count(const Json& object, const char* member, const char* what) {
    return base::counted(object.value(member, uint64_t{0}), what);
}

std::string whole(double number) { return std::to_string(std::llround(number)); }

// Returns the table as text, its rows coloured for a terminal.
std::string table_text(const console::Table& table) {
    std::string text;
    for (const auto& [line, mark] : table.lines()) text += in_colour(line, static_cast<Colour>(mark)) + "\n";
    return text;
}

std::string text_or_none(int64_t number) { return number != 0 ? std::to_string(number) : "-"; }

std::string or_none(const Json& queue, const char* member) { return text_or_none(queue.value(member, int64_t{0})); }

// Returns the part of the device that a program or its user gets at most; "-": all.
std::string limit_of(const Json& given) {
    const auto limit = given.value("limit", int64_t{0});
    return limit < 100 ? text_or_none(limit) : "-";
}

// Returns the percentages of its device that the queue's program got, as "PERCENT/PERCENT/PERCENT".
std::string got_of(const Json& queue) {
    std::string text;
    for (const Json& percent : queue.value("got_percent", Json::array())) {
        char number[16] = "-";
        if (percent.is_number()) snprintf(number, sizeof(number), "%.0f", percent.get<double>());
        text += (text.empty() ? "" : "/") + std::string(number);
    }
    return text;
}

// Returns a line about queues whose use of their devices is not known yet; empty if there is none.
std::string unmeasured_text(const Json& answer) {
    const auto is_unmeasured = [](const Json& queue) {
        const Json got = queue.value("got_percent", Json::array());
        return !got.empty() && got[0].is_null();
    };
    const Json& queues = answer["queues"];
    return std::any_of(queues.begin(), queues.end(), is_unmeasured)
               ? "GOT is measured since this question: ask again in a second\n"
               : "";
}

std::string less_of(const Json& queue) {
    const std::string why = queue.value("why_less", "");
    return why.empty() ? "" : "; less than its share: " + why;
}

std::string fitting(const std::string& text, size_t columns) {
    return console::columns_of(text) <= columns ? text : cut(text, columns - 1) + "~";
}

// "0 NVIDIA H100"
std::string device_of(const Json& queue) {
    const std::string name = queue.value("device_name", "");
    const std::string shown = name.empty() ? queue.value("device", "") : name;
    return queue["device_index"].is_number() ? queue["device_index"].dump() + " " + shown : shown;
}

std::string queue_of(const Json& queue) {
    return std::to_string(queue.value("pid", int64_t{0})) + "." + std::to_string(queue.value("queue", int64_t{0}));
}

// Returns the priority that counts: a limit may leave less than the program asks for.
std::string priority_of(const Json& queue) { return std::to_string(counted_priority(queue)); }

std::string size_in(const Json& queue, const char* member) { return short_size(queue.value(member, uint64_t{0})); }

std::string length_in(const Json& queue, const char* member) {
    const double ms = queue.value(member, 0.0);
    return ms > 0 ? length_text(ms) : "-";
}

// Returns the memory of the queue's program: "12G", or "4.0G+8.0G" if some is on the host.
std::string memory_of(const Json& queue) {
    const bool away = queue.value("memory_on_host", uint64_t{0}) > 0;
    return size_in(queue, "memory_on_card") + (away ? "+" + size_in(queue, "memory_on_host") : "");
}

// Returns a table in which names of programs have at most so many columns.
console::Table table_with_names(const Json& answer, size_t columns) {
    console::Table table({heading_of("queue"), heading_of("program"), heading_of("device_name"), heading_of("priority"),
                          heading_of("level"), heading_of("state"), heading_of("share"), heading_of("got_percent"),
                          heading_of("completed"), heading_of("memory_on_card")});
    const std::string policy = answer.value("policy", "");
    for (const Json& queue : answer["queues"]) {
        const auto count = [&queue](const char* member) { return std::to_string(queue.value(member, int64_t{0})); };
        const std::string state = queue.value("state", "");
        const Json got = queue.value("got_percent", Json::array());
        const bool measured = !got.empty() && got[0].is_number();
        table.add({queue_of(queue), fitting(short_name(queue.value("program", ""), columns), columns),
                   fitting(device_of(queue), 10), priority_of(queue), count("level"), state,
                   text_or_none(wanted_percent(queue, policy)), measured ? whole(got[0].get<double>()) : "-",
                   count("completed"), memory_of(queue)},
                  colour_of_state(state) == Colour::kHeld ? static_cast<int>(Colour::kHeld) : 0);
    }
    return table;
}

// Returns a table of at most 80 columns, unless a number is unusually long. Names get the columns that are left.
std::string narrow_table(const Json& answer) {
    constexpr size_t kColumns = 80, kOfName = 10;
    const console::Table least = table_with_names(answer, kOfName);
    size_t taken = 0;
    for (const auto& line : least.lines()) taken = std::max(taken, console::columns_of(line.text));
    return table_text(taken < kColumns ? table_with_names(answer, kOfName + kColumns - taken) : least);
}

std::string count_in(const Json& queue, const char* member) { return std::to_string(queue.value(member, int64_t{0})); }
std::string ms_in(const Json& queue, const char* member) { return whole(queue.value(member, 0.0)); }
std::string word_in(const Json& queue, const char* member) { return queue.value(member, ""); }

// Returns the hints that have no column of their own.
std::string other_hints_of(const Json& queue) {
    const std::string text =
        hints_text(queue, {"share", "limit", "gang", "period_us", "deadline_us", "memory_limit", "memory_guarantee"});
    const std::string ignored = ignored_text(queue, queue.value("policy", ""));
    return text.empty() && ignored.empty() ? "-" : text + (text.empty() || ignored.empty() ? "" : "; ") + ignored;
}

std::string reason_of(const Json& queue) {
    const int64_t by = queue.value("by_pid", int64_t{0});
    const std::string pauses = word_in(queue, "level_pauses");
    return word_in(queue, "reason") + (by != 0 ? " (pid " + std::to_string(by) + ")" : "") + less_of(queue) +
           (pauses.empty() ? "" : "; " + pauses);
}

// A column of the wide table: a member in the format of `show`; or only `show` under its own heading.
struct Column {
    const char* member;
    std::string (*by_member)(const Json& queue, const char* member) = nullptr;
    std::string (*show)(const Json& queue) = nullptr;
    const char* heading = nullptr;
};
constexpr Column kWide[] = {
    {.member = "queue", .show = queue_of},
    {.member = "uid", .show = [](const Json& queue) { return user_name(queue.value("uid", 0U)); }, .heading = "USER"},
    {.member = "cgroup",
     .show =
         [](const Json& queue) {
             const std::string place = place_of(queue.value("cgroup", ""));
             return place.empty() ? "-" : place;
         },
     .heading = "PLACE"},
    {.member = "program", .by_member = word_in},
    {.member = "device_name", .show = device_of},
    {.member = "platform", .by_member = word_in},
    {.member = "priority", .show = priority_of},
    {.member = "level", .by_member = count_in},
    {.member = "state", .by_member = word_in},
    {.member = "pending", .by_member = count_in},
    {.member = "in_flight", .by_member = count_in},
    {.member = "completed", .by_member = count_in},
    {.member = "share", .show = [](const Json& queue) { return or_none(share_that_counts(queue), "share"); }},
    {.member = "limit", .show = [](const Json& queue) { return limit_of(share_that_counts(queue)); }},
    {.member = "got_percent", .show = got_of, .heading = ">GOT 1/10/60 S"},
    {.member = "gang",
     .show = [](const Json& queue) { return word_in(queue, "gang").empty() ? "-" : word_in(queue, "gang"); },
     .heading = "GANG"},
    {.member = "period_us", .by_member = or_none},
    {.member = "deadline_us", .by_member = or_none},
    {.member = "hints_in_force", .show = other_hints_of},
    {.member = "memory_on_card", .by_member = size_in},
    {.member = "memory_on_host", .by_member = size_in},
    {.member = "memory_limit", .by_member = size_in},
    {.member = "memory_guarantee", .by_member = size_in},
    {.member = "memory_swaps", .by_member = or_none},
    {.member = "memory_waited_ms", .by_member = length_in},
    {.member = "running_ms", .by_member = ms_in},
    {.member = "held_ms", .by_member = ms_in},
    {.member = "idle_ms", .by_member = ms_in},
    {.member = "preemptions", .by_member = count_in},
    {.member = "mechanism", .by_member = word_in},
    {.member = "reason", .show = reason_of},
    {.member = "pid",
     .show = [](const Json& queue) { return command_line_of(queue.value("pid", int64_t{0})); },
     .heading = "COMMAND"},
};

std::string queue_table(const Json& answer) {
    std::vector<std::string> headings;
    for (const Column& column : kWide)
        headings.push_back(column.heading != nullptr ? column.heading : heading_of(column.member));
    console::Table table(headings);
    for (Json queue : answer["queues"]) {
        queue["policy"] = answer.value("policy", "");
        std::vector<std::string> cells;
        for (const Column& column : kWide)
            cells.push_back(column.show != nullptr ? column.show(queue) : column.by_member(queue, column.member));
        table.add(cells);
    }
    return table_text(table);
}

// "gang train; utilization 25 %; "
std::string asked_by(const Json& process) {
    std::string text;
    for (const Json& gang : process.value("gangs", Json::array())) text += "gang " + gang.get<std::string>() + "; ";
    const std::string hints = hints_text(process, {"gang"});
    return text + hints + (hints.empty() ? "" : "; ");
}

// Returns the costs that the scheduler assumes; empty if the process cannot be taken off its device.
std::string costs_text(const Json& costs) {
    if (!costs.is_object()) return "";
    const auto ms = [&](const char* name) { return length_text(costs.value(name, 0.0) / 1e3); };
    return "    level 3: off its device within " + ms("off_us") + "; both calls take " + ms("calls_us") +
           (costs.value("switch_us", 0.0) > 0 ? ", a switch of the hardware " + ms("switch_us") : "") + "\n";
}

std::string status_text(const Json& answer) {
    std::string text = "policy " + answer.value("policy", "") + "\n";
    for (const Json& process : answer["processes"]) {
        const std::string state = process.value("state", "");
        text += "pid " + std::to_string(process.value("pid", int64_t{0})) + " (" + process.value("program", "") + ") " +
                in_colour(state, colour_of_state(state)) + "; " + asked_by(process) +
                count(process, "queues", "queue") + ", " + count(process, "completed", "command") +
                " completed; preempted " + count(process, "preemptions", "time") + ", delayed by " +
                length_text(process.value("delayed_ms", 0.0)) + " in all; delayed others by " +
                length_text(process.value("caused_ms", 0.0)) + "\n";
        for (const Json& explanation : process["explanations"]) text += "    " + explanation.get<std::string>() + "\n";
        if (const std::string ignored = ignored_text(process, answer.value("policy", "")); !ignored.empty())
            text += "    " + ignored + "\n";
        text += costs_text(process.value("costs", Json()));
    }
    for (const Json& program : answer.value("not_connected", Json::array()))
        text += unconnected_text(program, ", which 'xcli run' started, has used no device under XSched so far") + "\n";
    for (const Json& path : answer.value("other_servers", Json::array()))
        text += "another server of this user answers at " + path.get<std::string>() +
                ", and schedules programs that are not shown here: see 'xcli doctor'\n";
    for (const char* sentences : {"crowded_devices", "shared_devices", "blind_spots"})
        for (const Json& one : answer.value(sentences, Json::array())) text += one.get<std::string>() + "\n";
    if (answer["processes"].empty()) text += "no process is scheduled: start one with 'xcli run -- PROGRAM'\n";
    return text;
}

void add_once(Json& sentences, const Json& more) {
    for (const Json& one : more)
        if (std::find(sentences.begin(), sentences.end(), one) == sentences.end()) sentences.push_back(one);
}

// Returns a line for each device, and one for all programs, that this list lacks.
std::string unscheduled_text(const std::vector<DeviceUser>& programs) {
    std::string text;
    for (const std::string& sentence : unscheduled_devices(Machine(""))) text += sentence + "\n";
    const std::string sentence = unscheduled_programs(programs);
    return sentence.empty() ? text : text + sentence + "\n";
}

}  // namespace

void print(const std::string& text) {
    const bool written = fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (fflush(stdout) != 0 || !written)
        throw Failure(std::string("standard output cannot be written: ") + strerror(errno), kNotWritten);
}

void print_text(const std::string& text) { print(console::folded(text, console::text_width())); }

int show_list(bool wide, bool json) {
    ServerLink link;
    Json answer = ask_all(link, {{"cmd", "list"}}, "queues");
    const std::vector<DeviceUser> others = unscheduled_device_users();
    if (json) {
        answer["not_scheduled"] = Json::array();
        for (const DeviceUser& one : others)
            answer["not_scheduled"].push_back({{"pid", one.pid}, {"program", one.program}, {"file", one.file}});
        print(answer.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
        return 0;
    }
    if (answer["queues"].empty())
        print_text("no queue is scheduled: start a program with 'xcli run -- PROGRAM'\n");
    else
        wide ? print(queue_table(answer)) : print_text(narrow_table(answer));
    print(unmeasured_text(answer));
    print_text(unscheduled_text(others));
    return 0;
}

namespace {

// Asks for the status of a process. If the server schedules no such process, says why, as xcli explain does.
Json status_of(ServerLink& link, const Json& request) {
    try {
        return ask_all(link, request, "processes");
    } catch (const Refusal& refusal) {
        if (refusal.status() != kNobody || !request.contains("pid") || request.contains("queue")) throw;
        const Json all = ask_all(link, {{"cmd", "status"}}, "processes");
        throw Failure(why_unknown(all, std::to_string(request["pid"].get<int64_t>())), kNobody);
    }
}

}  // namespace

int show_status(const Target& target, bool json) {
    ServerLink link;
    Json answer;
    for (const Json& wanted : requests_of(link, target)) {
        Json request{{"cmd", "status"}};
        request.update(wanted);
        Json one = status_of(link, request);
        if (answer.is_null()) {
            answer = std::move(one);
            continue;
        }
        for (Json& process : one["processes"]) answer["processes"].push_back(std::move(process));
        for (const char* sentences : {"crowded_devices", "shared_devices"}) add_once(answer[sentences], one[sentences]);
    }
    if (target.empty()) answer = ask_all(link, {{"cmd", "status"}}, "processes");
    answer["other_servers"] = Json::array();
    for (const OtherServer& server : other_servers(link.path()))
        if (server.owner == ServerOwner::kThisUser) answer["other_servers"].push_back(server.path);
    json ? print(answer.dump(2) + "\n") : print_text(status_text(answer));
    return 0;
}

}  // namespace xsched::cli
