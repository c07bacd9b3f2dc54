// Sets and reads environment variables of the test's own process. setenv() is not safe with threads, so call these
// before the test starts any.
#pragma once

#include <cstdlib>
#include <map>
#include <optional>
#include <string>

namespace xsched::test {

using Environment = std::map<std::string, std::string>;  // an empty value unsets

inline void change_environment(const Environment& environment) {
    for (const auto& [name, value] : environment) {
        if (value.empty())
            unsetenv(name.c_str());
        else
            setenv(name.c_str(), value.c_str(), 1);
    }
}

// Sets variables for its lifetime, and then restores them.
class WithEnvironment {
public:
    explicit WithEnvironment(const Environment& environment) {
        for (const auto& [name, value] : environment) {
            const char* old = getenv(name.c_str());
            before_[name] = old != nullptr ? std::optional<std::string>(old) : std::nullopt;
        }
        change_environment(environment);
    }
    ~WithEnvironment() {
        for (const auto& [name, value] : before_) {
            if (value)
                setenv(name.c_str(), value->c_str(), 1);
            else
                unsetenv(name.c_str());
        }
    }
    WithEnvironment(const WithEnvironment&) = delete;
    WithEnvironment& operator=(const WithEnvironment&) = delete;

private:
    std::map<std::string, std::optional<std::string>> before_;
};

// Returns the number in this environment variable (for long runs), or the usual number if it is not set.
inline int count_of(const char* variable, int usual) {
    const char* value = getenv(variable);
    return value != nullptr && *value != '\0' ? std::atoi(value) : usual;
}

}  // namespace xsched::test
