#pragma once

#include "kernels/host_device.hpp"

namespace warpath::kernels {

/// Returns exp(x) for x <= 0, the same bits on every lane policy: only additions, products and
/// fused multiply-adds, each correctly rounded. exp(0) = 1 and exp(−inf) = 0 exactly; below −87 the
/// result is 0. Relative error under 2^-22 (minimax polynomial of Cephes' expf, argument reduced
/// by ln 2 in two parts).
template <class L>
WARPATH_HD typename L::F exp_nonpositive(typename L::F x) {
  using F = typename L::F;
  // At −88 the power of two below is 0, and so is the result.
  const F clamped = L::select(x < L::real(-87.0f), L::real(-88.0f), x);
  // Adding 1.5 * 2^23 rounds to an integer k, which is then in the low bits of z.
  const F magic = L::real(12582912.0f);
  const F z = L::fma(clamped, L::real(1.44269504088896341f), magic);
  const F k = z - magic;
  F f = L::fma(k, L::real(-0.693359375f), clamped);
  f = L::fma(k, L::real(2.12194440e-4f), f);
  F y = L::real(1.9875691500e-4f);
  y = L::fma(y, f, L::real(1.3981999507e-3f));
  y = L::fma(y, f, L::real(8.3334519073e-3f));
  y = L::fma(y, f, L::real(4.1665795894e-2f));
  y = L::fma(y, f, L::real(1.6666665459e-1f));
  y = L::fma(y, f, L::real(5.0000001201e-1f));
  y = L::fma(y, f * f, f + L::real(1.0f));
  return y * L::shifted_pow2(z);
}

}  // namespace warpath::kernels
