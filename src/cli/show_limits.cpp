// The table of 'xcli status --limits'.
#include "cli/known_by.h"
#include "cli/server_link.h"
#include "cli/show.h"
#include "cli/size_text.h"
#include "config/limit_setting.h"
#include "console/table.h"

namespace xsched::cli {
namespace {

// Returns whether the value of the limit says that there is none.
bool is_none(const std::string& name, int64_t value) {
    for (const config::Limit limit : {config::Limit::kShare, config::Limit::kDeviceLimit, config::Limit::kMemoryLimit,
                                      config::Limit::kMemoryGuarantee})
        if (name == config::limit_info(limit).name) return value == config::limit_info(limit).trusted;
    return false;
}

// The output of 'xcli status --limits': the table, and a line for each limit that a person set.
struct Shown {
    // `whose`: empty for every ordinary user.
    void add(const std::string& whose, const Json& limit, const char* most_key, const char* set_key) {
        const std::string name = limit.value("name", "");
        const std::string unit = limit.value("unit", "");
        const bool is_size = unit == "bytes";
        const auto number = [&](const char* member) {
            const auto value = limit.value(member, int64_t{0});
            return is_size ? base::exact_size(value) : std::to_string(value);
        };
        table.add({whose.empty() ? "ordinary users" : whose, name, limit.contains("used") ? number("used") : "-",
                   is_none(name, limit.value(most_key, int64_t{0})) ? "none" : number(most_key), is_size ? "" : unit});
        const std::string setting = (whose.empty() ? "" : whose + ":") + name;
        if (!limit.contains(set_key)) return;
        set += "\n" +
               (may_set ? limit_sentence(setting, number(set_key))
                        : "limit " + setting + "=" + number(set_key) +
                              "; root, the server's own user or a member of the group xsched can take it back") +
               "\n";
    }

    bool may_set;  // whether the asking user may take limits back
    console::Table table{{"USER OR GROUP", "LIMIT", ">USED", ">MOST", "UNIT"}};
    std::string set;
};

// Returns what all ordinary users together may have, if the server's control group has limits.
std::string limits_by_group(const Json& answer) {
    const Json& group = answer.value("group", Json::object());
    if (group.empty()) return "";
    std::string has;
    if (group.contains("memory_bytes")) has = size_text(group["memory_bytes"].get<uint64_t>());
    if (group.contains("processes"))
        has += (has.empty() ? "" : " and ") + std::to_string(group["processes"].get<int64_t>()) + " processes";
    std::string together;
    for (const Json& limit : answer["limits"])
        if (limit.contains("together") && limit["name"] == "clients")
            together = std::to_string(limit["together"].get<int64_t>());
    std::string queues;
    if (group.contains("queues_of_a_program"))
        queues = " The first " + std::to_string(group["queues_of_a_program"].get<int64_t>()) +
                 " queues of a program are scheduled.";
    return "\nThe server's control group has " + has + ": all ordinary users together have " + together +
           " programs at most." + queues + "\n";
}

}  // namespace

std::string limit_sentence(const std::string& name, const std::string& value) {
    return "limit " + name + "=" + value + "; 'xcli limit " + name + "=" + config::kTakenBack + "' takes it back";
}

std::string group_waits(const std::string& path) {
    return "control group " + path + " is not there: what it is given waits for it";
}

int show_limits(bool json) {
    const Json answer = ServerLink().ask({{"cmd", "limits"}});
    if (json) {
        print(answer.dump(2) + "\n");
        return 0;
    }
    Shown shown{.may_set = answer.value("may_set", true)};
    for (const Json& limit : answer["limits"])
        if (limit.contains("set")) shown.add("", limit, "ordinary", "set");
    for (const Json& user : answer["users"]) {
        const std::string place = user.value("place", "");
        const std::string whose = place.empty() ? user_name(user.value("uid", uid_t{0})) : place;
        for (const Json& limit : user["limits"]) shown.add(whose, limit, "most", "set");
    }
    std::string waiting;
    for (const Json& group : answer.value("groups", Json::array())) {
        const std::string path = group.value("path", "");
        shown.may_set = true;  // the server tells of a group to those who may change what it is given
        for (const Json& limit : group["limits"]) shown.add(path, limit, "most", "most");
        if (group.value("waits", false)) waiting += "\n" + group_waits(path) + "\n";
    }
    print_text(shown.table.text() + shown.set + waiting + limits_by_group(answer));
    return 0;
}

}  // namespace xsched::cli
