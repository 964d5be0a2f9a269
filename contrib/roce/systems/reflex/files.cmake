# See roce_modules in ../../CMakeLists.txt.
list(APPEND roce_modules
    systems/reflex/roce-ndt-scheduler
    systems/reflex/roce-ndt-controller
    systems/reflex/roce-reflex-ndt
    systems/reflex/roce-reflex-nsf
    systems/reflex/roce-reflex-sender
)
list(APPEND roce_sources
    systems/reflex/roce-reflex-presets.cc
)
