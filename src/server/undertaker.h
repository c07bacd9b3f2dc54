// Receives and closes what peers have put into their messages, where that may take for ever. A descriptor in a packet
// may be a TCP socket that lingers when its last reference goes. It may be a file whose file system never answers
// (FUSE).
//
// Disposable threads do it, each with a descriptor table of its own, so that one that never comes back holds nothing of
// the server's. A timer interrupts them every millisecond, which ends a linger. A thread that is still stuck
// after half a second is left behind. It counts against the user whose descriptors it has, and another takes its place.
//
// Words: bury, to close a connection with all that is unread in it. All functions belong to the front thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace xsched::server {

class Undertaker {
public:
    // This many threads may be stuck for one user; what else the user sends is kept unread.
    static constexpr unsigned kMostStuck = 4;

    // What a packet was, with the one descriptor that `wanted` chose.
    struct Parcel {
        uint32_t token = 0;
        bool lost = false;  // it did not come to an end
        std::string packet;
        base::UniqueFd fd;
    };
    using Wanted = bool (*)(int fd);

    // `wanted` is asked on a thread that may be left behind.
    explicit Undertaker(Wanted wanted);
    ~Undertaker();
    Undertaker(const Undertaker&) = delete;
    Undertaker& operator=(const Undertaker&) = delete;

    // Closes the connection; never waits. At once, if no descriptors are in it.
    void bury(uid_t user, base::UniqueFd connection);
    // Receives the next packet of a connection that stays the caller's and must stay open until the parcel has come.
    void receive(uid_t user, int connection, uint32_t token);
    // Nothing must be received for `token` any more; a parcel that is on its way may still come.
    void cancel(uid_t user, uint32_t token);
    // The user's descriptors keep so many threads waiting that nothing more is taken from him.
    bool refuses(uid_t user) const;
    // Connections that wait to be closed, without those of users who are refused: these may wait for ever.
    size_t backlog() const;

    // Readable when work() has something to do.
    int fd() const { return epoll_.get(); }
    std::vector<Parcel> work(int64_t now_ns);
    // When work() must be called at the latest; 0: no need.
    int64_t due_ns() const;

private:
    struct Job {
        std::vector<base::UniqueFd> burials;
        int connection = -1;  // to receive from
        uint32_t token = 0;
    };
    struct User {
        std::deque<base::UniqueFd> burials;
        std::deque<Job> receptions;
        unsigned stuck = 0;
        bool empty() const { return burials.empty() && receptions.empty(); }
    };
    struct Worker {
        base::UniqueFd socket;
        bool busy = false;
        bool stuck = false;
        bool receiving = false;
        uid_t user = 0;
        uint32_t token = 0;
        int64_t began_ns = 0;
    };

    bool pending() const;
    Worker* idle_worker();
    bool next_job(uid_t* user, Job* job);
    bool give(Worker& worker, uid_t user, Job job);
    void assign(int64_t now_ns);
    void hear(Worker& worker, std::vector<Parcel>& parcels);
    void leave_behind(int64_t now_ns, std::vector<Parcel>& parcels);

    Wanted wanted_;
    base::UniqueFd epoll_;
    std::list<Worker> workers_;
    std::map<uid_t, User> users_;  // with something to do, or something stuck
    uid_t last_user_ = 0;  // whose turn it was
    int64_t retry_ns_ = 0;  // the system refused to pass descriptors on until then
};

}  // namespace xsched::server
