import type { Sample } from './probe.ts'

type Measure = Exclude<keyof Sample, 'runs' | 'minutes'>

/** How much each measure may grow, once everything has been loaded and warmed up. */
export interface Limits {
  readonly along: 'runs' | 'minutes'
  /** The share of the soak after which growth counts. */
  readonly from: number
  /** The stretch in which it may grow by so much. */
  readonly per: number
  readonly most: Readonly<Partial<Record<Measure, number>>>
}

/** In a thousand runs: bytes, and how many. A page remembers all executions by their ids. */
export const LIMITS_OF_RUNS: Limits = {
  along: 'runs',
  from: 1 / 2,
  per: 1000,
  most: {
    pageHeap: 500_000,
    workerHeap: 400_000,
    // Some for each conversation that an agent has shown, until it is disposed of.
    pageListeners: 30,
    pagePorts: 2,
    workerPorts: 2,
    pageChannels: 1,
    workerChannels: 1,
    pageSignals: 20,
    workerSignals: 20,
  },
}

/** In an hour with some 24 runs. A worker's heap still grows by the code that is compiled in its first 200 runs. */
export const LIMITS_OF_DAY: Limits = {
  along: 'minutes',
  from: 3 / 4,
  per: 60,
  most: {
    pageHeap: 100_000,
    workerHeap: 150_000,
    pageListeners: 6,
    pagePorts: 1,
    workerPorts: 1,
    pageChannels: 0.5,
    workerChannels: 0.5,
    pageSignals: 4,
    workerSignals: 4,
  },
}

/** Nothing of these may be left while nothing is done. */
const NONE = ['pageTimers', 'workerTimers', 'locks', 'transactions'] as const

/** The slope of the line that fits the late samples best. */
function growth(
  samples: readonly Sample[],
  measure: Measure,
  { along, from, per }: Pick<Limits, 'along' | 'from' | 'per'>,
): number {
  const last = samples.at(-1)?.[along] ?? 0
  const late = samples.filter((sample) => sample[along] > last * from)
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [
    mean(late.map((sample) => sample[along])),
    mean(late.map((sample) => sample[measure])),
  ]
  const over = late.reduce((sum, each) => sum + (each[along] - x) * (each[measure] - y), 0)
  const under = late.reduce((sum, each) => sum + (each[along] - x) ** 2, 0)
  return under === 0 ? 0 : (over / under) * per
}

/** Leaks: things left behind at rest, and, with enough samples, measures that grow. */
export function leaks(samples: readonly Sample[], limits: Limits): string[] {
  const left = samples.flatMap((sample) =>
    NONE.filter((measure) => sample[measure] > 0).map(
      (measure) => `after ${sample.runs} runs: ${measure} ${sample[measure]}`,
    ),
  )
  const crowded = samples.flatMap(({ runs, workers }) =>
    workers > 1 ? `after ${runs} runs: ${workers} workers` : [],
  )
  if (samples.length < ENOUGH) return [...left, ...crowded]
  const growing = (Object.entries(limits.most) as [Measure, number][]).flatMap(
    ([measure, most]) => {
      const grown = growth(samples, measure, limits)
      return grown > most
        ? `${measure} grows by ${Math.round(grown)} in ${limits.per} ${limits.along}`
        : []
    },
  )
  return [...left, ...crowded, ...growing]
}

/** With fewer samples, a line through the late ones says nothing. */
const ENOUGH = 12

export function tableOf(samples: readonly Sample[]): string {
  const measures = Object.keys(samples[0] ?? {}) as (keyof Sample)[]
  const lines = [
    measures.map(String),
    ...samples.map((sample) => measures.map((measure) => String(Math.round(sample[measure])))),
  ]
  const widths = measures.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines
    .map((line) => line.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  '))
    .join('\n')
}

/** Each measure's growth, as lines of text. */
export function growthLines(samples: readonly Sample[], limits: Limits): string[] {
  return (Object.keys(limits.most) as Measure[]).map(
    (measure) =>
      `${measure}: ${growth(samples, measure, limits).toFixed(1)} in ${limits.per} ${limits.along}`,
  )
}
