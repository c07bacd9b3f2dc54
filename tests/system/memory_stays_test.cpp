// On platforms whose memory XSched cannot move the program is told so, and goes on.
#include "system/cuda_rig.h"

namespace xsched::test {
namespace {

class MemoryStays : public CudaProcesses {
protected:
    // Returns how often a program says that its memory stays.
    int lines_of(const std::string& name, const Environment& more) {
        const auto program = start_program(name, 0, more);
        program->work();
        EXPECT_TRUE(program->advances()) << program->process().err();
        EXPECT_EQ(program->end(), 0) << program->process().err();
        const std::string& log = program->process().err();
        int lines = 0;
        for (size_t at = 0; (at = log.find("--evictable has no effect", at)) != std::string::npos; ++at) ++lines;
        return lines;
    }
};

TEST_F(MemoryStays, OneLineSaysSoWhereItIsAskedFor) {
    EXPECT_EQ(lines_of("asks", {{"XSCHED_EVICTABLE", "1"}}), 1);
    EXPECT_EQ(lines_of("does not ask", {}), 0);
}

}  // namespace
}  // namespace xsched::test
