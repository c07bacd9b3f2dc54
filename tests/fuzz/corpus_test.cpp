// Every file of the corpora, once: seeds, and inputs that were findings once.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "fuzz/target.h"

namespace xsched::fuzz {
namespace {

std::map<std::string, Target>& targets() {
    static std::map<std::string, Target> all;
    return all;
}

std::vector<std::filesystem::path> inputs_of(const std::string& target) {
    std::vector<std::filesystem::path> files;
    const auto folder = std::filesystem::path(XSCHED_CORPUS) / target;
    if (!std::filesystem::is_directory(folder)) return files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

TEST(Corpus, EachTargetTakesItsInputs) {
    silence_log();
    ASSERT_FALSE(targets().empty());
    for (const auto& [name, target] : targets()) {
        const auto files = inputs_of(name);
        EXPECT_FALSE(files.empty()) << "corpus/" << name << " has no seeds";
        for (const auto& path : files) {
            SCOPED_TRACE(path);
            fprintf(stderr, "%s/%s\n", name.c_str(), path.filename().c_str());
            std::ifstream file(path, std::ios::binary);
            target(std::string(std::istreambuf_iterator<char>(file), {}));
        }
        target("");
    }
}

TEST(Corpus, EachFolderHasItsTarget) {
    for (const auto& entry : std::filesystem::directory_iterator(XSCHED_CORPUS))
        EXPECT_TRUE(targets().contains(entry.path().filename())) << entry.path() << " belongs to no target";
}

}  // namespace

bool add_target(const char* name, Target target) {
    targets().emplace(name, target);
    return true;
}

}  // namespace xsched::fuzz
