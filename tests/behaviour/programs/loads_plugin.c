/* SPDX-License-Identifier: Apache-2.0
 * Loads a plugin that talks MPI, calls it, unloads it, and loads it again: loads_plugin PLUGIN */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int sum_by_plugin(const char* path, int rank) {
  void* plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (plugin == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return -1;
  }
  int (*sum)(int) = NULL;
  void* found = dlsym(plugin, "plugin_sum");
  memcpy(&sum, &found, sizeof sum);
  const int result = sum(rank);
  dlclose(plugin);
  return result;
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 3; ++i) {
    const int sum = sum_by_plugin(argv[1], rank);
    if (rank == 0) printf("plugin: %d\n", sum);
  }
  MPI_Finalize();
  return 0;
}
