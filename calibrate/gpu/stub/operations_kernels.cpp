// The kernels of compute=real on the stub device. See operations_kernels.hpp.
#include "calibrate/gpu/operations_elementwise.inl"
#include "calibrate/gpu/operations_reductions.inl"
#include "calibrate/gpu/operations_windows.inl"
