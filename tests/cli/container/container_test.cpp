// Tests of xcli container without a container engine: the files and command lines that it writes are read as an
// engine reads them. With an engine: tests/packages/containers_test.py.
#include <fstream>

#include "cli/cli_rig.h"

namespace xsched::test {
namespace {

class Containers : public WithCli {
protected:
    // Returns the one device of the file.
    Json edits(std::vector<std::string> words) {
        words.insert(words.begin(), {"container", "cdi", "--platform", "opencl", "--sockets", directory.path()});
        const Outcome outcome = xcli(words);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        const Json file = outcome.json();
        EXPECT_EQ(file.value("kind", ""), "xsched.io/class");
        return file.contains("devices") ? file["devices"][0] : Json::object();
    }
    static bool sets(const Json& device, const std::string& variable) {
        const Json& all = device["containerEdits"]["env"];
        return std::find(all.begin(), all.end(), variable) != all.end();
    }
};

TEST_F(Containers, TheCdiFileHasLibrariesSocketAndHints) {
    const Json device = edits({"--name", "batch", "-p", "-5", "--share", "30", "--memory-limit", "2GiB"});
    EXPECT_EQ(device["name"], "batch");
    for (const char* variable :
         {"LD_PRELOAD=/opt/xsched/lib/$LIB/libshimopencl.so", "OPENCL_LAYERS=/opt/xsched/lib/libshimopencl.so",
          "XSCHED_START_SERVER=0", "XSCHED_AUTO_XQUEUE_PRIORITY=-5", "XSCHED_AUTO_XQUEUE_SHARE=30",
          "XSCHED_MEMORY_LIMIT=2147483648"})
        EXPECT_TRUE(sets(device, variable)) << variable << device;
    std::map<std::string, std::pair<std::string, std::string>> mounts;
    for (const Json& one : device["containerEdits"]["mounts"])
        mounts[one["containerPath"]] = {one["hostPath"], one["options"][0]};
    EXPECT_EQ(mounts["/opt/xsched/lib"], std::pair(std::string(XSCHED_LIBRARY_DIR), std::string("ro")));
    EXPECT_EQ(mounts["/run/xsched"], std::pair(directory.path(), std::string("rw")));
}

TEST_F(Containers, TheFileIsWrittenWhereItIsAskedFor) {
    const std::string place = directory / "xsched.json";
    const Outcome outcome =
        xcli({"container", "cdi", "--platform", "cuda", "--sockets", directory.path(), "-o", place});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "--device xsched.io/class=default")) << outcome.err;
    std::ifstream file(place);
    EXPECT_EQ(Json::parse(file, nullptr, false).value("cdiVersion", ""), "0.5.0");
    expect_sentence({"container", "cdi", "--platform", "cuda", "--sockets", directory.path(), "-o", "/proc/no/file"},
                    "cannot be written", 1);
}

// A shell runs the command line that xcli printed. In it, podman and docker are scripts that print their arguments.
TEST_F(Containers, ShellsReadTheLinesAsTheyAreMeant) {
    for (const char* engine : {"podman", "docker"}) {
        std::ofstream(directory / engine) << "#!/bin/sh\nprintf '%s\\n' \"$@\"\n";
        chmod((directory / engine).c_str(), 0755);
        const Outcome line = xcli({"container", "run", "--platform", "cuda", "--platform", "hip", "--engine", engine,
                                   "--sockets", directory.path(), "--", "image", "it's", "a b", "--flag", "$HOME"});
        ASSERT_EQ(line.status, 0) << line.err;
        const Outcome said = run_to_end({"/bin/sh", "-c", line.out}, {{"PATH", directory.path()}});
        for (const char* word :
             {"\n/dev/kfd\n", "\nimage\nit's\na b\n--flag\n$HOME\n", ":/opt/xsched/lib:ro\n",
              "\nLD_PRELOAD=/opt/xsched/lib/$LIB/libshimcuda.so:/opt/xsched/lib/$LIB/libshimhip.so\n"})
            EXPECT_TRUE(has(said.out, word)) << word << said.out;
        EXPECT_TRUE(has(said.out, std::string(engine) == "podman" ? "nvidia.com/gpu=all" : "--gpus\nall")) << said.out;
    }
}

TEST_F(Containers, MistakesAreNamed) {
    const auto refused = [this](std::vector<std::string> words, const std::string& part) {
        words.insert(words.begin() + 2, {"--sockets", directory.path()});
        expect_sentence(words, part);
    };
    refused({"container", "cdi", "--platform", "cuda", "--name", "a b"}, "is no name of a CDI device");
    refused({"container", "cdi", "--platform", "cuda", "image"}, "takes no image");
    refused({"container", "cdi", "--platform", "vulkan"}, "Vulkan programs in containers are not scheduled yet");
    refused({"container", "cdi", "--platform", "abacus"}, "there is no platform \"abacus\"");
    const Outcome told = xcli({"container", "cdi", "--platform", "cuda", "--sockets", directory / "none"});
    EXPECT_EQ(told.status, 0);
    EXPECT_TRUE(has(told.err, "there is no " + directory.path() + "/none")) << told.err;
}

}  // namespace
}  // namespace xsched::test
