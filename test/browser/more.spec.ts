import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { inProject } from '../../scripts/lib/project.mjs'
import { expect, test } from './support/test.ts'

const cli = createRequire(import.meta.url).resolve('@playwright/test/cli')

interface Listed {
  readonly specs?: readonly {
    readonly file: string
    readonly tags: string[]
  }[]
  readonly suites?: readonly Listed[]
}

test('`npm run test:more` runs what `npm test` leaves out, and no file is left out whole', async () => {
  const args = [cli, 'test', '--list', '--reporter=json']
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: inProject('.'),
    env: { ...process.env, OFFSTAGE_MORE: '1', PLAYWRIGHT_JSON_OUTPUT_FILE: '' },
    maxBuffer: 2 ** 28,
  })
  const all = specsIn(JSON.parse(stdout) as Listed)
  const kept = all.filter(({ tags }) => !tags.includes('more'))
  expect(all.length - kept.length).toBeGreaterThan(100)
  // Of the torture, one file has the slice; a soak is long or none.
  const whole = new Set(['torture-tabs.spec.ts', 'soak.spec.ts'])
  const files = (specs: typeof all) =>
    [...new Set(specs.map(({ file }) => file))].filter((file) => !whole.has(file)).toSorted()
  expect(files(kept)).toEqual(files(all))
})

function specsIn({ specs = [], suites = [] }: Listed): NonNullable<Listed['specs']>[number][] {
  return [...specs, ...suites.flatMap(specsIn)]
}
