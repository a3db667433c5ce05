// The kernels of compute=real on the stub device. See operations/kernels.hpp.
#include "calibrate/gpu/operations/elementwise.inl"
#include "calibrate/gpu/operations/places.inl"
#include "calibrate/gpu/operations/pools.inl"
#include "calibrate/gpu/operations/reductions.inl"
#include "calibrate/gpu/operations/rows.inl"
