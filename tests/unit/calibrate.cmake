ooc_test(calibrate unit
  SOURCES calibrate_fit_test.cpp
    calibrate_profile_test.cpp
  LINK ooc_test_support)
