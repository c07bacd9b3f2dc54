// Sentences for people at a page or with an HTTP client. Any thread.
#pragma once

#include <string>

namespace xsched::cli {

// Returns the server's sentence for xcli with the options and commands in it replaced by what the HTTP API has.
std::string in_api_words(std::string sentence);

}  // namespace xsched::cli
