#include "platform/opencl/guards/shim/source_tokens.h"

#include "base/text.h"

namespace xsched::opencl {
namespace {

bool is_word(char c) { return base::is_alnum(c) || c == '_' || c == '$'; }

class Scanner {
public:
    explicit Scanner(std::string_view source) : source_(source) {}

    std::vector<Token> run() {
        while (at_ < source_.size()) step();
        return std::move(tokens_);
    }

private:
    char peek(size_t ahead) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }

    // The length of a backslash that joins this line to the next one; 0: there is none.
    size_t splice() const {
        if (peek(0) != '\\') return 0;
        if (peek(1) == '\n') return 2;
        return peek(1) == '\r' && peek(2) == '\n' ? 3 : 0;
    }

    void step() {
        const char c = source_[at_];
        if (const size_t joined = splice(); joined != 0)
            at_ += joined;
        else if (c == '\n')
            new_line();
        else if (base::is_space(c))
            ++at_;
        else if (c == '/' && peek(1) == '/')
            line_comment();
        else if (c == '/' && peek(1) == '*')
            block_comment();
        else if (c == '"' || c == '\'')
            literal(c);
        else if (is_word(c))
            word();
        else
            sign(c);
    }

    void new_line() {
        ++at_;
        directive_ = false;
        line_has_tokens_ = false;
    }

    void line_comment() {
        while (at_ < source_.size() && source_[at_] != '\n') {
            const size_t joined = splice();
            at_ += joined != 0 ? joined : 1;
        }
    }

    void block_comment() {
        const size_t end = source_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? source_.size() : end + 2;
    }

    // Reads a character or string literal, which ends at the line's end at the latest. An apostrophe in a directive's
    // text (#error don't) therefore begins no literal on the following lines.
    void literal(char quote) {
        const size_t begin = at_++;
        while (at_ < source_.size() && source_[at_] != quote && source_[at_] != '\n') {
            const size_t joined = splice();
            at_ += joined != 0 ? joined : source_[at_] == '\\' ? 2 : 1;
        }
        if (peek(0) == quote) ++at_;
        if (at_ > source_.size()) at_ = source_.size();
        add(begin);
    }

    void word() {
        const size_t begin = at_;
        while (at_ < source_.size() && is_word(source_[at_])) ++at_;
        add(begin);
    }

    void sign(char c) {
        if (c == '#' && !line_has_tokens_) directive_ = true;
        ++at_;
        add(at_ - 1);
    }

    void add(size_t begin) {
        tokens_.push_back({source_.substr(begin, at_ - begin), begin, directive_});
        line_has_tokens_ = true;
    }

    const std::string_view source_;
    size_t at_ = 0;
    bool directive_ = false;
    bool line_has_tokens_ = false;
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source) { return Scanner(source).run(); }

}  // namespace xsched::opencl
