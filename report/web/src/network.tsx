// SPDX-License-Identifier: Apache-2.0
// A network of the reader's own, by sliders: played by the worker, as `rondo simulate` would, or between those that were simulated.
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { Canvas, type Drawing } from "./canvas";
import { askLatest } from "./engine";
import * as format from "./format";
import type { Run } from "./model";
import type { Network, Outcome } from "./simulate";
import { useSetting } from "./state";

type Name = keyof Network;
interface Slider { name: Name; label: string; standard: number; values: number[]; text: (value: number) => string }
export type Predict = (networks: Network[]) => (Outcome | undefined)[];

// Two digits, twenty a decade.
const ladder = (low: number, high: number): number[] =>
  Array.from({ length: Math.round(20 * Math.log10(high / low)) + 1 }, (_, i) => Number((low * 10 ** (i / 20)).toPrecision(2)));
const factor = (value: number): string => (value === 1 ? "as recorded" : value === 0 ? "none" : `× ${value}`);

const kSliders: Slider[] = [
  { name: "latency", label: "latency", standard: 2e-6, values: ladder(1e-7, 1e-3), text: format.seconds },
  { name: "bandwidth", label: "bandwidth", standard: 1e10, values: [...ladder(1e7, 2e11), Infinity], text: (value) => (value === Infinity ? "without limit" : `${format.bytes(value)}/s`) },
  { name: "overhead", label: "overhead", standard: 0, values: [0, ...ladder(1e-8, 1e-4)], text: format.seconds },
  { name: "rendezvous", label: "rendezvous", standard: Infinity, values: [...Array.from({ length: 19 }, (_, i) => 2 ** (i + 6)), Infinity],
    text: (value) => (value === Infinity ? "never" : `above ${format.whole(value)} B`) },
  { name: "computing", label: "computing", standard: 1, values: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.5, 2, 3, 5, 10], text: factor },
];

const seconds = (value: number): string => {
  const [scale, unit] = value < 1e-6 ? [1e9, "ns"] : value < 1e-3 ? [1e6, "us"] : [1e3, "ms"];
  return value === 0 ? "0" : `${Number((value * Number(scale)).toPrecision(6))}${unit}`;
};

// As `rondo simulate` takes it.
function optionsOf({ latency, bandwidth, overhead, rendezvous, computing }: Network): string {
  const rate = bandwidth === Infinity ? "inf" : `${Number((bandwidth / 1e9).toPrecision(6))}GB/s`;
  const more = (overhead > 0 ? `,overhead=${seconds(overhead)}` : "") + (rendezvous < Infinity ? `,rendezvous=${rendezvous}B` : "");
  return `--network latency=${seconds(latency)},bandwidth=${rate}${more}${computing === 1 ? "" : ` --scale-compute ${computing}`}`;
}

const keyOf = (network: Network): string => Object.values(network).join(" ");
const kMostKept = 5000;
const kPatience = 15; // ms that a question may take, so that the next move of a slider is answered soon

// What is not known yet is asked for: the first by itself, as a reader waits for it, then the others, which are points of curves.
export function usePlayed(run: Run): Predict {
  const [, redraw] = useState(0);
  const known = useRef(new Map<string, Outcome>());
  const asked = useRef("");
  return (networks) => {
    const unknown = networks.filter((network) => !known.current.has(keyOf(network)));
    const missing = unknown[0] === networks[0] ? unknown.slice(0, 1) : unknown;
    const question = `${run.index} ${missing.map(keyOf).join()}`;
    if (missing.length > 0 && question !== asked.current) {
      asked.current = question;
      askLatest<"predict">("predict", run, { what: "predict", networks: missing, most: kPatience }, (answer) => {
        if (known.current.size > kMostKept) known.current.clear();
        answer.forEach((outcome, i) => known.current.set(keyOf(missing[i]!), outcome));
        redraw((count) => count + 1);
      });
    }
    return networks.map((network) => known.current.get(keyOf(network)));
  };
}

interface Curve { name: string; now: number; values: number[]; times: number[]; text: (value: number) => string }

// Time against one of both, at what the sliders say: side by side, or one below the other where there is no room.
function drawCurves(curves: Curve[], predicted: number, { context: c, width, height, theme }: Drawing): void {
  const isNarrow = width < 560;
  const [left, right, top, bottom] = [58, 12, 22, 24];
  const w = isNarrow ? width - left - right : width / 2 - left - right;
  const h = (isNarrow ? height / 2 : height) - top - bottom;
  const most = Math.max(predicted, ...curves.flatMap(({ times }) => times)) * 1.05 || 1;
  curves.forEach((curve, k) => {
    const [x0, y0] = isNarrow ? [left, top + (k * height) / 2] : [left + (k * width) / 2, top];
    const [first, last] = [curve.values[0]!, curve.values[curve.values.length - 1]!];
    const x = (value: number): number => x0 + Math.min(1, Math.log(value / first) / Math.log(last / first)) * w;
    const y = (time: number): number => y0 + (1 - time / most) * h;
    c.strokeStyle = theme.line;
    c.strokeRect(x0, y0, w, h);
    c.fillStyle = theme.text;
    c.textAlign = "left";
    c.fillText(`time against ${curve.name}`, x0, y0 - 8);
    c.fillText(curve.text(first), x0, y0 + h + 16);
    c.textAlign = "right";
    c.fillText(curve.text(last), x0 + w, y0 + h + 16);
    for (const share of [0, 0.5, 1]) c.fillText(share === 0 ? "0" : format.seconds(share * most), x0 - 6, y(share * most) + 4);
    c.strokeStyle = theme.accent;
    c.lineWidth = 2;
    c.beginPath();
    curve.times.forEach((time, i) => c.lineTo(x(curve.values[i]!), y(time)));
    c.stroke();
    c.fillStyle = "#d55e00";
    c.beginPath();
    c.arc(x(curve.now), y(predicted), 5, 0, 2 * Math.PI);
    c.fill();
    c.lineWidth = 1;
  });
}

const nearest = (values: number[], wanted: number): number => {
  const distance = (value: number): number => (value === wanted ? 0 : value > 0 && wanted > 0 && value + wanted < Infinity ? Math.abs(Math.log(value / wanted)) : 1e9);
  return values.reduce((best, value, i) => (distance(value) < distance(values[best]!) ? i : best), 0);
};

interface Chosen { slider: Slider; place: number; set: (place: number) => void }

function useSlider(slider: Slider, [low, high]: [number, number]): Chosen {
  const values = slider.values.filter((value) => value >= low && value <= high);
  const standard = String(slider.standard);
  const [text, setText] = useSetting(`whatif.${slider.name}`, standard);
  const wanted = Number(text);
  const place = nearest(values, Number.isNaN(wanted) ? slider.standard : wanted);
  return { slider: { ...slider, values }, place, set: (next) => setText(String(values[next] ?? slider.standard)) };
}

const kEach = 4; // of the slider's steps a point of a curve

// Curves of a moment ago stand until those of now are whole.
function useCurves(network: Network, chosen: Chosen[], predict: Predict): { now: Outcome | undefined; curves: Curve[] } {
  const latest = useRef<Curve[]>([]);
  const lists = chosen.slice(0, 2).map(({ slider: { name, values } }) => {
    const finite = values.filter((value) => value < Infinity);
    return finite.filter((_, i) => i % kEach === 0 || i === finite.length - 1).map((value) => ({ value, network: { ...network, [name]: value } }));
  });
  const [now, ...points] = predict([network, ...lists.flat().map((point) => point.network)]);
  if (points.every((point) => point !== undefined && point.stuck === 0)) {
    const at = [`latency, at ${chosen[1]!.slider.text(network.bandwidth)}`, `bandwidth, at ${chosen[0]!.slider.text(network.latency)}`];
    latest.current = lists.map((list, k) => ({ name: at[k]!, now: 0, values: list.map(({ value }) => value), text: chosen[k]!.slider.text,
      times: points.slice(k === 0 ? 0 : lists[0]!.length, k === 0 ? lists[0]!.length : undefined).map((point) => point!.predicted) }));
  }
  return { now, curves: latest.current.map((curve, k) => ({ ...curve, now: k === 0 ? network.latency : network.bandwidth })) };
}

function Said(props: { outcome: Outcome; network: Network; measured: number }): JSX.Element {
  const { predicted, computing, communicating, waiting, stuck } = props.outcome;
  if (stuck > 0) {
    return <>{format.ranks(stuck)} would wait for ever: messages above {format.bytes(props.network.rendezvous)} wait for their receivers, and the program relies on MPI
      to keep some that are larger.</>;
  }
  const all = computing + communicating + waiting || 1;
  return (
    <>
      <strong data-value={predicted}>{format.seconds(predicted)}</strong>{props.measured > 0 && `, against ${format.seconds(props.measured)} as it was recorded`}:
      {" "}{format.percent(computing / all)} of all ranks' time computing, {format.percent(communicating / all)} communicating, {format.percent(waiting / all)} waiting
    </>
  );
}

// @param limits  of latency and bandwidth, of what was simulated; null: the page plays the run
export function OwnNetwork(props: { run: Run; measured: number; limits: [number, number][] | null; predict: Predict }): JSX.Element {
  const { run, limits } = props;
  const free: [number, number] = [0, Infinity];
  const all = kSliders.map((slider, i) => useSlider(slider, limits?.[i] ?? free));
  const chosen = limits ? all.slice(0, 2) : all;
  const network: Network = { latency: 0, bandwidth: 0, overhead: 0, rendezvous: Infinity, computing: 1 };
  for (const { slider, place } of chosen) network[slider.name] = slider.values[place]!;
  const { now, curves } = useCurves(network, chosen, props.predict);
  return (
    <figure>
      <figcaption>A network of your own{limits ? ", between those that were simulated" : ""}</figcaption>
      <div class="choices sliders">
        {chosen.map(({ slider, place, set }) => (
          <label key={slider.name}>
            {slider.label}{" "}
            <input type="range" min={0} max={slider.values.length - 1} value={place} onInput={(event) => set(Number(event.currentTarget.value))}
              aria-valuetext={slider.text(slider.values[place]!)} />{" "}
            <output>{slider.text(slider.values[place]!)}</output>
          </label>
        ))}
      </div>
      <p class="predicted" aria-live="polite">{now ? <Said outcome={now} network={network} measured={props.measured} /> : "Playing the run …"}</p>
      {!limits && <p class="hint aside">The page plays the run, as <code class="network">rondo simulate {run.name}.rondo {optionsOf(network)}</code> does.</p>}
      <Canvas class="curves" label="Predicted time against latency and against bandwidth" draw={(drawing) => drawCurves(now?.stuck === 0 ? curves : [], now?.predicted ?? 0, drawing)} />
    </figure>
  );
}
