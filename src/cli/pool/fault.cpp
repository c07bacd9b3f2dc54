#include "cli/pool/fault.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>

#include "base/files.h"
#include "cli/processes.h"
#include "ipc/protocol.h"

namespace xsched::cli {
namespace {

std::string time_of_day(int64_t ms) {
    const time_t seconds = ms / 1000;
    tm parts{};
    gmtime_r(&seconds, &parts);
    char text[32];
    strftime(text, sizeof text, "%H:%M:%S UTC", &parts);
    return text;
}

std::string called(const std::string& program, int64_t pid) { return program + " (pid " + std::to_string(pid) + ")"; }

std::vector<PoolFault::Member> members_in(const Json& list) {
    std::vector<PoolFault::Member> members;
    for (const Json& one : list)
        members.push_back({one.value("pid", int64_t{0}), one.value("program", ""), one.value("outcome", "")});
    return members;
}

Json list_of(const std::vector<PoolFault::Member>& members) {
    Json list = Json::array();
    for (const PoolFault::Member& one : members)
        list.push_back({{"pid", one.pid}, {"program", one.program}, {"outcome", one.outcome}});
    return list;
}

// Puts a member in place of what the list has of it.
void put(std::vector<PoolFault::Member>& members, const PoolFault::Member& member) {
    std::erase_if(members, [&](const PoolFault::Member& one) { return one.pid == member.pid; });
    members.push_back(member);
}

}  // namespace

std::string pool_folder(bool make) {
    char socket[ipc::kSocketPathBytes];
    if (!ipc::user_socket_path(socket, make)) return "";
    return std::string(socket).substr(0, std::string(socket).rfind('/')) + "/pool";
}

PoolLock::PoolLock(const std::string& folder)
    : file_(open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
    while (file_ && flock(file_.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
}

std::string PoolFault::text() const {
    const std::string at = time_of_day(at_ms);
    if (kind == kStopped) return "it was stopped by 'xcli pool stop' at " + at;
    if (kind == kEnded) return "its MPS server (pid " + std::to_string(server) + ") ended at " + at;
    const std::string fault = "it had a device fault at " + at;
    if (failed.empty()) return fault + ", and which program caused it is not known";
    if (failed.size() == 1)
        return fault + ", which " + called(failed[0].program, failed[0].pid) + " caused: it " + failed[0].outcome;
    std::string text;
    for (const Member& one : failed)
        text += (text.empty() ? "" : ", ") + called(one.program, one.pid) + " " + one.outcome;
    return fault + ", which one of several programs caused: " + text;
}

Json PoolFault::json() const {
    return {{"kind", kind},
            {"at_ms", at_ms},
            {"server", server},
            {"failed", list_of(failed)},
            {"neighbours", list_of(neighbours)},
            {"sentence", text()}};
}

int64_t wall_clock_ms() {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}

std::optional<PoolFault> FaultBook::read() const {
    const Json json = Json::parse(base::text_of_file(path()), nullptr, false);
    if (!json.is_object()) return std::nullopt;
    try {
        return PoolFault{.kind = json.value("kind", ""),
                         .at_ms = json.value("at_ms", int64_t{0}),
                         .server = json.value("server", int64_t{0}),
                         .failed = members_in(json.value("failed", Json::array())),
                         .neighbours = members_in(json.value("neighbours", Json::array()))};
    } catch (const Json::exception&) {
        return std::nullopt;  // another program has written it
    }
}

void FaultBook::write(const PoolFault& fault) const {
    const std::string text = fault.json().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    const std::string next = path() + ".next";
    const base::UniqueFd file(open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) return;
    rename(next.c_str(), path().c_str());
}

PoolFault FaultBook::note(const PoolFault& seen, int64_t since_ms) const {
    const PoolLock lock(folder_);
    std::optional<PoolFault> known = read();
    const bool is_same = known && known->server == seen.server && known->at_ms >= since_ms;
    if (!is_same) known = seen;
    if (is_same && known->kind == PoolFault::kFault)
        for (const PoolFault::Member& one : seen.failed) put(known->failed, one);
    write(*known);
    return *known;
}

void FaultBook::tell(const PoolFault& fault, const PoolFault::Member& neighbour) const {
    const PoolLock lock(folder_);
    std::optional<PoolFault> known = read();
    if (!known || known->server != fault.server || known->at_ms != fault.at_ms) return;
    put(known->neighbours, neighbour);
    write(*known);
}

std::string pool_sentence(int64_t pid) {
    const std::string folder = pool_folder(false);
    if (folder.empty()) return "";
    const std::optional<PoolFault> fault = FaultBook(folder).read();
    if (!fault) return "";
    const std::string pool = "the pool that it was in (xcli pool): " + fault->text();
    for (const PoolFault::Member& one : fault->neighbours)
        if (one.pid == pid || belongs_to(static_cast<pid_t>(pid), static_cast<pid_t>(one.pid)))
            return called(one.program, one.pid) + " " + one.outcome + ", because of " + pool;
    for (const PoolFault::Member& one : fault->failed)
        if (one.pid == pid) return called(one.program, pid) + " " + one.outcome + ", in " + pool;
    return "";
}

}  // namespace xsched::cli
