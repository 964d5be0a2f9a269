# See roce_modules in ../../CMakeLists.txt.
list(APPEND roce_modules
    systems/paraleon/roce-elastic-sketch
    systems/paraleon/roce-sketch-monitor
    systems/paraleon/roce-flow-states
    systems/paraleon/roce-flow-mix
    systems/paraleon/roce-tuning-utility
    systems/paraleon/roce-mutation-table
    systems/paraleon/roce-guided-annealing
    systems/paraleon/roce-paraleon-params
    systems/paraleon/roce-paraleon
    systems/paraleon/roce-acc-table
    systems/paraleon/roce-acc
)
list(APPEND roce_sources
    systems/paraleon/roce-paraleon-presets.cc
    systems/paraleon/roce-mutation-table-dcqcn.cc
    systems/paraleon/roce-paraleon-params-search.cc
)
list(APPEND roce_private_headers
    systems/paraleon/roce-paraleon-profiles.h
)
