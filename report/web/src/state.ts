// SPDX-License-Identifier: Apache-2.0
// What a reader chose, kept in the fragment of the page's address, so that a link shows the same:
// #matrix?matrix.order=topology&run=1
import { useEffect, useState } from "preact/hooks";
import { kWhole, type View } from "./canvas";

type Settings = Map<string, string>;
const kListeners = new Set<() => void>();

function read(): { section: string; settings: Settings } {
  const [section = "", query = ""] = (unwritten ?? location.hash).slice(1).split("?");
  return { section, settings: new Map(new URLSearchParams(query)) };
}

function write(section: string, settings: Settings): void {
  const query = new URLSearchParams([...settings].sort()).toString();
  unwritten = `#${section}${query === "" ? "" : `?${query}`}`;
  if (timer !== undefined) return;
  const wait = Math.max(0, kPause - (performance.now() - written));
  if (wait === 0) flush();
  else timer = setTimeout(flush, wait);
}

// Browsers let a page change its address so often only; dragging changes it with each frame.
const kPause = 400; // ms
let unwritten: string | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let written = -kPause;

function flush(): void {
  if (unwritten !== undefined) history.replaceState(null, "", unwritten === "#" ? " " : unwritten);
  [unwritten, timer, written] = [undefined, undefined, performance.now()];
}

addEventListener("hashchange", () => { unwritten = undefined; }, { capture: true });

export function sectionOfAddress(): string {
  return read().section;
}

export function setSection(section: string): void {
  write(section, read().settings);
}

export function setSetting(key: string, value: string, standard: string): void {
  const { section, settings } = read();
  if (value === standard) settings.delete(key);
  else settings.set(key, value);
  write(section, settings);
  for (const listener of kListeners) listener();
}

// A setting and how to change it; what is not in `allowed` is the standard one.
export function useSetting(key: string, standard: string, allowed?: readonly string[]): [string, (value: string) => void] {
  const now = (): string => {
    const value = read().settings.get(key) ?? standard;
    return allowed && !allowed.includes(value) ? standard : value;
  };
  const [value, setValue] = useState(now);
  useEffect(() => {
    const update = (): void => setValue(now());
    kListeners.add(update);
    addEventListener("hashchange", update);
    return () => {
      kListeners.delete(update);
      removeEventListener("hashchange", update);
    };
  }, [key, standard]);
  return [value, (next) => setSetting(key, next, standard)];
}

const kDigits = 8;

function viewOf(text: string): View {
  const [x, y, zoom] = text.split(" ").map(Number);
  return [x, y, zoom].every((value) => value !== undefined && Number.isFinite(value)) && zoom! >= 1 ? { x: x!, y: y!, zoom: zoom! } : kWhole;
}

// What part of a picture is seen, as a setting.
export function useView(name: string): [View, (view: View) => void] {
  const [text, setText] = useSetting(`${name}.view`, "0 0 1");
  const number = (value: number): string => String(Number(value.toPrecision(kDigits)));
  return [viewOf(text), (view) => setText(`${number(view.x)} ${number(view.y)} ${number(view.zoom)}`)];
}
