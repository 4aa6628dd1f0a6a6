import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { inProject } from '../../../scripts/lib/project.mjs'
import { qualityPage, withMutationScore } from '../../../scripts/lib/quality/pages.mjs'
import { commitOf, machineOf, readRows } from '../../../scripts/lib/quality/rows.mjs'

const ROW = {
  date: '2026-11-28',
  version: '1.2.3',
  commit: 'abc1234',
  machine: '2 × Processor',
  seed: '7',
  figure: '1100 trials, 0 with a violation',
}

function rowOf(page: string, command: string): string[] {
  const line = page.split('\n').find((one) => one.includes(`\`${command}\``)) ?? ''
  return line.split('|').map((cell) => cell.trim())
}

test('a result of this version is shown with its date, commit, seed and machine', () => {
  const page = qualityPage({ 'torture-cells': ROW }, '1.2.3')
  expect(rowOf(page, 'npm run torture').slice(2, -1)).toEqual([
    '`npm run torture`',
    ROW.figure,
    ROW.date,
    ROW.commit,
    ROW.seed,
    ROW.machine,
  ])
})

test('results of other versions and missing results are shown as not run', () => {
  const page = qualityPage({ 'torture-cells': ROW }, '1.3.0')
  for (const command of ['npm run torture', 'npm run attack'])
    expect(rowOf(page, command)[3]).toBe('not run yet on this version')
})

test('a result without a known run is refused', () => {
  expect(() => qualityPage({ gone: ROW }, '1.2.3')).toThrow('gone')
})

test('the mutation score is replaced between its markers repeatedly', () => {
  const readme = readFileSync(inProject('test/README.md'), 'utf8')
  const once = withMutationScore(readme, { mutation: { ...ROW, figure: '81 %' } }, '1.2.3')
  expect(once).toContain('81 % (2026-11-28, commit abc1234, seed 7).')
  expect(withMutationScore(once, readRows(), '0.0.0')).toContain('Not run yet on this version.')
  expect(() => withMutationScore('', {}, '1.2.3')).toThrow('mutation score')
})

test('a commit with changes is marked, unless a long run wrote them', () => {
  expect(commitOf('abc1234', '')).toBe('abc1234')
  expect(commitOf('abc1234', ' M etc/quality.json\n M docs/quality.md\n')).toBe('abc1234')
  expect(commitOf('abc1234', '?? src/new.ts\n')).toBe('abc1234 with changes')
})

test('a machine is described without its hostname', () => {
  const cpu = { model: 'Fast  Processor ' }
  expect(machineOf([cpu, cpu], 16 * 2 ** 30)).toMatch(/^2 × Fast Processor, 16 GB, \w+, Node \d/)
})
