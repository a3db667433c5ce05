# Plans on the stub device: the lines of a group, the times, the content check.
ooc_test(gpu_replay unit
  SOURCES gpu_child.cpp gpu_replay_plan.cpp
          gpu_replay_check_test.cpp
          gpu_replay_group_test.cpp
          gpu_replay_real_test.cpp
          gpu_replay_run_test.cpp
  LINK ooc_gpu_stub
  RUNS ooc-paleo-gpu-stub)
