#pragma once
// Independent chains of one operation, each in a register of its own: nested members rather than an
// array, which GCC 12 keeps in memory once an asm statement names an element, so that a burst would
// measure stores instead of arithmetic.

namespace lanescope::kernels {
namespace {

template <class Chain, int kCount>
struct Chains {
    Chain first;
    Chains<Chain, kCount - 1> rest;
    template <class F>
    __attribute__((always_inline)) void each(const F& f) {
        f(first.v);
        rest.each(f);
    }
};

template <class Chain>
struct Chains<Chain, 0> {
    template <class F>
    void each(const F& /*f*/) {}
};

}  // namespace
}  // namespace lanescope::kernels
