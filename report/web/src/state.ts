// SPDX-License-Identifier: Apache-2.0
// What a reader chose, kept in the fragment of the page's address, so that a link shows the same:
// #matrix?matrix.order=topology&run=1
import { useEffect, useState } from "preact/hooks";

type Settings = Map<string, string>;
const kListeners = new Set<() => void>();

function read(): { section: string; settings: Settings } {
  const [section = "", query = ""] = location.hash.slice(1).split("?");
  return { section, settings: new Map(new URLSearchParams(query)) };
}

function write(section: string, settings: Settings): void {
  const query = new URLSearchParams([...settings].sort()).toString();
  const hash = `#${section}${query === "" ? "" : `?${query}`}`;
  history.replaceState(null, "", hash === "#" ? " " : hash);
}

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
