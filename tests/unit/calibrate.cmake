ooc_test(calibrate unit
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/calibrate_fit_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/calibrate_compute_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/calibrate_probe_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/calibrate_profile_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/calibrate_recovery_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/calibrate_samples_test.cpp
  LINK ooc_session)
