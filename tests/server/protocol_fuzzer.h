// A program that speaks the server's protocol at random, of an ordinary user: hellos, handovers and requests, whole,
// changed and torn; with descriptors where none belong; words in its shared memory; connections that come and go. One
// seed is one sequence of tries (what comes of them depends on the server's pace). One thread.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "server/hostile.h"

namespace xsched::test {

class ProtocolFuzzer {
public:
    ProtocolFuzzer(std::string path, uint64_t seed) : path_(std::move(path)), random_(seed) {}

    // The attempts so far, for people.
    struct Tries {
        uint64_t connections, hellos, clients, handovers, requests, answers, words;
    };
    const Tries& run(int64_t lasts_ns) {
        const int64_t until_ns = base::now_ns() + lasts_ns;
        while (base::now_ns() < until_ns) act();
        return tries_;
    }

private:
    static constexpr size_t kMostPeers = 40;

    enum class Kind { kSilent, kTool, kClient };
    struct Peer {
        ~Peer() { ipc::unmap_region(region); }
        Kind kind = Kind::kSilent;
        base::UniqueFd socket;
        ipc::Region* region = nullptr;
    };

    uint64_t below(uint64_t limit) { return random_() % limit; }
    bool one_in(uint64_t chances) { return below(chances) == 0; }

    void act() {
        if (peers_.empty() || (peers_.size() < kMostPeers && one_in(6))) return come();
        const size_t at = below(peers_.size());
        Peer& peer = *peers_[at];
        if (one_in(12)) return leave(at);
        if (one_in(40)) return void(shutdown(peer.socket.get(), static_cast<int>(below(3))));
        if (one_in(60)) return void(send_anything(peer, packet_of_noise()));
        if (memory_ && one_in(200)) return spoil(memory_.get());
        switch (peer.kind) {
            case Kind::kSilent: return say_hello(peer);
            case Kind::kTool: return one_in(3) ? hear(peer) : ask(peer);
            case Kind::kClient: return one_in(4) ? hand_over(peer) : write(peer);
        }
    }

    void come() {
        ++tries_.connections;
        auto peer = std::make_unique<Peer>();
        peer->socket.reset(ipc::connect_path(path_.c_str()));
        if (!peer->socket) return void(usleep(500));  // more than the server lets in
        peers_.push_back(std::move(peer));
    }

    void leave(size_t at) {
        std::swap(peers_[at], peers_.back());
        peers_.pop_back();
    }

    void say_hello(Peer& peer) {
        ++tries_.hellos;
        ipc::Hello hello = hello_of(one_in(2) ? ipc::PeerKind::kClient : ipc::PeerKind::kTool);
        if (one_in(4)) hello.pid = static_cast<int32_t>(random_());
        std::string packet(reinterpret_cast<const char*>(&hello), sizeof(hello));
        const bool good = !one_in(5);
        if (!good) packet = changed(std::move(packet));
        if (!good && one_in(2)) return void(send_anything(peer, packet));
        if (!ipc::send_packet(peer.socket.get(), packet.data(), packet.size())) return;
        ipc::Welcome welcome{};
        int fd = -1;
        const long got = ipc::receive_packet(peer.socket.get(), &welcome, sizeof(welcome), &fd, 200);
        const base::UniqueFd memory(fd);
        if (got != static_cast<long>(sizeof(welcome)) || welcome.status != ipc::WelcomeStatus::kAccepted) return;
        peer.kind = memory ? Kind::kClient : Kind::kTool;
        if (!memory) return;
        ++tries_.clients;
        peer.region = ipc::map_region(memory.get(), welcome.region_bytes);
        if (one_in(3)) memory_ = base::UniqueFd(dup(memory.get()));  // to be handed over later
        if (one_in(6)) spoil(memory.get());
        if (!one_in(8)) return void(ipc::say_mapped(peer.socket.get(), welcome));
        ipc::Mapped mapped{ipc::kMagic, ipc::kVersion, sizeof(mapped), welcome.client_id};
        send_anything(peer, changed(std::string(reinterpret_cast<const char*>(&mapped), sizeof(mapped))));
    }

    // Holes, seals and other lengths, in a file that the server maps.
    void spoil(int file) {
        const auto at = static_cast<off_t>(below(sizeof(ipc::Region)));
        switch (below(4)) {
            case 0: return void(fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, 1 << 20));
            case 1: return void(fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL));
            case 2: return void(ftruncate(file, at) == 0);
            default: return void(fcntl(file, F_ADD_SEALS, 1U << below(6)));
        }
    }

    void hand_over(Peer& peer) {
        ++tries_.handovers;
        std::string packet = handover_packet();
        auto* head = reinterpret_cast<ipc::Handover*>(packet.data());
        head->device = below(3);
        head->key = below(3);
        if (one_in(3)) head->bytes = static_cast<uint32_t>(one_in(2) ? 0 : random_());
        for (size_t at = offsetof(ipc::Handover, data); at + 4 <= packet.size() && !one_in(20); at += 4) {
            const auto word = static_cast<uint32_t>(one_in(3) ? random_() : below(600));
            memcpy(packet.data() + at, &word, sizeof(word));
        }
        if (one_in(3)) packet = changed(std::move(packet));
        send_anything(peer, packet);
    }

    void ask(Peer& peer) {
        ++tries_.requests;
        static constexpr const char* kCommands[] = {"list",   "status",   "server", "expect", "hint",
                                                    "config", "suspend",  "resume", "policy", "limits",
                                                    "limit",  "programs", "record", "log"};
        static constexpr const char* kMembers[] = {
            "pid",    "queue", "priority", "utilization", "level",  "threshold",   "set",  "name",
            "cursor", "from",  "all",      "last_ms",     "queues", "deadline_us", "gang", "batch_size"};
        Json request{{"cmd", kCommands[below(std::size(kCommands))]}};
        for (uint64_t count = below(4); count > 0; --count) request[kMembers[below(std::size(kMembers))]] = value(3);
        std::string text = request.dump(-1, ' ', false, Json::error_handler_t::replace);
        if (one_in(8)) text = changed(std::move(text));
        if (one_in(100)) text = std::string(below(ipc::kMostPacketBytes), '[');
        if (one_in(30)) return void(send_anything(peer, text));
        ipc::send_packet(peer.socket.get(), text.data(), text.size());
    }

    Json value(int depth) {
        switch (below(depth > 0 ? 9 : 6)) {
            case 0: return getpid();
            case 1: return random_();
            case 2: return static_cast<int64_t>(random_());
            case 3: return below(300);
            case 4: return std::string(below(40), static_cast<char>(random_()));
            case 5: return one_in(2) ? Json(true) : Json();
            case 6: return Json::array({value(depth - 1), value(depth - 1)});
            case 7: return Json{{"pid", value(depth - 1)}};
            default: return "/user.slice:share=30";
        }
    }

    void hear(Peer& peer) {
        std::string room(one_in(5) ? 16 : ipc::kMostPacketBytes, '\0');
        int fd = -1;
        if (ipc::receive_packet(peer.socket.get(), room.data(), room.size(), &fd, 5) > 0) ++tries_.answers;
        const base::UniqueFd file(fd);
        if (!file) return;
        if (ftruncate(file.get(), 0) != 0) room.resize(1);  // sealed: it may not be
        char letter = 0;
        if (pread(file.get(), &letter, 1, 0) == 1 && one_in(2)) memory_ = base::UniqueFd(dup(file.get()));
    }

    // Writes random words into the peer's own memory, mostly into the header and the first slots, which the server
    // reads.
    void write(Peer& peer) {
        if (peer.region == nullptr) return;
        if (one_in(3)) return use(*peer.region);
        constexpr size_t kFirst = (sizeof(ipc::Header) + 8 * sizeof(ipc::QueueSlot)) / sizeof(uint32_t);
        constexpr size_t kAll = sizeof(ipc::Region) / sizeof(uint32_t);
        auto* words = reinterpret_cast<std::atomic<uint32_t>*>(peer.region);
        size_t at = below(one_in(4) ? kAll : kFirst);
        for (uint64_t count = one_in(50) ? 4096 : below(64); count > 0 && at < kAll; --count, ++at) {
            ++tries_.words;
            words[at] = static_cast<uint32_t>(one_in(3) ? below(4) : random_());
        }
        if (one_in(2)) ipc::ring_doorbell(peer.region->header);
    }

    // Uses the Region as an ordinary program does, so that there is something to spoil.
    void use(ipc::Region& region) {
        const auto at = static_cast<unsigned>(below(6));
        if (one_in(3))
            make_slot(region, at, random_(), TestClient::kFirstDevice + below(4), static_cast<int32_t>(below(300)) - 20,
                      1000);
        ipc::QueueSlot& slot = region.slots[at];
        if (one_in(2)) {
            slot.ready_since_ns = base::now_ns();
            slot.submitted.fetch_add(1);
        } else {
            slot.completed = slot.submitted.load();
            slot.idle_since_ns = base::now_ns();
        }
        if (one_in(20)) region.header.slot_end = static_cast<uint32_t>(random_());
        ipc::ring_doorbell(region.header);
    }

    std::string packet_of_noise() {
        std::string noise(below(2000), '\0');
        for (char& letter : noise) letter = static_cast<char>(random_());
        return noise;
    }

    // Returns the packet with some bytes changed, removed or added.
    std::string changed(std::string packet) {
        switch (below(3)) {
            case 0: packet.resize(below(packet.size() + 1)); break;
            case 1: packet += packet_of_noise(); break;
            default:
                for (uint64_t count = 1 + below(4); count > 0 && !packet.empty(); --count)
                    packet[below(packet.size())] = static_cast<char>(one_in(2) ? random_() : 0xff);
        }
        return packet;
    }

    // Sends the packet with up to three descriptors of random kinds of files.
    bool send_anything(Peer& peer, const std::string& packet) {
        std::vector<base::UniqueFd> files;
        for (uint64_t count = below(4); count > 0; --count) files.push_back(some_file());
        std::vector<int> fds;
        for (const base::UniqueFd& file : files)
            if (file) fds.push_back(file.get());
        if (fds.empty()) return ipc::send_packet(peer.socket.get(), packet.data(), packet.size());
        return send_descriptors(peer.socket.get(), packet.data(), packet.size(), fds);
    }

    base::UniqueFd some_file() {
        int ends[2] = {-1, -1};
        switch (below(7)) {
            case 0: return base::UniqueFd(open("/dev/null", O_RDWR | O_CLOEXEC));
            case 1: return base::UniqueFd(memfd_create("fuzz", MFD_CLOEXEC));
            case 2: return base::UniqueFd(memory_ ? dup(memory_.get()) : -1);
            case 3: return base::UniqueFd(peers_.empty() ? -1 : dup(peers_[below(peers_.size())]->socket.get()));
            case 4: return base::UniqueFd(open("/proc/self", O_PATH | O_CLOEXEC));
            default: break;
        }
        const bool made =
            one_in(2) ? pipe2(ends, O_CLOEXEC) == 0 : socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
        const base::UniqueFd other(made ? ends[1] : -1);
        return base::UniqueFd(made ? ends[0] : -1);
    }

    const std::string path_;
    std::mt19937_64 random_;
    std::vector<std::unique_ptr<Peer>> peers_;
    base::UniqueFd memory_;  // a Region's or an answer's descriptor, kept
    Tries tries_{};
};

}  // namespace xsched::test
