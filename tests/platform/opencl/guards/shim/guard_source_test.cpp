// The guard in a program's text: where it goes, and which kernels are left alone. The samples are compiled by an OpenCL
// driver, too, where there is one.
#include "platform/opencl/guards/shim/guard_source.h"

#include <gtest/gtest.h>

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include "platform/opencl/guards/hal/guard_words.h"
#include "platform/opencl/guards/shim/samples.h"
#include "support/text.h"

namespace xsched::opencl {
namespace {

using test::Sample;
using test::samples;

class GuardSource : public ::testing::TestWithParam<Sample> {};

TEST_P(GuardSource, GuardsWhatStandsPlainlyInTheText) {
    const Sample& sample = GetParam();
    const GuardedSource made = guard_source(sample.source, sample.kernels);
    EXPECT_EQ(made.guarded, sample.guarded);
    EXPECT_EQ(made.left_alone.size(), sample.kernels.size() - sample.guarded.size());
    EXPECT_EQ(made.text.empty(), sample.guarded.empty());
}

// Returns the part of the guarded text that is the program's own.
std::string body_of(const std::string& text) {
    const std::string head_end = "#line 1\n";
    return text.substr(text.find(head_end) + head_end.size());
}

TEST_P(GuardSource, LeavesTheRestOfTheTextAsItIs) {
    const Sample& sample = GetParam();
    const std::string all = guard_source(sample.source, sample.kernels).text;
    if (all.empty()) return;
    std::string text = body_of(all);
    for (const std::string& added :
         {std::string(", ") + kGuardParameterText, std::string(kGuardParameterText), std::string(kGuardPrologue)})
        for (size_t at = text.find(added); at != std::string::npos; at = text.find(added)) text.erase(at, added.size());
    std::string source = sample.source;
    if (const size_t at = source.find("(void) {"); at != std::string::npos) source.erase(at + 1, 4);
    EXPECT_EQ(text, source);
}

INSTANTIATE_TEST_SUITE_P(Samples, GuardSource, ::testing::ValuesIn(samples()),
                         [](const auto& sample) { return std::string(sample.param.name); });

TEST(GuardSourceText, APrologueForEachDefinitionAndParametersForEachPrototype) {
    const GuardedSource made =
        guard_source("__kernel void a(int x);\n__kernel void a(int x) {}\n__kernel void b(int x) {}", {"a", "b"});
    EXPECT_EQ(test::occurrences(body_of(made.text), kGuardPrologue), 2);
    EXPECT_EQ(test::occurrences(body_of(made.text), std::string(", ") + kGuardParameterText), 3);
}

TEST(GuardSourceText, LinesKeepTheirNumbers) {
    const std::string source = "__kernel void a(int x)\n{\n}\n";
    const GuardedSource made = guard_source(source, {"a"});
    EXPECT_EQ(test::occurrences(body_of(made.text), "\n"), test::occurrences(source, "\n"));
}

TEST(GuardSourceText, ProgramsThatEnqueueOnTheDeviceAreLeftAlone) {
    const GuardedSource made =
        guard_source("__kernel void a(int x) { enqueue_kernel(get_default_queue(), 0, r, ^{ }); }", {"a"});
    EXPECT_TRUE(made.text.empty());
    ASSERT_EQ(made.left_alone.size(), 1u);
    EXPECT_STREQ(made.left_alone[0].why, "its kernels enqueue kernels");
}

TEST(GuardSourceText, OurNamesInTheProgramAreLeftAlone) {
    EXPECT_TRUE(guard_source("__kernel void a(int xsched_guard_go) {}", {"a"}).text.empty());
}

TEST(GuardSourceText, AKernelThatIsOnlyDeclaredIsNotThere) {
    const GuardedSource made = guard_source("__kernel void a(int x);", {"a", "b"});
    ASSERT_EQ(made.left_alone.size(), 2u);
    EXPECT_TRUE(made.left_alone[0].absent);
    EXPECT_TRUE(made.left_alone[1].absent);
}

TEST(GuardSourceText, BrokenTextsAreSurvived) {
    for (const char* text : {"", "__kernel void a(", "__kernel void a(int x", "__kernel void a(int x)",
                             "__kernel void a(int x) /*", "\"", "'", "\\", "#", "a(;) {", "a(()", "a"})
        EXPECT_TRUE(guard_source(text, {"a"}).text.empty()) << text;
}

TEST(GuardSourceText, EveryBeginningOfASampleIsSurvived) {
    for (const Sample& sample : samples())
        for (std::string text = sample.source; !text.empty(); text.pop_back())
            EXPECT_LE(guard_source(text, sample.kernels).guarded.size(), sample.kernels.size());
}

TEST(GuardSourceText, OneOfSeveralTextsHasTheTail) {
    const std::string source = "__kernel void a(int x) {}";
    EXPECT_EQ(test::occurrences(guard_source(source, {"a"}, SourcePart::kFirst).text, kTailKernel), 2);
    EXPECT_EQ(test::occurrences(guard_source(source, {"a"}, SourcePart::kOther).text, kTailKernel), 0);
    EXPECT_EQ(test::occurrences(guard_source(source, {"a"}, SourcePart::kOther).text, "static void xsched_guard_enter"),
              1);
}

TEST(GuardSourceNames, AreReadFromTheDriversList) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(names_in("a;b_2;c"), (Names{"a", "b_2", "c"}));
    EXPECT_EQ(names_in(" a ; b;"), (Names{"a", "b"}));
    EXPECT_EQ(names_in(std::string_view("a;b\0", 4)), (Names{"a", "b"}));
    EXPECT_EQ(names_in(""), Names{});
}

// --- what a driver makes of it

class GuardSourceBuilt : public ::testing::TestWithParam<Sample> {};

cl_program built(cl_context context, cl_device_id device, const std::string& text, const char* options) {
    const char* start = text.c_str();
    cl_program program = clCreateProgramWithSource(context, 1, &start, nullptr, nullptr);
    const cl_int code = clBuildProgram(program, 1, &device, options, nullptr, nullptr);
    char log[4096] = {};
    if (code != CL_SUCCESS) clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, nullptr);
    EXPECT_EQ(code, CL_SUCCESS) << log;
    return program;
}

int parameters_of(cl_program program, const std::string& name) {
    cl_uint count = 0;
    cl_kernel kernel = clCreateKernel(program, name.c_str(), nullptr);
    if (kernel == nullptr) return -1;
    clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr);
    clReleaseKernel(kernel);
    return static_cast<int>(count);
}

TEST_P(GuardSourceBuilt, HasThreeParametersMore) {
    const Sample& sample = GetParam();
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS)
        GTEST_SKIP() << "no OpenCL device on this machine";
    cl_bool images = CL_FALSE;
    clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, nullptr);
    if (images == CL_FALSE && std::string(sample.name) == "Images") GTEST_SKIP() << "the device has no images";
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    cl_program original = built(context, device, sample.source, sample.options);
    char names[1024] = {};
    clGetProgramInfo(original, CL_PROGRAM_KERNEL_NAMES, sizeof names - 1, names, nullptr);
    const std::vector<std::string> kernels = names_in(names);
    EXPECT_EQ(kernels.size(), sample.kernels.size()) << names;
    const GuardedSource made = guard_source(sample.source, kernels);
    if (!made.text.empty()) {
        cl_program guarded = built(context, device, made.text, sample.options);
        for (const std::string& name : made.guarded)
            EXPECT_EQ(parameters_of(guarded, name), parameters_of(original, name) + 3) << name;
        EXPECT_EQ(parameters_of(guarded, kTailKernel), 0);
        clReleaseProgram(guarded);
    }
    clReleaseProgram(original);
    clReleaseContext(context);
}

INSTANTIATE_TEST_SUITE_P(Samples, GuardSourceBuilt, ::testing::ValuesIn(samples()),
                         [](const auto& sample) { return std::string(sample.param.name); });

}  // namespace
}  // namespace xsched::opencl
