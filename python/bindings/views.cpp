#include "python/bindings/views.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "python/bindings/bindings.hpp"
#include "warpath/error.hpp"

namespace warpath::python {

Fields::Fields(nb::handle tuple, Py_ssize_t size) : tuple_(tuple) {
  if (PyTuple_Check(tuple.ptr()) != 0 && PyTuple_Size(tuple.ptr()) == size) return;
  throw nb::type_error("a call takes the tuples of warpath/views.py");
}

nb::handle Fields::field() {
  return PyTuple_GetItem(tuple_.ptr(), next_++);  // borrowed
}

std::uint64_t Fields::number() {
  const unsigned long long value = PyLong_AsUnsignedLongLong(field().ptr());
  if (value == ~0ull && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value;
}

void Fields::check_aligned(Address address, std::size_t bytes) {
  if (address % bytes == 0) return;
  throw InputError({{}}, fmt::format("an array is not aligned to its elements of {} bytes", bytes),
                   "give a copy");
}

double Fields::real() {
  const double value = PyFloat_AsDouble(field().ptr());
  if (value == -1.0 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value;
}

Integers Fields::integers() {
  Fields fields(field(), 2);
  const void* data = fields.array<const void>();
  return {data, static_cast<std::uint8_t>(fields.number())};
}

namespace {

template <class T>
void find_lengths(const void* data, std::size_t count, std::uint32_t length, OwnLengths& own) {
  const T* row = static_cast<const T*>(data);
  for (std::size_t p = 0; p < count; ++p, row += length) {
    std::uint32_t n = 0;
    while (n < length && row[n] >= 0) ++n;
    own[p] = n;
  }
}

void find_lengths(const float* points, std::size_t count, std::uint32_t length, OwnLengths& own) {
  const auto is_point = [](const float* x) {
    return !std::isnan(x[0]) && !std::isnan(x[1]) && !std::isnan(x[2]);
  };
  for (std::size_t p = 0; p < count; ++p) {
    const float* row = points + 3 * p * length;
    std::uint32_t n = 0;
    while (n < length && is_point(row + 3 * std::size_t{n})) ++n;
    own[p] = n;
  }
}

// @param bytes of each integer, negative for those with signs; 0: points
void find_lengths(const void* data, int bytes, std::size_t count, std::uint32_t length,
                  OwnLengths& own) {
  own.assign(count, length);
  if (data == nullptr) return;
  if (bytes == 0) find_lengths(static_cast<const float*>(data), count, length, own);
  if (bytes == -1) find_lengths<std::int8_t>(data, count, length, own);
  if (bytes == -2) find_lengths<std::int16_t>(data, count, length, own);
  if (bytes == -4) find_lengths<std::int32_t>(data, count, length, own);
  if (bytes == -8) find_lengths<std::int64_t>(data, count, length, own);
}

int read_width(nb::handle number) {
  const long value = PyLong_AsLong(number.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return static_cast<int>(value);
}

}  // namespace

PathsView read_paths(nb::handle tuple, std::size_t count, OwnLengths& own) {
  Fields fields(tuple, 4);
  const void* data = fields.array<const void>();
  const int bytes = read_width(fields.field());
  PathsView paths;
  if (bytes == 0)
    paths.points = static_cast<const float*>(data);
  else
    paths.viewpoints = {data, static_cast<std::uint8_t>(std::abs(bytes))};
  const std::uint32_t length = fields.size();
  paths.layout.pitch = paths.layout.max_length = length;
  paths.layout.lengths = fields.integers();
  if (paths.layout.lengths.data == nullptr && count > 0) {
    find_lengths(data, bytes, count, length, own);
    paths.layout.lengths = own.data();
  }
  return paths;
}

BatchAt::BatchAt(nb::handle tuple) {
  Fields fields(tuple, 12);
  batch.count = fields.size();
  batch.queries = read_paths(fields.field(), batch.count, queries_);
  const nb::handle references = fields.field();
  batch.reference = fields.integers();
  batch.reference_count = fields.size();
  batch.active = fields.array<const std::uint8_t>();
  batch.stopped = fields.array<const std::uint8_t>();
  batch.distance_to_goal = fields.array<const float>();
  batch.task_success = fields.array<const float>();
  batch.group_size = fields.size();
  batch.prefix = fields.integers();
  batch.spl_length = fields.array<const float>();
  if (!references.is_none()) {
    batch.references = read_paths(references, batch.reference_count, references_);
  }
}

Batch read_room(nb::handle tuple) {
  Fields fields(tuple, 4);
  Batch batch;
  batch.count = fields.size();
  batch.queries.layout.pitch = batch.queries.layout.max_length = fields.size();
  batch.references.layout.pitch = batch.references.layout.max_length = fields.size();
  batch.prefix = fields.integers();
  return batch;
}

warpath::Call read_call(nb::handle tuple) {
  Fields fields(tuple, 3);
  warpath::Call call;
  call.workspace = fields.array<void>();
  call.stream = stream_at(fields.number());
  call.check = fields.flag();
  return call;
}

RewardArrays read_rewards(nb::handle tuple) {
  Fields fields(tuple, 4);
  RewardArrays out;
  out.reward = fields.array<float>();
  out.distance_to_goal = fields.array<float>();
  out.ndtw = fields.array<float>();
  out.cls = fields.array<float>();
  return out;
}

ReturnsBatch read_returns(nb::handle tuple) {
  Fields fields(tuple, 11);
  ReturnsBatch batch;
  batch.count = fields.size();
  batch.layout.pitch = batch.layout.max_length = fields.size();
  batch.layout.lengths = fields.integers();
  batch.active = fields.array<const std::uint8_t>();
  batch.reward = fields.array<const float>();
  batch.value = fields.array<const float>();
  batch.bootstrap = fields.array<const float>();
  batch.discount = fields.real();
  batch.decay = fields.real();
  batch.returns = fields.array<float>();
  batch.advantage = fields.array<float>();
  return batch;
}

GroupBatch read_groups(nb::handle tuple) {
  Fields fields(tuple, 14);
  GroupBatch batch;
  batch.count = fields.size();
  batch.group_size = fields.size();
  batch.groups = fields.integers();
  batch.group_count = fields.size();
  batch.active = fields.array<const std::uint8_t>();
  batch.reward = fields.array<const float>();
  batch.baseline = static_cast<GroupBaseline>(fields.number());
  batch.scale = static_cast<GroupScale>(fields.number());
  batch.ddof = fields.size();
  batch.epsilon = fields.real();
  batch.advantage = fields.array<float>();
  batch.mean = fields.array<float>();
  batch.std = fields.array<float>();
  batch.spread = fields.array<std::uint8_t>();
  return batch;
}

PositionsView read_positions(nb::handle tuple) {
  Fields fields(tuple, 2);
  const void* data = fields.array<const void>();
  const int bytes = read_width(fields.field());
  if (bytes == 0) return static_cast<const float*>(data);
  return Integers(data, static_cast<std::uint8_t>(std::abs(bytes)));
}

}  // namespace warpath::python
