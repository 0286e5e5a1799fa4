#include "host/core/batch/check_ids.hpp"

namespace warpath::batch {

using namespace kernels;

bool are_below(const IntegerArray& integers, std::size_t n, std::uint32_t limit) {
  return with_type(integers, [&]<class T>(const T* x) {
    Word<T> any = 0;
    for (std::size_t i = 0; i < n; ++i) any |= outside(x[i], limit);
    return !is_outside(any);
  });
}

bool are_all(const IntegerArray& integers, std::size_t n, std::uint32_t value) {
  return with_type(integers, [&]<class T>(const T* x) {
    Word<T> any = 0;
    for (std::size_t i = 0; i < n; ++i) any |= Word<T>{x[i]} ^ value;
    return any == 0;
  });
}

}  // namespace warpath::batch
