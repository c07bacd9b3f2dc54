// The common part of server and tool tests: a private directory, an xserver in it, and a client and a tool that speak
// the protocol by hand.
#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <memory>

#include "base/no_copies.h"
#include "ipc/protocol.h"
#include "ipc/region.h"
#include "support/built.h"
#include "support/directory.h"
#include "support/process.h"
#include "support/slots.h"
#include "support/users.h"
#include "xsched/types.h"

namespace xsched::test {

using Json = nlohmann::json;

// A directory of this test alone, and the environment that leads programs to it.
class PrivateDirectory : public TemporaryDirectory {
public:
    std::string socket() const { return *this / "x.sock"; }
    Environment environment() const {
        return {{"XSCHED_SOCKET", socket()},
                {"XDG_RUNTIME_DIR", path()},
                {"XLOG_LEVEL", "INFO"},
                {"XLOG_FILE", ""},
                {"XSCHED_POLICY", ""},
                {"XSCHED_SCHEDULER", ""},
                {"LD_PRELOAD", ""},
                {"OPENCL_LAYERS", ""},
                {"XSCHED_CONFIG", *this / "etc:" + *this / "own"}};
    }
};

#ifdef XSCHED_BIN_DIR
inline std::string binary(const char* name) { return built_file(std::string(XSCHED_BIN_DIR) + "/" + name); }
#else  // a program that is also copied elsewhere, with what it needs beside it
inline std::string binary(const char* name) {
    return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}
#endif

// An xserver on the directory's socket; killed at the end of the test if it still runs.
class ServerProcess {
public:
    explicit ServerProcess(const PrivateDirectory& directory, const std::vector<std::string>& more = {})
        : socket_(directory.socket()), process_(words(directory, more), directory.environment()) {}
    ServerProcess(const PrivateDirectory& directory, const std::vector<std::string>& more,
                  const Environment& environment)
        : socket_(directory.socket()), process_(words(directory, more), environment) {}

    // Returns whether its log has the text soon: the server writes its log behind its answers.
    bool logs(const std::string& text) {
        return eventually([&] { return process_.err().find(text) != std::string::npos; });
    }

    // Waits until the server answers; it says that it listens a moment before.
    bool ready() { return process_.wait_for_output("listening on") && answers(); }
    pid_t pid() const { return process_.pid(); }
    Process& process() { return process_; }
    int stop(int signal_number = SIGTERM) {
        kill(process_.pid(), signal_number);
        return process_.wait();
    }

private:
    bool answers() const {
        const base::UniqueFd connection(ipc::connect_path(socket_.c_str()));
        ipc::Welcome welcome{};
        int none = -1;
        return connection && ipc::shake_hands(connection.get(), ipc::PeerKind::kTool, "test", &welcome, &none, 5000);
    }
    static std::vector<std::string> words(const PrivateDirectory& directory, const std::vector<std::string>& more) {
        // The server runs without a supervisor here. The restart after a server's death has tests of its own
        // (supervisor_test.cpp).
        std::vector<std::string> all{binary("xserver"), "--no-supervise", "--socket", directory.socket()};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    std::string socket_;
    Process process_;
};

// A client that fills its slots by hand.
class TestClient : base::NoCopies {
public:
    static constexpr uint64_t kFirstDevice = uint64_t{kDeviceTypeCPU} << 32 | 1;

    TestClient() = default;
    // Connects, several times if need be: the server drops a client that is silent for a second, as on a loaded
    // machine.
    explicit TestClient(const std::string& path, const char* program = "test") {
        for (int i = 0; i < 3 && !connect(path, program); ++i) {
        }
    }
    ~TestClient() { ipc::unmap_region(region_); }

    bool connect(const std::string& path, const char* program = "test") {
        socket_.reset(ipc::connect_path(path.c_str()));
        if (!socket_) return false;
        int fd = -1;
        if (!ipc::shake_hands(socket_.get(), ipc::PeerKind::kClient, program, &welcome_, &fd, kPatienceMs))
            return false;
        const base::UniqueFd memory(fd);
        if (welcome_.status != ipc::WelcomeStatus::kAccepted) return false;
        ipc::unmap_region(region_);
        region_ = ipc::map_region(fd, welcome_.region_bytes);
        if (region_ == nullptr || !ipc::say_mapped(socket_.get(), welcome_)) return false;
        return eventually([this] { return header().served.load() != 0; });
    }

    bool connected() const { return region_ != nullptr && region_->header.served.load() != 0; }
    const ipc::Welcome& welcome() const { return welcome_; }
    int socket() const { return socket_.get(); }
    ipc::Header& header() { return region_->header; }
    ipc::Region& region() { return *region_; }
    ipc::QueueSlot& slot(unsigned at) { return region_->slots[at]; }
    void hang_up() { socket_.reset(); }

    void add_queue(unsigned at, int32_t priority, uint64_t handle, uint64_t device = kFirstDevice) {
        make_slot(*region_, at, handle, device, priority, base::kMicrosecond);
        ring_doorbell(header());
    }
    void submit(unsigned at) {
        slot(at).ready_since_ns = base::now_ns();
        slot(at).submitted.fetch_add(1);
        slot(at).launched.fetch_add(1);
        ring_doorbell(header());
    }
    void complete(unsigned at) {
        slot(at).idle_since_ns = base::now_ns();
        slot(at).completed = slot(at).submitted.load();
        ring_doorbell(header());
    }
    // Adds a queue of priority 0 with work. Returns whether a more urgent program then keeps it off the device.
    bool is_held(uint64_t handle) {
        if (!connected()) return false;
        add_queue(0, 0, handle);
        submit(0);
        return becomes_suspended(0, true);
    }
    bool becomes_suspended(unsigned at, bool suspended) {
        return eventually([&] { return (slot(at).suspended.load() != 0) == suspended; });
    }

private:
    base::UniqueFd socket_;
    ipc::Welcome welcome_{};
    ipc::Region* region_ = nullptr;
};

// Two clients with a queue each on one device, of which one is more urgent.
struct LowAndHigh {
    explicit LowAndHigh(const std::string& path) : low(path, "low"), high(path, "high") {
        if (!connected()) return;
        low.add_queue(0, 0, 0x1);
        high.add_queue(0, 10, 0x2);
    }
    bool connected() const { return low.connected() && high.connected(); }
    // Gives both work. Returns whether the server then suspends the one of low priority.
    bool compete() {
        submit();
        return low.becomes_suspended(0, true);
    }
    void submit() {
        low.submit(0);
        high.submit(0);
    }
    TestClient low;
    TestClient high;
};

// A tool by hand: raw requests.
class TestTool {
public:
    explicit TestTool(const std::string& path) {
        socket_.reset(ipc::connect_path(path.c_str()));
        ipc::Welcome welcome{};
        accepted_ = socket_ &&
                    ipc::shake_hands(socket_.get(), ipc::PeerKind::kTool, "tool", &welcome, nullptr, kPatienceMs) &&
                    welcome.status == ipc::WelcomeStatus::kAccepted;
    }
    bool accepted() const { return accepted_; }
    Json ask(const Json& request) { return ask_text(request.dump()); }
    // Returns the server's answer; a null object if the server went away.
    Json ask_text(const std::string& request) {
        if (!ipc::send_packet(socket_.get(), request.data(), request.size())) return {};
        std::string packet(ipc::kMostPacketBytes, '\0');
        int fd = -1;
        const long bytes = ipc::receive_packet(socket_.get(), packet.data(), packet.size(), &fd, kPatienceMs);
        const base::UniqueFd file(fd);
        if (bytes <= 0) return {};
        Json answer = Json::parse(packet.substr(0, static_cast<size_t>(bytes)), nullptr, false);
        if (!file) return answer;
        std::string text(answer["bytes"].get<size_t>(), '\0');
        if (pread(file.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) return {};
        return Json::parse(text, nullptr, false);
    }

private:
    base::UniqueFd socket_;
    bool accepted_ = false;
};

// Returns the answer of the server at `path` to the request; an empty object if no server answers.
inline Json answer_of_server(const std::string& path, const Json& request) {
    TestTool tool(path);
    Json answer = tool.accepted() ? tool.ask(request) : Json{};
    return answer.is_object() ? answer : Json::object();
}

// The usual start of a test: a directory with a server that answers.
class WithServer : public ::testing::Test {
protected:
    void SetUp() override { start(); }
    void start(const std::vector<std::string>& more = {}) {
        server = std::make_unique<ServerProcess>(directory, more);
        ASSERT_TRUE(server->ready()) << server->process().err();
    }
    // Starts the server, and the client as a program of that name with one queue.
    void start_with(TestClient& client, const char* program, int priority, uint64_t handle) {
        start();
        ASSERT_TRUE(client.connect(socket(), program));
        client.add_queue(0, priority, handle);
    }
    std::string socket() const { return directory.socket(); }
    // Returns how many clients the server has; -1 if it does not answer.
    int64_t client_count() { return answer_of_server(socket(), {{"cmd", "server"}}).value("clients", int64_t{-1}); }

    PrivateDirectory directory;
    std::unique_ptr<ServerProcess> server;
};

}  // namespace xsched::test
