// A program is told once of each thing that has no effect, although several libraries of XSched are in it.
#include "system/cuda_rig.h"

namespace xsched::test {
namespace {

class ToldOnce : public CudaProcesses {
protected:
    // Returns what a program with these variables logs until it has worked and ended.
    std::string log_of(const std::string& name, const Environment& more) {
        const auto program = start_program(name, 0, more);
        program->work();
        EXPECT_TRUE(program->advances()) << program->process().err();
        EXPECT_EQ(program->end(), 0) << program->process().err();
        return program->process().err();
    }
    static int count(const std::string& log, const std::string& text) {
        int lines = 0;
        for (size_t at = 0; (at = log.find(text, at)) != std::string::npos; ++at) ++lines;
        return lines;
    }
};

TEST_F(ToldOnce, ThatMemoryStaysOnPlatformsWhoseMemoryCannotBeMoved) {
    const std::string sentence = "--evictable has no effect";
    EXPECT_EQ(count(log_of("asks", {{"XSCHED_EVICTABLE", "1"}}), sentence), 1);
    EXPECT_EQ(count(log_of("does not ask", {}), sentence), 0);
    if (getenv("TEST_ON_HIP") != nullptr) return;  // it counts memory
    EXPECT_EQ(count(log_of("limits", {{"XSCHED_MEMORY_LIMIT", "1048576"}}), "--memory-limit has no effect with "), 1);
}

TEST_F(ToldOnce, OfEachValueThatIsNotUnderstood) {
    const Environment bad{{"XSCHED_AUTO_XQUEUE_LEVEL", "9"}, {"XSCHED_AUTO_XQUEUE_PRIORITY", "high"},
                          {"XSCHED_AUTO_XQUEUE", "perhaps"}, {"XSCHED_DEBUG", "forsight=1"},
                          {"XSCHED_FORESIGHT", "1"},         {"XLOG_LEVEL", "loud"}};
    const std::string log = log_of("bad", bad);
    for (const char* text :
         {"XSCHED_AUTO_XQUEUE_LEVEL=9", "XSCHED_AUTO_XQUEUE_PRIORITY=high", "XSCHED_AUTO_XQUEUE=perhaps",
          "\"forsight=1\" is no key", "XSCHED_FORESIGHT is a key of XSCHED_DEBUG", "XLOG_LEVEL=loud"})
        EXPECT_EQ(count(log, text), 1) << text << ": " << log;
}

}  // namespace
}  // namespace xsched::test
