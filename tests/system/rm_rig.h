// Programs on the fake CUDA driver (cuda_rig.h) with the fake kernel driver below it: their channels can be disabled,
// and tests see which are.
#pragma once

#include "fake/rm/fake_rm.h"
#include "system/cuda_rig.h"

namespace xsched::test {

// A program's file in the fake kernel driver.
class RmFile {
public:
    explicit RmFile(const std::string& path) {
        const base::UniqueFd file(open(path.c_str(), O_RDWR | O_CLOEXEC));
        void* memory = file ? mmap(nullptr, sizeof(fake::rm::State), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0)
                            : MAP_FAILED;
        state_ = memory != MAP_FAILED ? static_cast<fake::rm::State*>(memory) : nullptr;
    }
    ~RmFile() {
        if (state_ != nullptr) munmap(state_, sizeof(fake::rm::State));
    }
    RmFile(const RmFile&) = delete;
    RmFile& operator=(const RmFile&) = delete;

    bool there() const { return state_ != nullptr; }
    fake::rm::State& state() { return *state_; }
    unsigned disabled() const {
        unsigned count = 0;
        for (const auto& object : state_->objects) count += object.used != 0 && object.disabled.load() != 0 ? 1 : 0;
        return count;
    }
    unsigned disabled_on(uint32_t gpu) const {
        unsigned count = 0;
        for (const auto& object : state_->objects)
            count += object.used != 0 && object.disabled.load() != 0 && gpu_of(object) == gpu ? 1 : 0;
        return count;
    }
    uint32_t timeslice_us() const {
        for (const auto& object : state_->objects)
            if (object.used != 0 && object.object_class == 0xa06c && object.engine == 1) return object.timeslice_us;
        return 0;
    }
    // Returns whether a call is under way that does not end.
    bool in_a_call() {
        return !eventually(
            [this] {
                const int result = pthread_mutex_trylock(&state_->mutex);
                if (result == EBUSY) return false;
                if (result == EOWNERDEAD) pthread_mutex_consistent(&state_->mutex);
                pthread_mutex_unlock(&state_->mutex);
                return true;
            },
            100);
    }
    bool becomes_disabled(bool disabled, int within_ms = kPatienceMs) const {
        return eventually([&] { return (this->disabled() != 0) == disabled; }, within_ms);
    }

private:
    static constexpr uint32_t kNoGpu = UINT32_MAX;
    static constexpr uint32_t kDeviceClass = 0x80;

    uint32_t gpu_of(const fake::rm::Object& object) const {
        if (object.object_class == kDeviceClass) return object.gpu;
        for (const auto& other : state_->objects)
            if (other.used != 0 && other.client == object.client && other.handle == object.parent) return gpu_of(other);
        return kNoGpu;
    }

    fake::rm::State* state_ = nullptr;
};

class CudaOnRm : public CudaProcesses {
protected:
    void SetUp() override {
        setenv("FAKE_RM_DIR", directory.path().c_str(), 1);
        const char* fake = getenv("TEST_FAKE_RM");
        fake_ = fake != nullptr ? fake : "";
        start_with_rm();
    }
    void start_with_rm() {
        Environment environment = directory.environment();
        environment["LD_PRELOAD"] = fake_;
        environment.insert(server_more_.begin(), server_more_.end());
        server = std::make_unique<ServerProcess>(directory, server_words_, environment);
        ASSERT_TRUE(server->ready()) << server->process().err();
    }
    // Starts a program at level 3, unless `more` says XSCHED_INTERRUPT=0.
    std::unique_ptr<CudaProgram> start_on_rm(const std::string& name, int priority, const char* kernel_us,
                                             Environment more = {}) {
        const char* shim = getenv("TEST_SHIM");
        more.emplace("XSCHED_INTERRUPT", "1");
        more["LD_PRELOAD"] = std::string(shim != nullptr ? shim : "") + ":" + fake_;
        return start_program(name, priority, std::move(more), {"-", kernel_us, "/bin/sleep"});
    }
    // Returns the file of a program that has used the device.
    std::unique_ptr<RmFile> rm_of(pid_t pid) {
        const std::string path = directory.path() + "/" + std::to_string(pid) + "-0";
        eventually([&] { return access(path.c_str(), F_OK) == 0; });
        return std::make_unique<RmFile>(path);
    }

    std::string fake_;
    std::vector<std::string> server_words_;  // beyond where it listens
    Environment server_more_;
};

}  // namespace xsched::test
