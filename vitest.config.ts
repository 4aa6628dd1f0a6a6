import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import {
  linearUniqueItems,
  onlyReadSentences,
  withoutFormats,
  workerSource,
} from './scripts/lib/vite-plugins.ts'

// Vitest's reporter groups failures by it, and Node 20 lacks it: a failing test would name nothing.
if (!('groupBy' in Map)) Object.assign(Map, { groupBy })

function groupBy<K, V>(items: Iterable<V>, keyOf: (item: V, index: number) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>()
  let index = 0
  for (const item of items) {
    const key = keyOf(item, index++)
    groups.set(key, [...(groups.get(key) ?? []), item])
  }
  return groups
}

const TESTS = ['test/unit/**/*.test.ts', 'test/recorded/**/*.test.ts']
/** They count what their process does, or replace modules or their state. */
const ALONE = [
  'test/unit/action/cost.test.ts',
  'test/unit/client/agent.test.ts',
  'test/unit/client/crashed-run.test.ts',
  'test/unit/client/keyless.test.ts',
  'test/unit/client/late-parts.test.ts',
  'test/unit/client/missing-parts.test.ts',
  'test/unit/client/model-requests.test.ts',
  'test/unit/client/remount.test.ts',
  'test/unit/client/transfer-memory.test.ts',
  'test/unit/import-cost.test.ts',
  'test/unit/providers/drain-body.test.ts',
  'test/unit/providers/watchdog.test.ts',
  'test/unit/runner/gate.test.ts',
  'test/unit/testing/agent-families.test.ts',
  'test/unit/tools-from/tools-from.test.ts',
  'test/unit/trace/four-paths.test.ts',
  'test/unit/webmcp/publish-tools.test.ts',
  'test/recorded/**/*.test.ts',
]

export default defineConfig({
  // The inline entry's import resolves to the worker as it was last built.
  plugins: [workerSource(), linearUniqueItems(), onlyReadSentences(), withoutFormats()],
  test: {
    // As it is built.
    server: { deps: { inline: [/@cfworker\/json-schema/] } },
    environment: 'node',
    // Some tests wait for real timers; other files use the cores meanwhile.
    maxWorkers: availableParallelism() + 3,
    setupFiles: ['test/setup/listener-leaks.ts', 'test/setup/patience.ts', 'test/setup/seed.ts'],
    // A hanging test names itself instead of eating the whole run's time; a busy machine is no failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [
      // Of each module one instance a process: most of the time was spent on importing the SDK anew for each file.
      { extends: true, test: { name: 'shared', isolate: false, include: TESTS, exclude: ALONE } },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
  },
})
