/* Sizes, counts and tables of the benchmark. */
#ifndef BENCHMARK_H
#define BENCHMARK_H

#include <mpi.h>

#define RANKS {{ranks}}
{{#buffer_bytes}}
#define BUFFER_BYTES {{buffer_bytes}} /* as much as any call sends or receives */
{{/buffer_bytes}}
{{#constants}}
#define {{name}} {{value}}{{#comment}} /* {{{comment}}} */{{/comment}}
{{/constants}}

#include "support.h"
{{#tables}}

static const {{{type}}} {{name}}{{{dimensions}}} = {{{values}}};
{{/tables}}
{{#series}}

static const struct progression {{name}}_data[] = { /* first, step, count */
{{{data}}}};
{{#of_ranks}}
static const int {{name}}_start[] = {{{starts}}};
static const int {{name}}_row[RANKS] = {{{rows}}};
static struct series {{name}};
{{/of_ranks}}
{{^of_ranks}}
static struct series {{name}} = { {{name}}_data, 0};
{{/of_ranks}}
{{/series}}
{{#histograms}}

static const double {{name}}_bins[][2] = {{{bins}}};
static struct histogram {{name}} = { {{count}}, {{name}}_bins, {{seed}} };
{{/histograms}}

static void set_up_tables(void) {
{{#presets}}
  {{table}}[{{place}}] = {{{name}}};
{{/presets}}
{{#series_of_ranks}}
  {{name}}.at = {{name}}_data + {{name}}_start[{{name}}_row[rank]];
{{/series_of_ranks}}
}

#endif
