// The common part of the tests of xcli doctor --run: runs it on a stand-in for a driver, and checks its findings.
#pragma once

#include <sys/stat.h>

#include "cli/cli_rig.h"

namespace xsched::test {

constexpr int64_t kMostSeconds = 120;  // what a user is told to wait

// Runs xcli doctor --run on stand-ins, and checks the verdicts on levels and their reasons.
class DoctorRuns : public WithCli {
protected:
    // The HIP stand-in with AMD's kernel driver below it, and what else the environment says.
    void try_hip(const std::string& steps, const Environment& faults, const std::vector<std::string>& more = {}) {
        Environment environment{{"XSCHED_HIP_LIB", FAKE_HIP},
                                {"LD_PRELOAD", FAKE_KFD},
                                {"FAKE_KFD", "1"},
                                {"FAKE_CUDA_SHARED", directory / "device"}};
        run("hip", steps, environment, faults, more);
    }
    void try_cuda(const std::string& steps, const Environment& faults, const std::vector<std::string>& more = {}) {
        const std::string folder = directory / "driver", files = directory / "rm";
        mkdir(folder.c_str(), 0700);
        mkdir(files.c_str(), 0700);
        if (symlink(FAKE_CUDA, (folder + "/libcuda.so.1").c_str()) != 0 && errno != EEXIST) ADD_FAILURE();
        Environment environment{{"XSCHED_CUDA_LIB", FAKE_CUDA},
                                {"LD_LIBRARY_PATH", folder},
                                {"LD_PRELOAD", FAKE_RM},
                                {"FAKE_RM_DIR", files},
                                {"FAKE_CUDA_SHARED", directory / "device"}};
        run("cuda", steps, environment, faults, more);
    }

    // Runs xcli doctor --run on the fake OpenCL platform, which does not execute the trials' own kernels.
    void try_opencl(const std::string& steps, const Environment& faults) {
        run("opencl", steps, {{"OCL_ICD_VENDORS", FAKE_CL}}, faults, {});
    }

    const Json& level(int number) const { return report["metrics"]["levels"].at(number - 1); }
    // Returns whether the condition holds after some tries. A try that a busy machine has spoiled is repeated; a
    // wrong verdict comes again each time.
    template <typename Condition>
    bool comes_to_be(Condition condition) {
        constexpr int kMostTimes = 7;
        for (int again = 0; again < kMostTimes && !condition(); ++again) ask();
        return condition();
    }
    // Checks a level's verdict and reason. On a busy machine "no verdict" with the same reason is accepted: a step
    // that hangs there may only be slow.
    void expect_level(int number, const std::string& verdict, const std::string& because) {
        const auto reason = [&] { return level(number)["because"].get<std::string>(); };
        const auto busy = [&] {
            return level(number)["verdict"] == "no verdict" && has(reason(), "this machine was busy");
        };
        const auto judged = [&] { return level(number)["verdict"] == verdict || busy(); };
        comes_to_be([&] { return judged() && has(reason(), because); });
        EXPECT_TRUE(judged()) << outcome.out;
        EXPECT_TRUE(has(reason(), because)) << level(number);
    }
    // Expects that nothing but times speaks against the level: those of stand-ins on a busy machine may have any
    // verdict.
    void expect_times_alone(int number) const {
        const std::string verdict = level(number)["verdict"], because = level(number)["because"];
        if (verdict != "do not use") return;
        EXPECT_TRUE(has(because, "it does not help here") || has(because, "are promised")) << because;
    }
    void expect_note(const std::string& part) {
        EXPECT_TRUE(comes_to_be([&] { return has(report["notes"].dump(), part); })) << report["notes"];
    }
    const Json& step(const std::string& name) const {
        static const Json none;
        for (const Json& one : report["metrics"]["steps"])
            if (one["step"] == name) return one;
        ADD_FAILURE() << "no step " << name << " in " << outcome.out;
        return none;
    }

    std::string patience = "6";  // of each step, for busy machines
    Outcome outcome;
    Json report;

    void run(const std::string& platform, const std::string& steps, Environment environment, const Environment& faults,
             const std::vector<std::string>& more) {
        std::vector<std::string> words{"doctor",    "--run", "--platform", platform, "--json",
                                       "--seconds", "0.5",   "--patience", patience};
        if (!steps.empty()) words.insert(words.end(), {"--steps", steps});
        words.insert(words.end(), more.begin(), more.end());
        for (const auto& [name, value] : faults) environment[name] = value;
        words_ = words;
        environment_ = environment;
        ask();
    }

private:
    void ask() {
        const int64_t began = base::now_ns();
        outcome = xcli(words_, environment_);
        EXPECT_LT(base::now_ns() - began, kMostSeconds * base::kSecond) << "a verdict takes too long";
        report = outcome.json();
        ASSERT_TRUE(report.is_object()) << outcome.out << outcome.err;
    }

    std::vector<std::string> words_;
    Environment environment_;
};

}  // namespace xsched::test
