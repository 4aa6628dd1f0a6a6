import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { patched, patchOf, type Patch } from './patches.ts'
import type { OldRecording, RecordedRun, Recording } from './recording.ts'

/** A recording by the code before format 2. With a `format`: by the code of that format. */
export type Fixture = OldRecording | (Recording & { readonly format: 2 })

/** The recording as it is written to a file, without parts that can be derived from the rest. */
interface Written extends Omit<OldRecording, 'runs' | 'snapshots'> {
  readonly format?: 2
  /** Results are written only if the last event doesn't contain them. */
  readonly runs: readonly (Omit<RecordedRun, 'result'> & Partial<Pick<RecordedRun, 'result'>>)[]
  readonly snapshots: { readonly [view: string]: readonly Patch[] }
}

export type Family = ReadonlyMap<string, Fixture>

function fileOf(family: string): string {
  return fileURLToPath(new URL(`../fixtures/recorded/${family}.json`, import.meta.url))
}

const read = new Map<string, Family>()

export function readFamily(family: string): Family {
  const known = read.get(family)
  if (known) return known
  const file = fileOf(family)
  const recordings: Family = existsSync(file) ? parsed(readFileSync(file, 'utf8')) : new Map()
  read.set(family, recordings)
  return recordings
}

function parsed(text: string): Family {
  const written = JSON.parse(text) as Record<string, Written>
  return new Map(Object.entries(written).map(([name, each]) => [name, unwritten(each)]))
}

export function writeFamily(family: string, recordings: Family): void {
  const entries = [...recordings].map(
    ([name, recording]) => `${JSON.stringify(name)}: ${pretty(written(recording), '')}`,
  )
  const text = `{\n${entries.join(',\n')}\n}\n`
  assert.deepStrictEqual(parsed(text), recordings)
  writeFileSync(fileOf(family), text)
  read.set(family, recordings)
}

function written({ runs, snapshots, ...rest }: Fixture): Written {
  return {
    runs: runs.map(({ result, ...run }) => (isInLastEvent(run, result) ? run : { ...run, result })),
    snapshots: Object.fromEntries(
      Object.entries<readonly unknown[]>(snapshots).map(([view, states]) => [
        view,
        states.map((state, at) => patchOf(at === 0 ? {} : states[at - 1], state)),
      ]),
    ),
    ...(rest as Omit<OldRecording, 'runs' | 'snapshots'>),
  }
}

function isInLastEvent(
  { events }: Pick<RecordedRun, 'events'>,
  result: RecordedRun['result'],
): boolean {
  const last = events.at(-1)
  return last?.type === 'run-end' && JSON.stringify(last.result) === JSON.stringify(result)
}

function unwritten({ runs, snapshots, ...rest }: Written): Fixture {
  return {
    ...rest,
    runs: runs.map((run) => {
      const last = run.events.at(-1)
      const told = last?.type === 'run-end' ? last.result : null
      return { ...run, result: run.result === undefined ? told : run.result }
    }),
    snapshots: Object.fromEntries(
      Object.entries(snapshots).map(([view, patches]) => [view, statesOf(patches)]),
    ) as OldRecording['snapshots'],
  } as OldRecording
}

function statesOf(patches: readonly Patch[]): unknown[] {
  const states: unknown[] = []
  for (const patch of patches) states.push(patched(states.at(-1) ?? {}, patch))
  return states
}

const WIDTH = 320

/** JSON in which what fits on a line is on one: an event, a row. */
function pretty(value: unknown, indent: string): string {
  const line = JSON.stringify(value)
  if (indent.length + line.length <= WIDTH || typeof value !== 'object' || value === null) {
    return line
  }
  const inner = `${indent} `
  const parts = Array.isArray(value)
    ? value.map((each) => pretty(each, inner))
    : Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${pretty(each, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`
}
