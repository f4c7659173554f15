// SPDX-License-Identifier: Apache-2.0
// A canvas that fits its place, sharp on every screen, redrawn when its size or the theme changes;
// with a view that is zoomed and moved by wheel, drag and keys.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export interface View { x: number; y: number; zoom: number } // x, y: the visible part's corner, 0 to 1
export interface Drawing {
  context: CanvasRenderingContext2D; width: number; height: number; ratio: number; theme: Theme;
}
export interface Theme { text: string; faint: string; line: string; paper: string; accent: string; isDark: boolean }

export const kWhole: View = { x: 0, y: 0, zoom: 1 };

export function themeOf(element: Element): Theme {
  const style = getComputedStyle(element);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  return { text: of("--text"), faint: of("--faint"), line: of("--line"), paper: of("--paper"), accent: of("--accent"),
    isDark: of("--is-dark") === "1" };
}

// What is at (px, py), in shares of the canvas, stays there.
export function zoomed(view: View, factor: number, px: number, py: number, most: number, axes: "both" | "x"): View {
  const zoom = Math.max(1, Math.min(most, view.zoom * factor));
  const keep = 1 / view.zoom - 1 / zoom;
  return bounded({ x: view.x + px * keep, y: axes === "x" ? view.y : view.y + py * keep, zoom }, axes);
}

export function bounded(view: View, axes: "both" | "x"): View {
  const room = 1 - 1 / view.zoom;
  const into = (value: number, most: number): number => Math.max(0, Math.min(most, value));
  return { x: into(view.x, room), y: axes === "x" ? 0 : into(view.y, room), zoom: view.zoom };
}

// With a point, in shares of the whole, in the middle.
export const centred = (x: number, y: number, zoom: number): View => bounded({ x: x - 0.5 / zoom, y: y - 0.5 / zoom, zoom }, "both");

// A picture that is put together pixel by pixel, to be drawn as a whole.
export function layer(width: number, height: number, paintPixels: (pixels: Uint32Array) => void): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(width, height);
  paintPixels(new Uint32Array(image.data.buffer));
  context.putImageData(image, 0, 0);
  return canvas;
}

// A picture that was made for a view, where it stands in another one: until that one's own has come.
export function drawMoved({ context: c, width, height, ratio }: Drawing, picture: HTMLCanvasElement, made: View, now: View): void {
  const place = (from: number, to: number, size: number): number => Math.round((from - to) * now.zoom * size * ratio);
  const scale = now.zoom / made.zoom;
  c.save();
  c.setTransform(1, 0, 0, 1, 0, 0); // pixel by pixel
  c.imageSmoothingEnabled = false;
  c.drawImage(picture, place(made.x, now.x, width), place(made.y, now.y, height), Math.round(picture.width * scale), Math.round(picture.height * scale));
  c.restore();
}

// "#009e73" as such a picture has it.
export function pixelOf(colour: string, alpha: number): number {
  const value = Number.parseInt(colour.slice(1), 16);
  return ((alpha << 24) | ((value & 255) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

export interface CanvasProps {
  label: string;
  class?: string;
  draw: (drawing: Drawing, view: View) => void;
  view?: View;
  setView?: (view: View) => void;
  axes?: "both" | "x";
  mostZoom?: number;
  point?: (x: number | null, y: number, width: number, height: number) => void; // under the pointer
  key?: string;
  onKey?: (key: string) => boolean; // true: it was one of its own
}

function moved(view: View, key: string): View | null {
  const step = 0.2 / view.zoom;
  if (key === "ArrowLeft") return { ...view, x: view.x - step };
  if (key === "ArrowRight") return { ...view, x: view.x + step };
  if (key === "ArrowUp") return { ...view, y: view.y - step };
  if (key === "ArrowDown") return { ...view, y: view.y + step };
  return null;
}

function useRedraw(canvas: { current: HTMLCanvasElement | null }, draw: () => void): void {
  const latest = useRef(draw);
  latest.current = draw;
  useEffect(draw);
  useEffect(() => {
    const again = (): void => latest.current();
    const observer = new ResizeObserver(again);
    if (canvas.current) observer.observe(canvas.current);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", again);
    addEventListener("themechange", again);
    return () => {
      observer.disconnect();
      dark.removeEventListener("change", again);
      removeEventListener("themechange", again);
    };
  }, []);
}

export function Canvas(props: CanvasProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isDragged, setDragged] = useState(false);
  const view = props.view ?? kWhole;
  const axes = props.axes ?? "both";
  const most = props.mostZoom ?? 1;
  useRedraw(canvas, () => paint(canvas.current, props, view));
  const change = (next: View): void => props.setView?.(bounded(next, axes));
  const onWheel = (event: WheelEvent): void => {
    if (!props.setView || !(event.ctrlKey || document.activeElement === canvas.current)) return; // else the page scrolls
    event.preventDefault();
    const box = canvas.current!.getBoundingClientRect();
    props.setView(zoomed(view, Math.exp(-event.deltaY / 300), (event.clientX - box.left) / box.width,
      (event.clientY - box.top) / box.height, most, axes));
  };
  useEffect(() => { // a passive listener could not keep the page from scrolling
    const element = canvas.current!;
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  });
  const onMove = (event: PointerEvent): void => {
    const box = canvas.current!.getBoundingClientRect();
    if (isDragged && event.buttons === 1) {
      change({ ...view, x: view.x - event.movementX / box.width / view.zoom, y: view.y - event.movementY / box.height / view.zoom });
    }
    props.point?.(event.clientX - box.left, event.clientY - box.top, box.width, box.height);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (props.onKey?.(event.key)) return event.preventDefault();
    if (!props.setView) return;
    const next = event.key === "+" || event.key === "=" ? zoomed(view, 1.5, 0.5, 0.5, most, axes)
      : event.key === "-" ? zoomed(view, 1 / 1.5, 0.5, 0.5, most, axes)
      : event.key === "0" ? kWhole : moved(view, event.key);
    if (!next) return;
    event.preventDefault();
    change(next);
  };
  return (
    <canvas ref={canvas} class={`${props.class ?? ""}${props.setView ? " zooms" : ""}`} role="img" aria-label={props.label} tabIndex={0}
      onPointerDown={(event) => { setDragged(true); event.currentTarget.setPointerCapture(event.pointerId); event.currentTarget.focus({ preventScroll: true }); }}
      onPointerUp={() => setDragged(false)} onPointerMove={onMove} onPointerLeave={() => props.point?.(null, 0, 1, 1)}
      onDblClick={() => props.setView?.(kWhole)} onKeyDown={onKeyDown} />
  );
}

function paint(canvas: HTMLCanvasElement | null, props: CanvasProps, view: View): void {
  const context = canvas?.getContext("2d");
  if (!canvas || !context || canvas.clientWidth === 0) return;
  const ratio = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = "12px system-ui, sans-serif";
  props.draw({ context, width, height, ratio, theme: themeOf(canvas) }, view);
}
