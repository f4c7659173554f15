# SPDX-License-Identifier: Apache-2.0
# Read by ctest itself before it runs anything: settings under which MPIs start in less time, for all that tests start.
# hwloc, which each rank of both MPIs asks for the machine, has plugins that load OpenCL, and with it a compiler of 100 MB.
set(ENV{HWLOC_PLUGINS_PATH} /nowhere)
# Nor does it look for PCI devices: each byte that it reads of them is an exit to the hypervisor on a virtual machine.
set(ENV{HWLOC_COMPONENTS} -linuxio)
# What messages go through stays the same: ob1 is what Open MPI takes on one machine, after asking all others.
set(ENV{OMPI_MCA_pml} ob1)
# MPICH's ranks of one node meet at a barrier that spins, whoever else wants the processor: as nodes of their own they have
# none. Tests of nodes and of shared memory take this back.
set(ENV{MPIR_CVAR_NOLOCAL} 1)
# MPICH's messages go through the shared memory that it takes on one machine anyway. It would prepare System V's too, 4 MB a
# rank, and open sockets on each network.
set(ENV{UCX_TLS} self,posix)
