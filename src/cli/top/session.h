// The effects of keys in xcli top: choosing, sorting, filtering, and changes that are asked for first. Knows no
// terminal. One thread.
#pragma once

#include <functional>
#include <string>

#include "cli/top/screen.h"
#include "cli/top/view.h"

namespace xsched::cli {

class TopSession {
public:
    // Sends a request to the server and returns the answer. Throws Failure.
    using Ask = std::function<Json(const Json& request, const char* pages)>;

    TopSession(Ask ask, TopView view) : ask_(std::move(ask)), view_(std::move(view)) {}

    // Asks the server anew. Old answers stay to be seen while it does not answer.
    void look();
    bool is_away() const { return !away_.empty(); }
    // Why there is no answer; empty: there is one.
    const std::string& away() const { return away_; }
    // False: the user wants to leave.
    bool press(int key);
    std::vector<TopLine> picture(size_t columns, size_t rows, bool utf8);
    const TopView& view() const { return view_; }

private:
    enum class Below { kNothing, kQueues, kExplanation };

    void take_look();
    bool answer_key(int key);
    void choose(int step);
    const TopRow* chosen() const;
    void show_below();
    // A line that the user types; `done` gets it at Enter.
    void begin_line(const std::string& question, const std::string& text, std::function<void(const std::string&)> done);
    bool edit_line(int key);
    // A question; `done` is called if the answer is y.
    void ask_first(const std::string& question, std::function<void()> done);
    // A refusal is shown in the last line.
    void order(const Json& request);
    void ask_number(const char* what, const char* member);
    void ask_policy();
    void ask_suspension();

    Ask ask_;
    TopView view_;
    TopRows rows_;
    Json answer_;
    Below below_ = Below::kNothing;
    std::string question_;  // of the line or the decision under way; empty: none
    std::string line_;
    std::string told_;  // what the last order came to
    std::string away_;
    std::function<void(const std::string&)> line_done_;
    std::function<void()> yes_;
};

}  // namespace xsched::cli
