// Does what may wait for a peer for ever. It receives and closes what peers have put into their messages: a descriptor
// in a packet may be a TCP socket that lingers when its last reference goes, or a file whose file system never answers
// (FUSE). It maps, seals, empties and unmaps the files that a peer holds as well: a peer that changes such a file, or
// its mappings of the file, holds the kernel's locks meanwhile.
//
// Disposable threads do it, each with a descriptor table of its own, so that one that never comes back holds nothing of
// the server's. A timer interrupts them every millisecond, which ends a linger. A thread that is still stuck
// after half a second is left behind. It counts against the user for whom it works, and another takes its place. Each
// user has one thread at work, so users do not wait for each other.
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
#include "server/limits/users.h"
#include "server/undertaker/undertaker_thread.h"

namespace xsched::server {

class Undertaker {
public:
    // This many threads may be stuck for one user; what else the user sends is kept unread.
    static constexpr unsigned kMostStuck = 4;
    // This many may be at work at once, for as many users (safety: a thread costs some 50 kB).
    static constexpr unsigned kMostAtWork = 16;

    // The outcome of an order: a packet, with the one descriptor that `wanted` chose, or a Region, or that a file is
    // sealed, or emptied (token 0).
    struct Parcel {
        uint32_t token = 0;
        bool lost = false;  // it did not come to an end
        bool sealed = false;
        uid_t user = 0;  // with a Region
        ipc::Region* region = nullptr;
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
    // Maps a Region's new file, which stays the caller's. The process's memory is locked for that, also while a thread
    // of the undertaker unmaps another Region and waits for a lock of that one's file. A parcel tells the end, with the
    // Region; whoever has no use for it any more has it unmapped.
    void map(uid_t user, int file, uint32_t token);
    // Adds the last seals to a Region's file (ipc/region.h), which stays the caller's. A parcel tells the end.
    void seal(uid_t user, int file, uint32_t token);
    // Empties a file that a peer has, and closes it; the charges are released then. A parcel tells the end.
    void empty(uid_t user, base::UniqueFd file, std::vector<Charge> charges);
    // Unmaps a Region that a peer has mapped; the same of its charges. `file`: of one that is not sealed. It is sealed
    // before: to unmap a file in which holes are made keeps all threads waiting that need memory. If the peer does not
    // let it be sealed, it stays mapped, and the charges stay for ever.
    void unmap(uid_t user, ipc::Region* region, base::UniqueFd file, std::vector<Charge> charges);
    // Something waits to be emptied for this user, or is being, by a thread that is not stuck.
    bool empties_for(uid_t user) const;
    // Nothing must be received, mapped or sealed for `token` any more; a parcel that is on its way may still come.
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
        BurialOrder order{};
        std::vector<base::UniqueFd> fds;
        int connection = -1;  // to receive from
        std::vector<Charge> charges;
    };
    struct Account {
        std::deque<base::UniqueFd> burials;
        std::deque<Job> jobs;
        unsigned stuck = 0;
        bool at_work = false;  // a thread that is not stuck
        bool empty() const { return burials.empty() && jobs.empty(); }
        bool done() const { return empty() && stuck == 0 && !at_work; }
    };
    struct Worker {
        base::UniqueFd socket;
        int theirs = -1;  // the thread's end in our table, until it has a table of its own
        bool busy = false;
        bool stuck = false;
        bool awaited = false;  // a parcel is to come
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
    std::map<uid_t, Account> users_;  // with something to do, or something stuck
    std::vector<Charge> kept_;  // of Regions that stay mapped
    uid_t last_user_ = 0;  // whose turn it was
    int64_t retry_ns_ = 0;  // the system refused to pass descriptors on until then
};

}  // namespace xsched::server
