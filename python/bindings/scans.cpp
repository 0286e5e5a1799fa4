// Reads the scans of a batch, and lets a scorer grow by those that are new.
#include "python/bindings/bindings.hpp"
#include "python/bindings/scorer.hpp"

namespace warpath::python {

PathSet PathMemory::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return {};
  PathSet set = std::move(free_.back());
  free_.pop_back();
  return set;
}

void PathMemory::give_back(PathSet set) {
  if (set.elements.capacity() == 0 || set.elements.capacity() > max_elements) return;
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(set));
}

GrowingScorer::GrowingScorer(std::shared_ptr<const GraphStore> graphs,
                             const std::vector<std::string>& scans, const Convention& convention,
                             const ScorerOptions& options)
    : graphs_(std::move(graphs)), convention_(convention), options_(options) {
  options_.graphs = graphs_;
  standing_ = make(scans);
}

std::shared_ptr<const StandingScorer> GrowingScorer::make(std::vector<std::string> names) const {
  auto made = std::make_shared<StandingScorer>();
  for (std::string& name : names) {
    if (!made->number.emplace(name, static_cast<std::uint32_t>(made->scans.size())).second)
      continue;
    made->scans.push_back(&graphs_->scan(name));
    made->names.push_back(std::move(name));
  }
  made->scorer = std::make_unique<Scorer>(made->scans, convention_, options_);
  return made;
}

std::shared_ptr<const StandingScorer> GrowingScorer::standing() const {
  const std::lock_guard lock(mutex_);
  return standing_;
}

std::shared_ptr<const StandingScorer> GrowingScorer::with(const std::vector<std::string>& scans) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names = standing_->names;
  for (const std::string& scan : scans) {
    if (!standing_->number.contains(scan)) names.push_back(scan);
  }
  if (names.size() > standing_->names.size()) standing_ = make(std::move(names));
  return standing_;
}

namespace {

InputError::Where where(std::size_t pair) {
  return {"scans", fmt::format("pair {}", pair)};
}

void check_count(std::size_t count, std::size_t pairs) {
  if (count == pairs) return;
  throw InputError({"scans"}, fmt::format("has {} elements for {} pairs", count, pairs),
                   "give one for each pair, or one for all");
}

std::string name_of(nb::handle scan, std::size_t pair) {
  if (!PyUnicode_Check(scan.ptr())) {
    throw InputError(where(pair), "is " + short_repr(scan),
                     "give names of scans, or an array of their numbers");
  }
  return utf8_of(scan, where(pair));
}

// Numbers names by their first occurrence. Equal names are mostly one object, so the last one is
// remembered.
struct NameList {
  std::vector<std::string> names;
  std::unordered_map<std::string, std::uint32_t> number;
  nb::object last;
  std::uint32_t last_number = 0;

  std::uint32_t add(nb::handle scan, std::size_t pair) {
    if (scan.ptr() == last.ptr()) return last_number;
    std::string name = name_of(scan, pair);
    const auto [found, is_new] = number.emplace(name, static_cast<std::uint32_t>(names.size()));
    if (is_new) names.push_back(std::move(name));
    last = nb::borrow(scan);
    return last_number = found->second;
  }
};

std::vector<std::uint32_t> read_numbers(const Array& array, std::size_t scans) {
  std::vector<std::uint32_t> numbers(array.shape(0));
  visit_integers(array, "scans", [&](const auto& number) {
    for (std::size_t p = 0; p < numbers.size(); ++p) {
      const auto n = number(p);
      if (std::cmp_less(n, 0) || std::cmp_greater_equal(n, scans)) {
        throw InputError(where(p), fmt::format("is {} of {} scans", n, scans),
                         "number scans from 0, in the order of the scorer's scans");
      }
      numbers[p] = static_cast<std::uint32_t>(n);
    }
  });
  return numbers;
}

// Returns the numbers of the scans by pair, or one for all of them.
std::vector<std::uint32_t> read_names(nb::handle scans, std::size_t pairs, NameList& list) {
  if (PyUnicode_Check(scans.ptr())) return {list.add(scans, 0)};
  PyObject* const iterator = PyObject_GetIter(scans.ptr());
  if (iterator == nullptr) {
    PyErr_Clear();
    throw InputError({"scans"}, fmt::format("is of type {}", nb::type_name(scans.type()).c_str()),
                     "name the scan of each pair, or one for all");
  }
  const nb::object all = nb::steal(iterator);
  std::vector<std::uint32_t> numbers;
  for (nb::handle scan : all) numbers.push_back(list.add(scan, numbers.size()));
  check_count(numbers.size(), pairs);
  return numbers;
}

}  // namespace

ScanOfPair read_scans(nb::handle scans, std::size_t pairs, GrowingScorer& scorer,
                      std::shared_ptr<const StandingScorer>& standing) {
  standing = scorer.standing();
  if (scans.is_none()) {
    if (standing->scans.size() == 1) return {standing->scans, {0}};
    throw InputError({"scans"}, fmt::format("is not given for {} scans", standing->scans.size()),
                     "name the scan of each pair, or one for all");
  }
  if (const auto array = find_array(scans, "scans"); array && is_integer(*array)) {
    check_count(array_of(scans, 1, "scans").shape(0), pairs);
    return {standing->scans, read_numbers(*array, standing->scans.size())};
  }
  NameList list;
  std::vector<std::uint32_t> numbers = read_names(scans, pairs, list);
  {
    const nb::gil_scoped_release release;
    standing = scorer.with(list.names);
  }
  for (std::uint32_t& n : numbers) n = standing->number.at(list.names[n]);
  return {standing->scans, std::move(numbers)};
}

}  // namespace warpath::python
