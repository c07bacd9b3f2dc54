// A log without a reader, and strangers who would like to write a lot of it.
#include "server/hostile.h"

namespace xsched::test {
namespace {

class LogAttack : public UnderAttack {
protected:
    void SetUp() override {
        NEEDS_ROOT("to become other users");
        chmod(directory.path().c_str(), 0755);
    }
    void start_with(const std::map<std::string, std::string>& more) {
        Environment environment = directory.environment();
        for (const auto& [name, value] : more) environment[name] = value;
        server = std::make_unique<ServerProcess>(directory, std::vector<std::string>{"--system"}, environment);
        ASSERT_TRUE(server->ready()) << server->process().err();
    }
    // Makes many lines, about any client.
    void make_lines() const {
        for (int i = 0; i < 1500; ++i) {
            TestClient client(socket());
            if (!client.connected()) return;
        }
    }
};

TEST_F(LogAttack, StandardErrorThatNobodyReads) {
    start_with({{"XLOG_LEVEL", "DEBG"}});
    make_lines();  // the output is not read meanwhile: the pipe is full
    expect_answers();
    expect_scheduling();
    kill(server->pid(), SIGTERM);
    EXPECT_EQ(server->process().wait(), 0);
}

TEST_F(LogAttack, AFifoWithoutAReader) {
    const std::string fifo = directory.path() + "/log";
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    start_with({{"XLOG_FILE", fifo}, {"XLOG_LEVEL", "DEBG"}});
    make_lines();
    expect_answers();
    expect_scheduling();
    EXPECT_EQ(server->stop(), 0);
}

TEST_F(LogAttack, LinesAboutStrangersAreCounted) {
    const std::string file = directory.path() + "/log";
    start_with({{"XLOG_FILE", file}});
    const std::string path = socket();
    const int64_t began = base::now_ns();
    as_user(kAttackerUid, [&path] {
        for (int i = 0; i < 2000; ++i) {
            const base::UniqueFd connection(ipc::connect_path(path.c_str()));
            ipc::send_packet(connection.get(), "hello?", 6);
        }
        return 0;
    });
    const auto seconds = (base::now_ns() - began) / base::kSecond + 2;
    const auto text = [&file] {
        std::string all;
        FILE* log = fopen(file.c_str(), "re");
        char line[2048];
        while (log != nullptr && fgets(line, sizeof(line), log) != nullptr) all += line;
        if (log != nullptr) fclose(log);
        return all;
    };
    EXPECT_TRUE(eventually([&] { return text().find("more lines about uid 65534 left out") != std::string::npos; }))
        << text();
    const std::string all = text();
    EXPECT_LE(std::count(all.begin(), all.end(), '\n'), 21 * seconds + 10);
    EXPECT_EQ(server->stop(), 0);
}

}  // namespace
}  // namespace xsched::test
