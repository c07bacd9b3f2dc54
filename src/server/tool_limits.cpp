// The commands about limits: how much each user has of what, and how much he may have.
#include "base/clock.h"
#include "base/log.h"
#include "server/tool_commands.h"

namespace xsched::server {
namespace {

bool may_set(const Request& request) { return request.asking.peer.trusted; }

Json describe_user(const User& user) {
    Json limits = Json::array();
    for (size_t i = 0; i < kLimits; ++i) {
        const auto limit = static_cast<Limit>(i);
        const LimitInfo& info = limit_info(limit);
        Json entry{{"name", info.name}, {"unit", info.unit}, {"most", user.most(limit)}};
        const bool counted = limit != Limit::kHighestPriority && limit != Limit::kShare && limit != Limit::kDeviceLimit;
        if (counted) entry["used"] = user.used(limit);
        limits.push_back(entry);
    }
    return {{"uid", user.uid()}, {"trusted", user.trusted()}, {"limits", limits}};
}

}  // namespace

// Of the asking user; those who may change them see all.
Json show_limits(const Request& request) {
    Json known = Json::array();
    for (size_t i = 0; i < kLimits; ++i) {
        const LimitInfo& info = limit_info(static_cast<Limit>(i));
        known.push_back({{"name", info.name},
                         {"unit", info.unit},
                         {"ordinary", info.ordinary},
                         {"trusted", info.trusted},
                         {"help", info.help}});
    }
    Json users = Json::array();
    for (const User* user : request.host.users.all())
        if (may_set(request) || user == &request.asking.user) users.push_back(describe_user(*user));
    return {{"limits", known}, {"users", users}};
}

Json set_limit(const Request& request) {
    if (!may_set(request))
        throw NotDone("only root, the server's own user and members of the group xsched may change limits");
    const auto text = request.text("set");
    if (!text) throw ToolError("say which limit: clients=500, or alice:highest-priority=50");
    LimitSetting setting;
    try {
        setting = read_limit(*text, false);
    } catch (const std::runtime_error& error) {
        throw ToolError(error.what());
    }
    request.host.users.set(setting);
    Json kept = request.host.checkpoint.value("limits");
    if (!kept.is_object()) kept = Json::object();
    kept[text->substr(0, text->find('='))] = *text;
    request.host.checkpoint.note("limits", kept);
    XLOG_INFO("limit %s, as uid %u asked", text->c_str(), request.asking.peer.uid);
    return Json::object();
}

}  // namespace xsched::server
