// Vitest's configuration with every mutant in its module, switched off: nothing on disk is changed.
import { mergeConfig } from 'vitest/config'
import type { TestSpecification, Vite, VitestPluginContext } from 'vitest/node'
import base from '../../../vitest.config.ts'
import { instrument, planMutants } from './plan.mjs'

const sources = instrument(planMutants())
const pathOf = (id: string): string => id.split('?')[0] ?? id

const plugin: Vite.Plugin = {
  name: 'mutants',
  enforce: 'pre',
  load: (id) => sources.get(pathOf(id)),
  configureVitest({ experimental_defineCacheKeyGenerator: define }: VitestPluginContext) {
    define(({ id }) => (sources.has(pathOf(id)) ? false : undefined))
  },
}

/** Test files run in the order in which they are given. */
class UnchangedOrder {
  shard(files: TestSpecification[]): TestSpecification[] {
    return files
  }

  sort(files: TestSpecification[]): TestSpecification[] {
    return files
  }
}

export default mergeConfig(base, {
  plugins: [plugin],
  test: {
    setupFiles: ['scripts/lib/mutation/worker-setup.ts'],
    sequence: { sequencer: UnchangedOrder },
    // All other modules are the same for every mutant.
    experimental: { fsModuleCache: true, fsModuleCachePath: '.cache/mutate/modules' },
  },
})
