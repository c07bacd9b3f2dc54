// Does the work that a peer can block forever. It receives and closes descriptors that peers have sent: a TCP socket
// may linger when its last reference closes, and a file system may never answer (FUSE). It also maps, seals, empties
// and unmaps files that peers hold: a peer that changes such a file, or its mappings, holds the kernel's locks
// meanwhile.
//
// Disposable threads do this, each with its own descriptor table, so that a stuck thread holds no descriptor of the
// server. A timer interrupts them every millisecond, which ends a linger. A thread that is stuck for half a second is
// given up: it counts against the user for whom it works, and another one replaces it. Each user has one working
// thread, so users do not wait for each other.
//
// Words: bury, to close a connection with all unread packets in it. All functions are for the front thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "base/no_copies.h"
#include "base/unique_fd.h"
#include "server/limits/users.h"
#include "server/undertaker/undertaker_thread.h"

namespace xsched::server {

class Undertaker : base::NoCopies {
public:
    // The outcome of an order: a packet with the one descriptor that `wanted` chose, a Region with its process's facts
    // as the packet, or the news that a file is sealed. Token 0: an order to empty a file is over.
    struct Parcel {
        uint32_t token = 0;
        bool lost = false;  // the order did not come to an end
        bool sealed = false;
        uid_t user = 0;  // with a Region
        ipc::Region* region = nullptr;
        std::string packet;
        base::UniqueFd fd;
    };
    using Wanted = bool (*)(int fd);

    // `wanted` chooses the one descriptor of a packet that is kept. It is called on a thread that may block and be
    // given up.
    explicit Undertaker(Wanted wanted);
    ~Undertaker();

    // Closes the connection; never blocks. Closes it at once if it holds no descriptors.
    void bury(uid_t user, base::UniqueFd connection);
    // Receives the next packet of a connection, which belongs to the caller and must stay open until the parcel has
    // come.
    void receive(uid_t user, int connection, uint32_t token);
    // Maps the new file of a Region; the file belongs to the caller. Mapping takes the lock of the process's memory,
    // which may be held by a thread that unmaps another Region and is blocked by that file. A parcel brings the Region.
    // A caller that no longer needs it has it unmapped. `pid`: a process whose facts for rules come along, as the
    // packet; 0: none.
    void map(uid_t user, int file, uint32_t token, pid_t pid);
    // Adds the last seals to a Region's file (ipc/region.h), which belongs to the caller. A parcel reports the end.
    void seal(uid_t user, int file, uint32_t token);
    // Empties a file that a peer holds, and closes it; then returns the charges. A parcel reports the end.
    void empty(uid_t user, base::UniqueFd file, std::vector<Charge> charges);
    // Unmaps a Region that a peer has mapped, and then returns the charges. `file`: the Region's file, if it is not
    // sealed. The file is sealed first: while a peer punches holes into it, unmapping would block all threads that need
    // memory. If the peer prevents the seal, the Region stays mapped, and the charges stay forever.
    void unmap(uid_t user, ipc::Region* region, base::UniqueFd file, std::vector<Charge> charges);
    // Returns whether a file of this user waits to be emptied, or is being emptied by a thread that is not stuck.
    bool empties_for(uid_t user) const;
    // Cancels receiving, mapping and sealing for `token`. A parcel that is on its way may still come.
    void cancel(uid_t user, uint32_t token);
    // Returns whether the user's descriptors block so many threads that nothing more is taken from him.
    bool refuses(uid_t user) const;
    // Returns how many connections wait to be closed. Those of refused users are not counted, since they may wait
    // forever.
    size_t backlog() const;

    // Returns a descriptor that is readable when work() has something to do.
    int fd() const { return epoll_.get(); }
    std::vector<Parcel> work(int64_t now_ns);
    // Returns when work() must be called at the latest; 0: no need.
    int64_t due_ns() const;

private:
    struct Job {
        BurialOrder order{};
        std::vector<base::UniqueFd> fds;
        int connection = -1;  // to receive from
        std::vector<Charge> charges;
    };
    struct Account {
        std::deque<base::UniqueFd> burials;
        std::deque<Job> jobs;
        unsigned stuck = 0;
        bool at_work = false;  // it has a thread that is not stuck
        bool empty() const { return burials.empty() && jobs.empty(); }
        bool done() const { return empty() && stuck == 0 && !at_work; }
    };
    struct Worker {
        base::UniqueFd socket;
        int theirs = -1;  // the thread's end of the socket in our table, until the thread has its own table
        bool busy = false;
        bool stuck = false;
        bool awaited = false;  // a parcel will report its outcome
        uid_t user = 0;
        BurialOrder order{};
        std::vector<Charge> charges;
        int64_t began_ns = 0;
    };

    void add(uid_t user, Job job);
    bool has_next() const;
    bool may_have_thread(const Account& user) const;
    Worker* idle_worker();
    bool next_job(uid_t* user, Job* job);
    bool give(Worker& worker, uid_t user, Job job);
    void assign(int64_t now_ns);
    void end(Worker& worker, std::vector<Parcel>& parcels);
    void hear(Worker& worker, std::vector<Parcel>& parcels);
    void leave_behind(int64_t now_ns, std::vector<Parcel>& parcels);

    Wanted wanted_;
    base::UniqueFd epoll_;
    std::list<Worker> workers_;
    std::map<uid_t, Account> users_;  // users with jobs or with stuck threads
    std::vector<Charge> kept_;  // charges of Regions that stay mapped
    uid_t last_user_ = 0;  // the user who had the last turn
    int64_t retry_ns_ = 0;  // until then no descriptors are passed, since the system refused
};

}  // namespace xsched::server
