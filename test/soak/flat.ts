import type { Sample } from './probe.ts'

type Measure = Exclude<keyof Sample, 'runs'>

/** How much each may grow in a thousand runs of the second half: bytes, and how many. A page remembers all executions by their ids. */
const MOST: Readonly<Partial<Record<Measure, number>>> = {
  pageHeap: 700_000,
  workerHeap: 400_000,
  pageListeners: 5,
  pagePorts: 2,
  workerPorts: 2,
  pageSignals: 20,
  workerSignals: 20,
}
/** What nothing may be left of while nothing is done. */
const NONE = ['pageTimers', 'workerTimers', 'locks', 'transactions'] as const

/** What grows with each thousand runs: the slope of the line that fits the samples of the second half best. */
export function growth(samples: readonly Sample[], measure: Measure): number {
  const last = samples.at(-1)?.runs ?? 0
  const half = samples.filter(({ runs }) => runs > last / 2)
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(half.map(({ runs }) => runs)), mean(half.map((each) => each[measure]))]
  const over = half.reduce((sum, each) => sum + (each.runs - x) * (each[measure] - y), 0)
  const under = half.reduce((sum, { runs }) => sum + (runs - x) ** 2, 0)
  return under === 0 ? 0 : (over / under) * 1000
}

/** What is not as it must be: what was left behind at rest, and, where there are samples enough, what grows. */
export function leaks(samples: readonly Sample[]): string[] {
  const left = samples.flatMap((sample) =>
    NONE.filter((measure) => sample[measure] > 0).map(
      (measure) => `after ${sample.runs} runs: ${measure} ${sample[measure]}`,
    ),
  )
  const crowded = samples.flatMap(({ runs, workers }) =>
    workers > 1 ? `after ${runs} runs: ${workers} workers` : [],
  )
  if (samples.length < ENOUGH) return [...left, ...crowded]
  const growing = (Object.entries(MOST) as [Measure, number][]).flatMap(([measure, most]) => {
    const grown = growth(samples, measure)
    return grown > most ? `${measure} grows by ${Math.round(grown)} in 1000 runs` : []
  })
  return [...left, ...crowded, ...growing]
}

/** With fewer samples, a line through half of them says nothing. */
const ENOUGH = 12

export function tableOf(samples: readonly Sample[]): string {
  const measures = Object.keys(samples[0] ?? {}) as (keyof Sample)[]
  const lines = [
    measures.map(String),
    ...samples.map((sample) => measures.map((measure) => String(sample[measure]))),
  ]
  const widths = measures.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines
    .map((line) => line.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  '))
    .join('\n')
}
