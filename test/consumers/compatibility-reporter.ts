import { readFileSync, writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter'
import { definedTables, DOCUMENT, withFindings } from './compatibility.ts'

/** Writes what was found into the document, once all set-ups were tried. */
// oxlint-disable-next-line import/no-default-export -- Playwright asks for it.
export default class CompatibilityReporter implements Reporter {
  readonly #findings = new Map<string, { works: boolean; worker?: string }>()

  onTestEnd({ annotations }: TestCase, { status }: TestResult): void {
    const [setup, worker] = ['setup', 'worker'].map(
      (wanted) => annotations.find(({ type }) => type === wanted)?.description,
    )
    if (!setup || status === 'skipped') return
    this.#findings.set(setup, { works: status === 'passed', ...(worker && { worker }) })
  }

  onEnd(): void {
    const all = definedTables().flatMap(({ rows }) => rows.map(([title = '']) => title))
    const untried = all.filter((title) => !this.#findings.has(title))
    if (untried.length > 0)
      return console.log(`Not tried, so not written down: ${untried.join(', ')}`)
    writeFileSync(DOCUMENT, withFindings(readFileSync(DOCUMENT, 'utf8'), this.#findings))
  }
}
