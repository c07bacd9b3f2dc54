#include "cli/doctor/doctor.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/unique_fd.h"
#include "cli/devices/accelerators.h"
#include "cli/installation.h"
#include "cli/other_servers.h"
#include "cli/server_link.h"
#include "cli/show.h"
#include "console/table.h"
#include "ipc/protocol.h"

namespace xsched::cli {
namespace {

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

Answer yes_if(bool condition) { return condition ? Answer::kYes : Answer::kNo; }

// Finds whether one of our servers answers at a socket.
Finding server_at(const char* what, const char* path) {
    base::UniqueFd socket(ipc::connect_path(path));
    const std::string place = path;
    if (!socket) {
        if (errno == ENOENT || errno == ECONNREFUSED) return {what, Answer::kNo, "no process listens at " + place};
        if (errno == EPERM) return {what, Answer::kNo, place + " belongs to another user's server: it is not used"};
        return {what, Answer::kNo, place + ": " + strerror(errno)};
    }
    try {
        const Json server = ServerLink(std::move(socket), place).ask({{"cmd", "server"}});
        std::string text = "pid " + std::to_string(server.value("pid", int64_t{0})) + " at " + place;
        const Json spots = server.value("blind_spots", Json::array());
        for (const Json& spot : spots) text += "; " + spot.get<std::string>();
        return {what, yes_if(spots.empty()), text};
    } catch (const Failure& failure) {
        return {what, Answer::kNo, failure.what()};
    }
}

// Warns if several servers run: each schedules its own programs as if it had the device alone.
Finding one_server(const std::string& used) {
    std::string places;
    for (const OtherServer& server : other_servers(used))
        if (server.owner == ServerOwner::kThisUser) places += " " + server.path;
    if (places.empty()) return {"one server", Answer::kYes, "no other server of this user"};
    return {"one server", Answer::kNo,
            "others of this user answer at" + places +
                ": programs of one do not make room for those of another; end all but one "
                "('XSCHED_SOCKET=PATH xcli server' shows its pid)"};
}

Finding one_for_all_users(const std::string& used) {
    std::string foreign;
    std::string lost;
    for (const OtherServer& server : other_servers(used)) {
        if (server.owner == ServerOwner::kAnotherUser) foreign += " " + server.path;
        if (server.owner == ServerOwner::kUnknown) lost += " " + server.path;
    }
    const std::string advice =
        ": users' programs do not make room for each other; let root start one server for all, with "
        "'xserver --system' (" +
        page("SERVER.md") + ")";
    if (!foreign.empty()) return {"other users", Answer::kNo, "servers of other users listen at" + foreign + advice};
    if (!lost.empty())
        return {"other users", Answer::kUnknown, "servers that cannot be reached from here listen at" + lost};
    return {"other users", Answer::kYes,
            "no server of another user (several users share a device by 'xserver --system')"};
}

Finding shims_of(const Installation& installation) {
    std::string names;
    for (const Shim& shim : installation.shims) names += std::string(names.empty() ? "" : " ") + shim.platform->shim;
    const std::string& folder = installation.library_directory;
    if (names.empty()) return {"shims", Answer::kNo, "none in " + folder + ": build or install one"};
    if (folder.find_first_of(" :") != std::string::npos)
        return {"shims", Answer::kNo, folder + " has a space or colon in it: they cannot be preloaded from there"};
    return {"shims", Answer::kYes, names + " in " + folder};
}

Finding runtime_directory() {
    char path[ipc::kSocketPathBytes];
    if (ipc::user_socket_path(path, false)) return {"runtime directory", Answer::kYes, std::string("socket ") + path};
    return {"runtime directory", Answer::kNo,
            "there is no usable place for a server's socket: set XDG_RUNTIME_DIR or XSCHED_SOCKET"};
}

Finding shared_memory() {
    const base::UniqueFd file(memfd_create("xsched-doctor", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (file) return {"memfd", Answer::kYes, "memory shared with the server"};
    return {"memfd", Answer::kNo,
            std::string(strerror(errno)) + ": no server can be used; XSCHED_SCHEDULER=local works"};
}

Finding waiting_for_many() {
    const long result = syscall(SYS_futex_waitv, nullptr, 0, 0, nullptr, 0);
    if (result < 0 && errno == ENOSYS)
        return {"futex_waitv", Answer::kNo,
                "Linux before 5.16, or a filter: xserver looks at its clients again and again instead"};
    return {"futex_waitv", Answer::kYes, "xserver sleeps until a client rings"};
}

Finding processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    const int usable = sched_getaffinity(0, sizeof set, &set) == 0
                           ? CPU_COUNT(&set)
                           : static_cast<int>(std::thread::hardware_concurrency());
    const std::string count = std::to_string(usable);
    if (usable > 1) return {"processors", Answer::kYes, count + " usable"};
    return {"processors", Answer::kNo, count + " usable: xserver must share it with the programs it schedules"};
}

void add_rows(console::Table& table, const Platform& platform, const std::vector<Finding>& findings) {
    for (const Finding& finding : findings)
        table.add({platform.name, finding.what, word(finding.answer), finding.detail});
}

Json as_json(const std::vector<Finding>& findings) {
    Json list = Json::array();
    for (const Finding& finding : findings)
        list.push_back({{"what", finding.what}, {"answer", word(finding.answer)}, {"detail", finding.detail}});
    return list;
}

}  // namespace

Platform look_at_xsched(const Installation& installation) {
    Platform xsched{"xsched", {}, {}};
    xsched.findings.push_back(shims_of(installation));
    xsched.findings.push_back(
        {"xserver program", yes_if(!installation.server.empty()),
         installation.server.empty() ? "not beside xcli: install both from one build" : installation.server});
    xsched.findings.push_back(runtime_directory());
    const char* chosen = getenv("XSCHED_SOCKET");
    if (chosen == nullptr || *chosen == '\0')
        xsched.findings.push_back(server_at("system's server", ipc::system_socket_path()));
    char path[ipc::kSocketPathBytes];
    std::string used;
    if (base::UniqueFd(ipc::connect_server(path, false))) used = path;
    if (used.empty() || used == ipc::system_socket_path()) ipc::user_socket_path(path, false);
    xsched.findings.push_back(server_at("user's server", path));
    xsched.findings.push_back(one_server(used));
    xsched.findings.push_back(one_for_all_users(used));
    return xsched;
}

Platform look_at_system() {
    utsname names{};
    uname(&names);
    return {"system",
            {{"kernel", Answer::kYes, std::string(names.sysname) + " " + names.release + " " + names.machine},
             processors(),
             shared_memory(),
             waiting_for_many(),
             {"ptrace, yama", Answer::kYes, "not needed, whatever they are set to"}},
            {}};
}

int show_doctor(const std::string& root, bool json) {
    const Machine machine(root == "/" ? "" : root);
    if (!machine.exists("/")) throw Failure("--root " + root + " is not a folder that can be looked into");
    const Installation installation = find_installation();
    const Platform platforms[] = {
        look_at_xsched(installation),
        look_at_system(),
        look_at_devices(machine),
#define PLATFORM(name, ...) look_at_##name(machine, installation),
#include "platforms.inc"
    };
    console::Table table({"PART", "WHAT", "ANSWER", "DETAIL"});
    Json list = Json::array();
    for (const Platform& platform : platforms) {
        add_rows(table, platform, platform.findings);
        add_rows(table, platform, platform.levels);
        list.push_back(
            {{"name", platform.name}, {"findings", as_json(platform.findings)}, {"levels", as_json(platform.levels)}});
    }
    json ? print(Json{{"ok", true}, {"parts", list}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n")
         : print_text(table.text());
    return 0;
}

}  // namespace xsched::cli
