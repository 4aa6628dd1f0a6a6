import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { inProject, manifest } from '../../../scripts/lib/project.mjs'
import { EXAMPLES } from '../../consumers/examples.ts'

const STARTERS = ['vanilla', 'react', 'vue', 'svelte', 'next']

const read = (file: string): string => readFileSync(inProject('examples', file), 'utf8')

test.each(['src/agent.ts', 'src/tasks.ts', 'src/style.css'])(
  '%s is the same in all starters',
  (file) => {
    expect(new Set(STARTERS.map((name) => read(`${name}/${file}`))).size).toBe(1)
  },
)

test('each example depends on this version of the package, and pins its other packages', () => {
  const { version } = manifest() as { version: string }
  for (const name of [...EXAMPLES, 'ai-elements']) {
    const { dependencies, devDependencies = {} } = JSON.parse(read(`${name}/package.json`)) as {
      readonly dependencies: Record<string, string>
      readonly devDependencies?: Record<string, string>
    }
    expect(dependencies['offstage']).toBe(version)
    for (const pinned of Object.values({ ...dependencies, ...devDependencies }))
      expect(pinned).toMatch(/^\d+\.\d+\.\d+$/)
  }
})

test("the runtime of the example with assistant-ui is the guide's", () => {
  const guide = readFileSync(inProject('docs/integrations.md'), 'utf8')
  const runtime = read('assistant-ui/src/offstage-runtime.jsx').trim()
  expect(runtime.length).toBeGreaterThan(1000)
  expect(guide).toContain(runtime)
})
