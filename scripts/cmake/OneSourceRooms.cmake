# Rooms of the module that compile as one source each, in builds from nothing. Names of their own (in unnamed namespaces) differ
# from file to file there. Not those whose files are alike (rate laws, workloads), where each has its own `Finish`.

# What is apart in rooms where packets pass, since it is compiled otherwise with sanitizers.
set(roce_hot_rooms model/frame model/link model/switch model/nic model/queue-pair)
set(roce_cold_in_hot_rooms "attributes|deployment|transport-profile")

set(roce_one_source_rooms ${roce_hot_rooms} model/recovery model/path model/edge model/tuning helper output experiment hpcc)

# roce_one_source(<target> <folder of the module>)
function(roce_one_source target folder)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(room ${roce_one_source_rooms})
    string(REPLACE "/" "-" group ${room})
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/${room}/*.cc)
    if(room IN_LIST roce_hot_rooms)
      list(FILTER sources EXCLUDE REGEX ${roce_cold_in_hot_rooms})
    endif()
    set_source_files_properties(${sources} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()
