import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { hashOf, inputHash } from '../../scripts/lib/build-stamp.mjs'
import { tableOf } from './results-table.ts'

const FOLDER: string = path.resolve(import.meta.dirname, '../../.cache/torture')

/** The outcome of a trial, as it is stored. */
export interface KeptOutcome {
  readonly row: string
  readonly column: string
  /** Distinguishes the trial from others in its row and column. */
  readonly kind: string
  readonly violations: readonly { readonly what: string; readonly detail: string }[]
}

interface KeptUnit {
  readonly unit: number
  readonly outcomes: readonly KeptOutcome[]
}

export interface Conclusion {
  readonly tally: { readonly played: number; readonly kept: number; readonly violated: number }
  readonly table: string
}

interface ResultsOptions {
  /** Part and seed. */
  readonly name: string
  /** Identifies the code under test and the trials: outcomes of another build say nothing about this one. */
  readonly build: string
  /** The units of this run. Others that were kept don't count. */
  readonly units: readonly number[]
  readonly folder?: string
}

/** The build under test together with the code of the trials. */
export function buildOfTorture(): string {
  return `${inputHash()}${hashOf(['test/torture', 'test/http-store', 'test/browser/support'])}`.replaceAll(
    /(.{8}).{56}/g,
    '$1',
  )
}

/** The outcomes of a seed and a build, kept as they come, so that an interrupted run continues. */
export class Results {
  readonly #name: string
  readonly #folder: string
  readonly #kept: readonly KeptUnit[]
  readonly #played: KeptUnit[] = []

  constructor({ name, build, units, folder = FOLDER }: ResultsOptions) {
    this.#name = `${name}-${build}`
    this.#folder = folder
    mkdirSync(folder, { recursive: true })
    const kept = existsSync(this.#file) ? readUnits(readFileSync(this.#file, 'utf8')) : []
    this.#kept = kept.filter(({ unit }) => units.includes(unit))
    if (this.#kept.length < units.length) return
    // The run before was finished: this one plays everything.
    rmSync(this.#file, { force: true })
    this.#kept = []
  }

  has(unit: number): boolean {
    return this.#kept.some((kept) => kept.unit === unit)
  }

  add(unit: number, outcomes: readonly KeptOutcome[]): void {
    const played = { unit, outcomes }
    this.#played.push(played)
    appendFileSync(this.#file, `${JSON.stringify(played)}\n`)
  }

  /** Writes the summary, and returns the counts with a table of them. */
  conclude(): Conclusion {
    const units = [...this.#kept, ...this.#played]
    const outcomes = units.flatMap((unit) => unit.outcomes)
    const violations = units.flatMap(({ unit, outcomes: own }) =>
      own.flatMap(({ row, column, kind, violations: found }) =>
        found.map((one) => ({ unit, row, column, kind, ...one })),
      ),
    )
    const tally = {
      played: countOf(this.#played),
      kept: countOf(this.#kept),
      violated: outcomes.filter((one) => one.violations.length > 0).length,
    }
    const { cells, lines } = tableOf(outcomes)
    writeFileSync(
      path.join(this.#folder, `${this.#name}.json`),
      `${JSON.stringify({ ...tally, cells, violations }, null, 2)}\n`,
    )
    const details = violations.map(
      ({ unit, row, column, kind, what, detail }) =>
        `unit ${unit}: ${row} × ${column} × ${kind}: ${what}: ${detail}`,
    )
    return { tally, table: [...lines, '', ...details].join('\n') }
  }

  get #file(): string {
    return path.join(this.#folder, `${this.#name}.jsonl`)
  }
}

function countOf(units: readonly KeptUnit[]): number {
  return units.reduce((sum, { outcomes }) => sum + outcomes.length, 0)
}

/** The last line may be cut off: the run that wrote it was ended. */
function readUnits(text: string): KeptUnit[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as KeptUnit)
}
