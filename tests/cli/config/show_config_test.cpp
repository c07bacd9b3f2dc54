#include "cli/cli_rig.h"

namespace xsched::test {
namespace {

class ShowConfig : public WithCli {
protected:
    void write(const std::string& text, const std::string& name = "etc/x.toml") { make_file(directory / name, text); }
    // Returns what xcli config says of a setting.
    Json shown(const std::string& name, const Environment& environment = {}) {
        const Json answer = xcli({"config", "--json"}, environment).json();
        for (const Json& one : answer["settings"])
            if (one["name"] == name) return {one["value"], one["source"]};
        return {};
    }
};

TEST_F(ShowConfig, TellsEachValueAndWhereItComesFrom) {
    write("[server]\npolicy = \"UP\"\n[options]\ncopy_piece = -1\n[limits]\nhighest-priority = 50\n");
    write("[options]\ncopy_piece = 0\n", "own/y.toml");
    EXPECT_EQ(shown("server.policy"), (Json{"UP", directory / "etc/x.toml:2"}));
    EXPECT_EQ(shown("options.copy_piece"), (Json{"0", directory / "own/y.toml:2"})) << "the user's file is later";
    EXPECT_EQ(shown("options.copy_piece", {{"XSCHED_COPY_PIECE", "4096"}}), (Json{"4096", "XSCHED_COPY_PIECE"}));
    EXPECT_EQ(shown("limits highest-priority"), (Json{"50", directory / "etc/x.toml:6"}));
    EXPECT_EQ(shown("server.spin_us"), (Json{"-1", "default"}));
    EXPECT_TRUE(has(xcli({"config"}).out, "none answers")) << "no server runs";
}

TEST_F(ShowConfig, ARunningServerSaysWhatItUses) {
    start({"--starvation-limit-ms", "77"});
    EXPECT_EQ(shown("server.starvation_limit_ms"), (Json{"77", "--starvation-limit-ms"}));
}

TEST_F(ShowConfig, ChecksAFile) {
    write("[server]\npolicy = UP\nstarvation_limit_ms = 5\n[option]\n");
    const Outcome bad = xcli({"config", "check", directory / "etc/x.toml"});
    EXPECT_EQ(bad.status, 1);
    EXPECT_TRUE(has(bad.err, directory / "etc/x.toml:2: this is no TOML")) << bad.err;
    EXPECT_TRUE(has(bad.err, "write policy = \"UP\"")) << bad.err;
    EXPECT_TRUE(has(bad.err,
                    ":4: there is no \"option\": use [server], [options], [limits] and [[rule]] (did you mean "
                    "\"options\"?)"))
        << bad.err;
    write("[server]\npolicy = \"UP\"\n");
    const Outcome good = xcli({"config", "check", directory / "etc/x.toml"});
    EXPECT_EQ(good.status, 0) << good.err;
    EXPECT_TRUE(has(good.out, "nothing is wrong (1 settings, 0 limits, 0 rules)")) << good.out;
    EXPECT_EQ(xcli({"config", "check", directory / "none"}).status, 1);
}

}  // namespace
}  // namespace xsched::test
