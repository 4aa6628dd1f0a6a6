import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { inProject } from '../../scripts/lib/project.mjs'
import { expect, test } from './support/test.ts'

const cli = createRequire(import.meta.url).resolve('@playwright/test/cli')

interface Listed {
  readonly specs?: readonly {
    readonly id: string
    readonly file: string
    readonly tags: string[]
  }[]
  readonly suites?: readonly Listed[]
}

/** Of all tests of this folder, those that a command would run. */
async function listed(more: '0' | '1'): Promise<ReturnType<typeof specsIn>> {
  const args = [cli, 'test', '--list', '--reporter=json']
  const env = { ...process.env, OFFSTAGE_MORE: more, PLAYWRIGHT_JSON_OUTPUT_FILE: '' }
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: inProject('.'),
    env,
    maxBuffer: 2 ** 28,
  })
  return specsIn(JSON.parse(stdout) as Listed)
}

function specsIn({ specs = [], suites = [] }: Listed): NonNullable<Listed['specs']>[number][] {
  return [...specs, ...suites.flatMap(specsIn)]
}

test('`npm run test:more` runs all that `npm test` leaves out, and no file is left out whole', async () => {
  const [some, all] = await Promise.all([listed('0'), listed('1')])
  const kept = new Set(some.map(({ id }) => id))
  const left = all.filter(({ id }) => !kept.has(id))
  expect(left.length).toBe(all.length - some.length)
  expect(left.length).toBeGreaterThan(100)
  expect(left.filter(({ tags }) => !tags.includes('more'))).toEqual([])
  const files = (specs: typeof all) => [...new Set(specs.map(({ file }) => file))].toSorted()
  expect(files(some)).toEqual(files(all))
})
