# SPDX-License-Identifier: Apache-2.0
# Read by ctest itself before it runs anything: settings under which MPIs start in less time, for all that tests start.
# What messages go through stays the same: ob1 is what Open MPI takes on one machine, after asking all others.
set(ENV{OMPI_MCA_pml} ob1)
set(ENV{PMIX_MCA_gds} hash) # no file of 4 MB for each run
set(ENV{HWLOC_COMPONENTS} -x86,-pci) # mpirun visits no processor and no bus
# MPICH's ranks of one node meet at a barrier that spins, whoever else wants the processor: as nodes of their own they have
# none. Tests of nodes and of shared memory take this back.
set(ENV{MPIR_CVAR_NOLOCAL} 1)
