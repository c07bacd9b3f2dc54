// Words, units and columns are the same everywhere. Each key of a real answer has a row in fields.def, which names this
// place of the answer, and a line in docs/json.md.
#include "cli/fields.h"

#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/cli_rig.h"
#include "support/trainer_and_urgent.h"

namespace xsched::test {
namespace {

const cli::Field* field_of(const std::string& key) {
    for (const cli::Field* field = cli::fields(); field->key != nullptr; ++field)
        if (key == field->key) return field;
    return nullptr;
}

std::string unit_of(const std::string& key) {
    for (const auto& [ending, unit] : {std::pair{"_ms", "ms"}, std::pair{"_us", "us"}, std::pair{"_percent", "%"}})
        if (key.ends_with(ending)) return unit;
    return "";
}

// Demands that every key of the object is documented, and so for objects within it that have places of their own.
void expect_known(const Json& object, char where) {
    static const std::map<std::string, char> kWithin = {
        {"devices", 'd'}, {"held", 'h'},     {"cost", 'h'},           {"by", 'b'},           {"victims", 'b'},
        {"bursts", 'n'},  {"commands", 'n'}, {"hold_lengths", 'n'},   {"stop_lengths", 'n'}, {"resume_lengths", 'n'},
        {"facts", 'p'},   {"work", 'w'},     {"request_lengths", 'n'}};
    for (const auto& [key, value] : object.items()) {
        SCOPED_TRACE(key);
        const cli::Field* field = field_of(key);
        ASSERT_NE(field, nullptr) << "it is not in src/cli/fields.def";
        EXPECT_NE(strchr(field->where, where), nullptr) << "fields.def does not say that " << where << " has it";
        const std::string unit = key == "not_us" ? "" : unit_of(key);
        EXPECT_TRUE(unit.empty() || unit == field->unit) << field->unit;
        const auto within = kWithin.find(key);
        if (within == kWithin.end()) continue;
        if (value.is_object()) expect_known(value, within->second);
        if (value.is_array())
            for (const Json& one : value) expect_known(one, within->second);
    }
}

// Demands that the object has each documented key, except those of `optional`, which only some objects have.
void expect_all(const Json& object, char where,
                const std::set<std::string>& optional = {"group_gets", "user_gets", "work"}) {
    for (const cli::Field* field = cli::fields(); field->key != nullptr; ++field)
        EXPECT_TRUE(strchr(field->where, where) == nullptr || optional.contains(field->key) ||
                    object.contains(field->key))
            << where << " has no " << field->key;
}

class Fields : public TrainerAndUrgent<WithCli> {
protected:
    void SetUp() override {
        TrainerAndUrgent::SetUp();
        begin_burst();
    }
};

TEST_F(Fields, AnswersHaveTheKeysOfTheTable) {
    const Json queue = xcli({"list", "--json"}).json()["queues"][0];
    expect_known(queue, 'l');
    expect_all(queue, 'l');
    const Json status = xcli({"status", "--json"}).json()["processes"][0];
    expect_known(status, 's');
    expect_all(status, 's');
    const Json looked = xcli({"top", "--json"}).json();
    const Json top = looked["programs"][0];
    expect_known(top, 't');
    expect_all(top, 't');
    expect_known(looked["devices"][0], 'u');
    expect_all(looked["devices"][0], 'u');
    EXPECT_EQ(looked["devices"][0]["device"], top["device"]);
    Json explained;
    const auto is_held = [&] {  // the server adds up holds now and then
        explained = xcli({"explain", "trainer", "--json"}).json()["programs"][0];
        return !explained["facts"]["held"][2]["by"].empty();
    };
    ASSERT_TRUE(eventually(is_held));
    expect_known(explained, 'e');
    expect_all(explained, 'e');
    expect_all(explained["facts"], 'p');
    expect_all(explained["facts"]["devices"][0], 'd');
}

TEST_F(Fields, NothingIsAPointer) {
    const std::string text = xcli({"list", "--json"}).out + xcli({"explain", "--json"}).out;
    for (const char* key : {"\"handle\"", "\"hwq\"", "0x"}) EXPECT_FALSE(has(text, key)) << key;
}

TEST_F(Fields, OpenClsMechanismIsAHold) {
    // The program is held, and gets a turn now and then by the starvation limit, so its state changes.
    EXPECT_TRUE(eventually([&] { return xcli({"list", "--json"}).json()["queues"][0]["mechanism"] == "hold"; }));
    EXPECT_TRUE(xcli({"explain", "--json"}).json()["programs"][0]["facts"]["preempted_by"].contains("hold"));
}

TEST_F(Fields, PromisesAndWorkToo) {
    TestTool tool(socket());
    ASSERT_TRUE(tool.ask({{"cmd", "promise"}, {"target_us", 5000}}).value("ok", false));
    const Json promise = tool.ask({{"cmd", "promises"}})["promises"][0];
    expect_known(promise, 'm');
    expect_all(promise, 'm');
    expect_known(tool.ask({{"cmd", "programs"}, {"work", true}})["programs"][0], 'p');
}

TEST_F(Fields, TheTableIsPrintedAndDocumented) {
    std::ifstream file(XSCHED_SOURCES "/docs/json.md");
    std::stringstream text;
    text << file.rdbuf();
    const Json answer = xcli({"json", "--json"}).json();
    for (const Json& field : answer["fields"]) {
        const std::string unit = field["unit"].get<std::string>();
        const std::string line = "| `" + field["key"].get<std::string>() + "` | " + (unit.empty() ? "-" : unit) +
                                 " | " + field["in"].get<std::string>() + " | " + field["help"].get<std::string>() +
                                 " |\n";
        EXPECT_TRUE(has(text.str(), line)) << "docs/json.md should say: " << line;
    }
    EXPECT_TRUE(has(xcli({"json"}).out, "held_percent"));
}

// Each key that xcli metrics reads from the server's answers must be in the table of fields.
TEST_F(Fields, MetricsReadKeysOfTheTable) {
    const char* const members[] = {
#define XSCHED_METRIC(name, type, scope, member, scale, unit, help) #scope, member,
#include "cli/metrics/metrics.def"
#undef XSCHED_METRIC
    };
    for (size_t i = 0; i < std::size(members); i += 2)
        EXPECT_TRUE(strcmp(members[i], "kServer") == 0 || field_of(members[i + 1]) != nullptr) << members[i + 1];
}

}  // namespace
}  // namespace xsched::test
