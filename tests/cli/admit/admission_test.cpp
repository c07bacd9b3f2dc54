// xcli admit: from what is known of the programs to a verdict, without a server.
#include "cli/admit/admission.h"

#include "cli/admit/program_name.h"
#include "cli/admit/workload_text.h"
#include "cli/cli_rig.h"

namespace xsched::test {
namespace {

using cli::Admission;
using cli::Candidate;
using cli::Situation;
using cli::situation_of;

Json all_of(double us) { return Json(std::vector<double>(cli::kWorkParts.size(), us)); }

Json requests(double request_us, double rest_us) {
    return {{"endless", false},
            {"request_us", all_of(request_us)},
            {"rest_us", all_of(rest_us)},
            {"command_us", all_of(100)}};
}

Json trainer() { return {{"endless", true}, {"command_us", all_of(5000)}}; }

Json running(const char* name, int pid, const Json& work, int device = 0) {
    return {{"program", name}, {"pid", pid}, {"level", 3}, {"work", work}, {"devices", {{{"device_index", device}}}}};
}

Json answers(const std::vector<Json>& programs) {
    return {
        {"policy", "HPF"}, {"programs", programs}, {"known", {{{"program", "serve"}, {"work", requests(1000, 9000)}}}}};
}

Candidate serve(int64_t target_us) { return {.name = "serve", .hints = {{"priority", 10}, {"slo_p99", target_us}}}; }

Json simulated(const std::vector<std::pair<int, double>>& count_and_p99) {
    Json programs = Json::array();
    for (const auto& [count, p99] : count_and_p99)
        programs.push_back({{"latency_us", {{"count", count}, {"p99", p99}}}});
    return {{"runs", {{{"programs", programs}}}}};
}

TEST(Admission, WithoutPromisesNothingIsSimulated) {
    const Situation alone = situation_of(answers({}), {.name = "serve"});
    ASSERT_TRUE(judge_without_simulation(alone));
    EXPECT_EQ(judge_without_simulation(alone)->kind, Admission::Kind::kAdmitted);
    const Situation asked = situation_of(answers({running("train", 7, trainer())}), serve(2000));
    EXPECT_FALSE(judge_without_simulation(asked)) << "the simulator has to say";
}

TEST(Admission, WhatIsUnknownIsSaid) {
    Candidate candidate = serve(2000);
    candidate.name = "other";
    const auto unknown = judge_without_simulation(situation_of(answers({}), candidate));
    ASSERT_TRUE(unknown);
    EXPECT_EQ(unknown->kind, Admission::Kind::kUnknown);
    EXPECT_EQ(unknown->sentence, "nothing is known of other") << "on trial, too";
    EXPECT_EQ(unknown->with_advice(), "nothing is known of other: run it once on trial, with --unknown run");
    const auto beside = judge_without_simulation(situation_of(answers({running("train", 7, nullptr)}), serve(2000)));
    ASSERT_TRUE(beside);
    EXPECT_EQ(beside->kind, Admission::Kind::kUnknown);
    EXPECT_TRUE(has(beside->sentence, "train (pid 7)")) << beside->sentence;
}

TEST(Admission, AMisspeltProgramIsToldWhichOneIsKnown) {
    Json said = answers({running("train", 7, trainer())});
    for (const char* known : {"python3 serve.py", "python3 a.py", "python3 -m vllm"})
        said["known"].push_back({{"program", known}, {"work", requests(1000, 9000)}});
    const std::pair<const char*, const char*> all[] = {{"srve", " (did you mean \"serve\"?)"},
                                                       {"trian", " (did you mean \"train\"?)"},
                                                       {"python3 b.py", ""},
                                                       {"python3 sevre.py", " (did you mean \"python3 serve.py\"?)"},
                                                       {"python3 -m vlm", " (did you mean \"python3 -m vllm\"?)"},
                                                       {"python3", ""},
                                                       {"serve.py", ""}};
    for (const auto& [name, suggestion] : all) {
        Candidate candidate = serve(2000);
        candidate.name = name;
        const auto unknown = judge_without_simulation(situation_of(said, candidate));
        ASSERT_TRUE(unknown) << name;
        EXPECT_EQ(unknown->sentence, "nothing is known of " + std::string(name) + suggestion);
    }
}

TEST(Admission, ATargetBelowTheTimeAloneIsRefused) {
    const auto refused = judge_without_simulation(situation_of(answers({}), serve(900)));
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->kind, Admission::Kind::kRefused);
    EXPECT_TRUE(has(refused->sentence, "in the time that it is not held")) << refused->sentence;
    EXPECT_TRUE(has(refused->sentence, "programs of its priority beside it"))
        << "the book cannot tell: " << refused->sentence;
    EXPECT_FALSE(refused->waiting_helps);
}

TEST(Admission, WaitingDoesNotHelpAProgramThatIsAlone) {
    const Admission alone = judge(situation_of(answers({}), serve(2000)), simulated({{100, 2500}}));
    EXPECT_EQ(alone.kind, Admission::Kind::kRefused);
    EXPECT_FALSE(alone.waiting_helps);
}

TEST(Admission, AProgramWithoutRestsGetsNoPromise) {
    Json said = answers({});
    said["known"][0]["work"] = trainer();
    const auto refused = judge_without_simulation(situation_of(said, serve(9000)));
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->kind, Admission::Kind::kRefused);
    EXPECT_TRUE(has(refused->sentence, "it can have no target")) << refused->sentence;
}

// A program that was not followed counts as one without rests for others, and says nothing of its next run.
TEST(Admission, AnAssumptionIsForTheOthersAlone) {
    Json assumed = trainer();
    assumed["assumed"] = true;
    const Json said = answers({running("train", 7, assumed)});
    EXPECT_FALSE(judge_without_simulation(situation_of(said, serve(2000)))) << "the simulator has to say";
    Candidate another = serve(2000);
    another.name = "train";
    const auto unknown = judge_without_simulation(situation_of(said, another));
    ASSERT_TRUE(unknown);
    EXPECT_EQ(unknown->kind, Admission::Kind::kUnknown);
}

TEST(Admission, AllPromisesHaveToHold) {
    Json api = running("api", 12, requests(500, 5000));
    api["slo_p99"] = 5000;
    const Situation situation = situation_of(answers({running("train", 7, trainer()), api}), serve(2000));
    ASSERT_EQ(situation.programs.size(), 3U);
    const Admission good = judge(situation, simulated({{0, 0}, {100, 4000}, {100, 1500}}));
    EXPECT_EQ(good.kind, Admission::Kind::kAdmitted);
    EXPECT_EQ(good.predictions.size(), 2U);
    EXPECT_EQ(good.predictions.back().program, "serve");
    EXPECT_TRUE(has(good.sentence, "(target: 2.0 ms); the target of 1 other program holds with it")) << good.sentence;
    const Admission others = judge(situation, simulated({{0, 0}, {100, 7100}, {100, 1500}}));
    EXPECT_EQ(others.kind, Admission::Kind::kRefused);
    EXPECT_TRUE(others.waiting_helps);
    EXPECT_TRUE(has(others.sentence, "api (pid 12) would miss its target: 99 of 100")) << others.sentence;
    const Admission own = judge(situation, simulated({{0, 0}, {100, 4000}, {100, 2500}}));
    EXPECT_EQ(own.kind, Admission::Kind::kRefused);
    EXPECT_FALSE(has(own.sentence, "-p 10")) << "it has a priority";
    const Admission starved = judge(situation, simulated({{0, 0}, {100, 4000}, {3, 100}}));
    EXPECT_EQ(starved.kind, Admission::Kind::kRefused);
    EXPECT_TRUE(has(starved.sentence, "would hardly get the device")) << starved.sentence;
}

TEST(Admission, APriorityThatGoesBeforeTheOthersIsNamed) {
    Json api = running("api", 12, requests(500, 5000));
    for (const int64_t priority : {0, 10, 255}) {
        api["priority"] = priority;
        const Candidate candidate{.name = "serve", .hints = {{"slo_p99", 2000}}};
        const std::string said =
            judge(situation_of(answers({api}), candidate), simulated({{100, 4000}, {100, 2500}})).sentence;
        EXPECT_EQ(has(said, "(-p 10)"), priority == 0) << said;
        EXPECT_EQ(has(said, "(-p 11)"), priority == 10) << said;
    }
}

TEST(Admission, OnlyProgramsOfTheDeviceCount) {
    const Json both = answers({running("train", 7, trainer(), 0), running("other", 8, nullptr, 1)});
    EXPECT_THROW(situation_of(both, serve(2000)), cli::Failure) << "which device?";
    Candidate candidate = serve(2000);
    candidate.device = 0;
    EXPECT_EQ(situation_of(both, candidate).programs.size(), 2U);
}

TEST(Admission, AnAdmittedProgramCountsBeforeItsFirstRequest) {
    Json said = answers({});
    said["promises"] = {{{"program", "serve"}, {"pid", 5}, {"promise", "awaited"}, {"hints", {{"slo_p99", 3000}}}},
                        {{"program", "serve"}, {"pid", 4}, {"promise", "over"}, {"hints", {{"slo_p99", 3000}}}}};
    const Situation situation = situation_of(said, {.name = "train"});
    ASSERT_EQ(situation.programs.size(), 2U);
    EXPECT_EQ(situation.programs[0].target_us(), 3000);
    EXPECT_TRUE(situation.programs[0].work);
}

TEST(Admission, AFactorIsOfTheUsualRequestAlone) {
    const Situation situation = situation_of(answers({}), serve(-150));
    EXPECT_EQ(situation.programs.back().target_us(), 1500);
}

TEST(Admission, TheWorkloadSaysEachProgram) {
    const Situation situation = situation_of(answers({running("train", 7, trainer())}), serve(2000));
    const std::string text = workload_text(situation);
    EXPECT_TRUE(has(text, "policy = \"HPF\"")) << text;
    EXPECT_TRUE(has(text, "kind = \"stream\"")) << text;
    EXPECT_TRUE(has(text, "hints = { priority = 10, slo_p99 = 2000 }")) << text;
    EXPECT_TRUE(has(text, "kernels = [10.0, 10.0")) << "ten commands of 100 us: " << text;
    EXPECT_TRUE(has(text, "think_us = [9000.0")) << text;
}

TEST(Admission, TheWorkloadSaysTheBurstsOfARequest) {
    Json said = answers({});
    said["known"][0]["work"]["burst_count"] = all_of(40);
    said["known"][0]["work"]["pauses_us"] = all_of(250);
    const std::string text = workload_text(situation_of(said, serve(2000)));
    EXPECT_TRUE(has(text, "length_us = [1000.0")) << text;
    EXPECT_TRUE(has(text, "kernels = [40.0")) << "one for each burst at least: " << text;
    EXPECT_TRUE(has(text, "waits = [40.0")) << text;
    EXPECT_TRUE(has(text, "pauses_us = [250.0")) << text;
    said["known"][0]["work"]["burst_count"][0] = "x";
    EXPECT_FALSE(situation_of(said, serve(2000)).programs.back().work) << "nonsense";
}

// The longest of all may have waited for something else.
TEST(Admission, TheSlowestPercentRisesAsBeforeIt) {
    Json said = answers({});
    Json& length = said["known"][0]["work"]["request_us"];
    length[7] = 1040;
    length[8] = 90000;
    EXPECT_TRUE(has(workload_text(situation_of(said, serve(2000))), "1040.0, 1050.0], kernels"));
    length[8] = 1045;
    EXPECT_TRUE(has(workload_text(situation_of(said, serve(2000))), "1040.0, 1045.0], kernels"));
}

TEST(Admission, NamesAreTheServers) {
    EXPECT_EQ(cli::program_name_of({"/opt/serve", "-p", "1"}), "serve");
    EXPECT_EQ(cli::program_name_of({"python3", "-X", "dev", "/srv/serve.py"}), "python3 serve.py");
    EXPECT_EQ(cli::program_name_of({"python3.11", "-m", "vllm"}), "python3.11 -m vllm");
    EXPECT_EQ(cli::program_name_of({"python3", "-c", "pass"}), "python3");
}

}  // namespace
}  // namespace xsched::test
