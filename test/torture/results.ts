import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const FOLDER = path.resolve(import.meta.dirname, '../../.cache/torture')

/** What one trial came to, as it is kept. */
export interface KeptOutcome {
  readonly row: string
  readonly column: string
  /** What else tells the trial from others. */
  readonly kind: string
  readonly violations: readonly { readonly what: string; readonly detail: string }[]
}

interface KeptUnit {
  readonly unit: number
  readonly outcomes: readonly KeptOutcome[]
}

/** The outcomes of a seed, kept as they come: what was done isn't done again when it is asked for once more. */
export class Results {
  readonly #name: string
  readonly #units: KeptUnit[]

  constructor(name: string) {
    this.#name = name
    mkdirSync(FOLDER, { recursive: true })
    this.#units = existsSync(this.#file) ? readUnits(readFileSync(this.#file, 'utf8')) : []
  }

  has(unit: number): boolean {
    return this.#units.some((kept) => kept.unit === unit)
  }

  keep(unit: number, outcomes: readonly KeptOutcome[]): void {
    const kept = { unit, outcomes }
    this.#units.push(kept)
    appendFileSync(this.#file, `${JSON.stringify(kept)}\n`)
  }

  /** Writes the summary, and returns it with a table of how many trials held. */
  conclude(): { readonly trials: number; readonly violated: number; readonly table: string } {
    const outcomes = this.#units.flatMap((unit) => unit.outcomes)
    const violations = this.#units.flatMap(({ unit, outcomes: own }) =>
      own.flatMap(({ row, column, kind, violations: found }) =>
        found.map((one) => ({ unit, row, column, kind, ...one })),
      ),
    )
    const violated = outcomes.filter((one) => one.violations.length > 0).length
    const cells = Object.fromEntries(
      unique(outcomes.map(({ row }) => row)).map((row) => [
        row,
        Object.fromEntries(
          unique(outcomes.map(({ column }) => column)).map((column) => {
            const own = outcomes.filter((one) => one.row === row && one.column === column)
            const bad = own.filter((one) => one.violations.length > 0).length
            return [column, { trials: own.length, violated: bad }]
          }),
        ),
      ]),
    )
    const summary = { trials: outcomes.length, violated, cells, violations }
    writeFileSync(path.join(FOLDER, `${this.#name}.json`), `${JSON.stringify(summary, null, 2)}\n`)
    const details = violations.map(
      ({ unit, row, column, kind, what, detail }) =>
        `unit ${unit}: ${row} × ${column} × ${kind}: ${what}: ${detail}`,
    )
    return {
      trials: outcomes.length,
      violated,
      table: [...tableOf(cells), '', ...details].join('\n'),
    }
  }

  get #file(): string {
    return path.join(FOLDER, `${this.#name}.jsonl`)
  }
}

/** The last line may be cut off: the run that wrote it was ended. */
function readUnits(text: string): KeptUnit[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as KeptUnit)
}

function tableOf(
  cells: Readonly<Record<string, Readonly<Record<string, { trials: number; violated: number }>>>>,
): string[] {
  const columns = unique(Object.values(cells).flatMap((row) => Object.keys(row)))
  const lines = [
    ['', ...columns],
    ...Object.entries(cells).map(([row, own]) => [
      row,
      ...columns.map((column) => {
        const { trials = 0, violated = 0 } = own[column] ?? {}
        return violated ? `${trials}, ${violated} BAD` : String(trials)
      }),
    ]),
  ]
  const widths = lines[0]?.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines.map((line) => line.map((cell, at) => cell.padEnd(widths?.[at] ?? 0)).join('  '))
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words)]
}
