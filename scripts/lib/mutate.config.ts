// Vitest's configuration with one module in the place of another: nothing on disk is changed.
import { readFileSync } from 'node:fs'
import { mergeConfig } from 'vitest/config'
import type { Vite, VitestPluginContext } from 'vitest/node'
import base from '../../vitest.config.ts'

const { MUTATED_FILE: file, MUTANT_FILE: mutant } = process.env
const isMutated = (id: string): boolean => mutant !== undefined && id.split('?')[0] === file

const plugin: Vite.Plugin = {
  name: 'mutant',
  enforce: 'pre',
  load: (id) => (mutant !== undefined && isMutated(id) ? readFileSync(mutant, 'utf8') : undefined),
  configureVitest({ experimental_defineCacheKeyGenerator: define }: VitestPluginContext) {
    define(({ id }) => (isMutated(id) ? false : undefined))
  },
}

export default mergeConfig(base, {
  plugins: [plugin],
  test: {
    // All other modules are what they were for the mutant before.
    experimental: { fsModuleCache: true, fsModuleCachePath: '.cache/mutate/modules' },
  },
})
