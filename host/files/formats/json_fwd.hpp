#pragma once

// Declares the types of JSON for headers, which need no more: simdjson takes long to compile.

namespace simdjson::dom {
class array;
class element;
class object;
class parser;
}  // namespace simdjson::dom

namespace warpath {
namespace json = simdjson::dom;
}

namespace warpath::formats {
class JsonFile;
}
