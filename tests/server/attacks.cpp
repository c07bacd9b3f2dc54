#include "server/attack_parts.h"

namespace xsched::test {
namespace {

bool send_lingering(int connection, const std::string& packet) {
    const LingeringSocket slow;
    return send_descriptors(connection, packet.data(), packet.size(), {slow.get()});
}

XSCHED_ATTACK(kFound, linger_hello, 1, "sockets that linger, sent with the Hello") {
    const ipc::Hello hello = hello_of(ipc::PeerKind::kClient);
    const std::string packet(reinterpret_cast<const char*>(&hello), sizeof(hello));
    pile_up(ready, [&] {
        base::UniqueFd connection(ipc::connect_path(path.c_str()));
        send_lingering(connection.get(), packet);
        return connection;
    });
}

XSCHED_ATTACK(kFound, linger_handover, 1, "sockets that linger, sent as handovers") {
    for (int i = 0;; ++i) {
        if (i == 10) ready();
        const base::UniqueFd client = raw_client(path);
        if (client)
            send_lingering(client.get(), handover_packet());
        else
            usleep(1000);
    }
}

XSCHED_ATTACK(kFound, linger_tool, 1, "sockets that linger, sent with a tool's request") {
    for (int i = 0;; ++i) {
        if (i == 10) ready();
        const base::UniqueFd tool = raw_tool(path);
        if (tool)
            send_lingering(tool.get(), R"({"cmd":"list"})");
        else
            usleep(1000);
    }
}

// 1,024 queues of 511 priorities with work; `changes`: one after the other becomes idle and ready again.
void many_queues(const std::string& path, const Ready& ready, uint64_t device, bool changes) {
    TestClient client(path, "many");
    if (!client.connected()) _exit(1);
    for (unsigned at = 0; at < ipc::kMostQueues; ++at) {
        client.add_queue(at, static_cast<int32_t>(at % 511) - 255, 0x1000 + at);
        if (device != 0) client.slot(at).device = device;
        client.submit(at);
    }
    ready();
    if (!changes) stay();
    for (unsigned at = 0;; at = (at + 1) % ipc::kMostQueues) {
        client.complete(at);
        client.submit(at);
    }
}

XSCHED_ATTACK(kFound, queues_here, 3, "three times 1,024 queues of 511 priorities, on the same device") {
    many_queues(path, ready, 0, false);
}
XSCHED_ATTACK(kFound, queues_there, 3, "the same on another device") { many_queues(path, ready, kOtherDevice, false); }
XSCHED_ATTACK(kFound, changes_here, 1, "1,024 queues of 511 priorities that change without pause, on the same device") {
    many_queues(path, ready, 0, true);
}
XSCHED_ATTACK(kFound, changes_there, 1, "the same on another device") { many_queues(path, ready, kOtherDevice, true); }

// Moves one of 1,024 queues to another device, which the server has not seen, each time.
XSCHED_ATTACK(kFound, moving, 1, "1,024 queues, one of which is on another device each time") {
    TestClient client(path, "moving");
    if (!client.connected()) _exit(1);
    for (unsigned at = 0; at < ipc::kMostQueues; ++at) {
        client.add_queue(at, 100, 0x1000 + at);
        client.submit(at);
    }
    ready();
    for (uint64_t device = 1000;; ++device) {
        client.slot(5).device = device;
        client.complete(5);
        client.submit(5);
        usleep(100);
    }
}

XSCHED_ATTACK(kFound, silent, 1, "connections that say nothing") {
    pile_up(ready, [&] { return base::UniqueFd(ipc::connect_path(path.c_str())); });
}

XSCHED_ATTACK(kFound, idle_tools, 1, "tools that ask nothing") {
    pile_up(ready, [&] { return raw_tool(path); });
}

// Ten clients of 1,024 queues, and tools that list them.
XSCHED_ATTACK(kFound, lists, 1, "lists of 10,240 queues, four at a time") {
    std::vector<std::unique_ptr<TestClient>> clients;
    for (int i = 0; i < 10; ++i) {
        clients.push_back(std::make_unique<TestClient>(path));
        if (!clients.back()->connected()) _exit(1);
        for (unsigned at = 0; at < ipc::kMostQueues; ++at) clients.back()->add_queue(at, 0, 0x1000U * i + at + 1);
    }
    ready();
    for (int i = 0; i < 3 && fork() != 0; ++i) {
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    TestTool tool(path);
    for (;;) tool.ask({{"cmd", "list"}});
}

XSCHED_ATTACK(kFound, unread, 1, "tools that read no answer") {
    TestClient client(path);
    for (unsigned at = 0; at < ipc::kMostQueues; ++at) client.add_queue(at, 0, at + 1);
    const std::string request = R"({"cmd":"list"})";
    pile_up(ready, [&] {
        base::UniqueFd tool = raw_tool(path);
        for (int i = 0; i < 100; ++i) send(tool.get(), request.data(), request.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        return tool;
    });
}

XSCHED_ATTACK(kFound, expect, 1, "announced programs") {
    ready();
    for (;;) {
        TestTool tool(path);
        for (int i = 0; i < 1000; ++i) tool.ask({{"cmd", "expect"}});
    }
}

// Each connection sends nonsense, which makes the server log a line.
XSCHED_ATTACK(kFound, nonsense, 2, "connections that are worth a log line each, two at a time") {
    ready();
    for (;;) {
        const base::UniqueFd connection(ipc::connect_path(path.c_str()));
        ipc::send_packet(connection.get(), "hello?", 6);
    }
}

XSCHED_ATTACK(kFound, clients, 1, "clients that come and go") {
    pile_up(ready, [&] {
        base::UniqueFd client = raw_client(path);
        if (!client) usleep(1000);
        return client;
    });
}

}  // namespace

}  // namespace xsched::test
