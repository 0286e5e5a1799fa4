#pragma once

// Declares the types of JSON for headers, which need no more.

namespace simdjson::dom {
class parser;
}  // namespace simdjson::dom

namespace warpath::json {
class Array;
class Object;
class Value;
using Parser = simdjson::dom::parser;
}  // namespace warpath::json
