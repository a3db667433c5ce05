ooc_test(calibrate unit
  SOURCES calibrate_fit_test.cpp
    calibrate_compute_test.cpp
    calibrate_probe_test.cpp
    calibrate_profile_test.cpp
    calibrate_recovery_test.cpp
    calibrate_samples_test.cpp
  LINK ooc_test_support)
