/* A benchmark that says to itself what a recorded MPI program said{{{of_program}}}: the same calls with the same
   partners, sizes and order, and computation between them as a time. {{{ranks}}} ranks. Made by Rondo {{{version}}}. */
#define _POSIX_C_SOURCE 200809L

#include "benchmark.h"
{{#markers}}

/* The recorder's, if it is there. */
void {{name}}({{{parameters}}}) __attribute__((weak));
{{/markers}}
{{#functions}}

{{#comment}}
/* {{{comment}}} */
{{/comment}}
static void {{name}}({{parameters}}) {
{{{body}}}}
{{/functions}}

int main(int argc, char **argv) {
  read_options(argc, argv);
{{{main}}}  return 0;
}
