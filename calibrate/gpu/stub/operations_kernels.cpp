// The kernels of compute=real on the stub device. See operations_kernels.hpp.
#include "calibrate/gpu/operations_elementwise.inl"
#include "calibrate/gpu/operations_places.inl"
#include "calibrate/gpu/operations_pools.inl"
#include "calibrate/gpu/operations_reductions.inl"
#include "calibrate/gpu/operations_rows.inl"
