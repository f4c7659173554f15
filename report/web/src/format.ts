// SPDX-License-Identifier: Apache-2.0
// Numbers for people, as the commands print them: two digits of a small number, decimal prefixes.

const kPrefixes = ["", "k", "M", "G", "T", "P", "E"];

function digits(value: number): string {
  if (value === 0) return "0";
  if (value >= 9.95) return value.toFixed(0);
  return value.toFixed(1);
}

function scaled(value: number, space: string): string {
  let step = 0;
  while (value >= 999.5 && step + 1 < kPrefixes.length) {
    value /= 1000;
    ++step;
  }
  return step === 0 ? `${Number.isInteger(value) ? value : digits(value)}${space}` : `${digits(value)}${space}${kPrefixes[step]}`;
}

export const count = (value: number): string => scaled(value, " ").trim();
export const bytes = (value: number): string => `${scaled(value, " ")}B`;
export const whole = (value: number): string => value.toLocaleString("en-US").replaceAll(",", "\u202f");

export function percent(share: number): string {
  const value = 100 * share;
  if (value > 0 && value < 0.1) return "<0.1 %";
  if (value >= 99.95 && value < 100) return ">99.9 %"; // all but a little is not all
  return `${value >= 99.95 || value === 0 ? value.toFixed(0) : value.toFixed(1)} %`;
}

export function duration(ns: number): string {
  if (ns < 0) return `−${duration(-ns)}`;
  if (ns > 0 && ns < 0.05) return "<0.1 ns";
  if (ns < 999.5) return `${digits(ns)} ns`;
  if (ns < 999.5e3) return `${digits(ns / 1e3)} µs`;
  if (ns < 999.5e6) return `${digits(ns / 1e6)} ms`;
  const s = ns / 1e9;
  if (s < 99.95) return `${s < 9.95 ? s.toFixed(2) : s.toFixed(1)} s`;
  return s < 5400 ? `${s.toFixed(0)} s` : `${(s / 3600).toFixed(1)} h`;
}
export const seconds = (s: number): string => duration(s * 1e9);

// Four digits, of times that stand beside each other to be compared: "10.12 ms".
export function runtime(s: number): string {
  const [unit, size] = ([["s", 1], ["ms", 1e-3], ["µs", 1e-6]] as const).find((u) => s >= 0.99995 * u[1]) ?? ["ns", 1e-9];
  return `${(s / size).toPrecision(4)} ${unit}`;
}
export const calls = (n: number): string => (n === 1 ? "1 call" : `${whole(n)} calls`);
export const ranks = (n: number): string => (n === 1 ? "1 rank" : `${whole(n)} ranks`);

// "a ring of 5 ranks", "an 8x8 grid", "3 multigrid levels on a 5x5 grid".
export function withArticle(name: string): string {
  if (/^\d+ /.test(name)) return name;
  return `${/^([aeio]|8|1[18]\D)/.test(name) ? "an" : "a"} ${name}`;
}

export function ranges(list: number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < list.length && parts.length < 8;) {
    let end = i;
    while (end + 1 < list.length && list[end + 1] === list[end]! + 1) ++end;
    parts.push(end > i ? `${list[i]}-${list[end]}` : `${list[i]}`);
    i = end + 1;
    if (parts.length === 8 && i < list.length) parts.push("…");
  }
  return parts.join(", ");
}
