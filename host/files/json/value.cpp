#include "host/files/json/value.hpp"

#include <simdjson.h>

#include <bit>
#include <type_traits>

namespace warpath::json {
namespace {

namespace dom = simdjson::dom;

template <class Dom>
Dom dom_of(const View& view) {
  static_assert(sizeof(Dom) == sizeof(View) && std::is_trivially_copyable_v<Dom>);
  return std::bit_cast<Dom>(view);
}

template <class Dom>
View view_of(const Dom& value) {
  return std::bit_cast<View>(value);
}

template <class Number>
bool get_as(const Value& value, Number& out) {
  return value.exists() && dom_of<dom::element>(value.view()).get(out) == simdjson::SUCCESS;
}

template <class Dom, class Out>
bool get_view(const Value& value, Out& out) {
  Dom found;
  if (!get_as(value, found)) return false;
  out = Out(view_of(found));
  return true;
}

Value value_of(const simdjson::simdjson_result<dom::element>& result) {
  dom::element found;
  return result.get(found) == simdjson::SUCCESS ? Value(view_of(found)) : Value();
}

}  // namespace

bool Value::get(std::string_view& out) const {
  return get_as(*this, out);
}
bool Value::get(double& out) const {
  return get_as(*this, out);
}
bool Value::get(std::int64_t& out) const {
  return get_as(*this, out);
}
bool Value::get(std::uint64_t& out) const {
  return get_as(*this, out);
}
bool Value::get(bool& out) const {
  return get_as(*this, out);
}
bool Value::get(Array& out) const {
  return get_view<dom::array>(*this, out);
}
bool Value::get(Object& out) const {
  return get_view<dom::object>(*this, out);
}

bool Value::get(std::span<double> out, bool& has_more) const {
  dom::array list;
  if (!get_as(*this, list)) return false;
  auto item = list.begin();
  const auto end = list.end();
  for (double& number : out) {
    if (!(item != end) || (*item).get(number) != simdjson::SUCCESS) return false;
    ++item;
  }
  has_more = item != end;
  return true;
}

Value Value::operator[](std::string_view key) const {
  Object object;
  return get(object) ? object[key] : Value();
}

Value Value::at(std::size_t position) const {
  Array array;
  return get(array) ? array.at(position) : Value();
}

Kind Value::kind() const {
  if (!exists()) return Kind::none;
  switch (dom_of<dom::element>(view_).type()) {
    case dom::element_type::ARRAY:
      return Kind::array;
    case dom::element_type::OBJECT:
      return Kind::object;
    case dom::element_type::STRING:
      return Kind::string;
    case dom::element_type::INT64:
      return Kind::integer;
    case dom::element_type::UINT64:
      return Kind::large_integer;
    case dom::element_type::BOOL:
      return Kind::boolean;
    case dom::element_type::NULL_VALUE:
      return Kind::null;
    default:
      return Kind::real;
  }
}

bool Value::is_number() const {
  const Kind k = kind();
  return k == Kind::integer || k == Kind::large_integer || k == Kind::real;
}

std::string_view Value::text() const {
  std::string_view text;
  return get(text) ? text : std::string_view();
}

Array::Iterator& Array::Iterator::operator++() {
  auto iterator = dom_of<dom::array::iterator>(view_);
  view_ = view_of(++iterator);
  return *this;
}

Array::Iterator Array::Iterator::operator++(int) {
  const Iterator before = *this;
  ++*this;
  return before;
}

Array::Iterator Array::begin() const {
  return Iterator(view_of(dom_of<dom::array>(view_).begin()));
}
Array::Iterator Array::end() const {
  return Iterator(view_of(dom_of<dom::array>(view_).end()));
}
std::size_t Array::size() const {
  return dom_of<dom::array>(view_).size();
}
Value Array::at(std::size_t position) const {
  return value_of(dom_of<dom::array>(view_).at(position));
}

Field Object::Iterator::operator*() const {
  const auto field = *dom_of<dom::object::iterator>(view_);
  return {field.key, Value(view_of(field.value))};
}

Object::Iterator& Object::Iterator::operator++() {
  auto iterator = dom_of<dom::object::iterator>(view_);
  view_ = view_of(++iterator);
  return *this;
}

Object::Iterator Object::Iterator::operator++(int) {
  const Iterator before = *this;
  ++*this;
  return before;
}

Object::Iterator Object::begin() const {
  return Iterator(view_of(dom_of<dom::object>(view_).begin()));
}
Object::Iterator Object::end() const {
  return Iterator(view_of(dom_of<dom::object>(view_).end()));
}
std::size_t Object::size() const {
  return dom_of<dom::object>(view_).size();
}
Value Object::operator[](std::string_view key) const {
  return value_of(dom_of<dom::object>(view_).at_key(key));
}

Value Object::last(std::string_view key, std::size_t& count) const {
  dom::element found;
  count = 0;
  for (const auto field : dom_of<dom::object>(view_)) {
    if (field.key != key) continue;
    found = field.value;
    ++count;
  }
  return count > 0 ? Value(view_of(found)) : Value();
}

std::string minify(const Value& value) {
  return simdjson::minify(dom_of<dom::element>(value.view()));
}

}  // namespace warpath::json
