// Vitest's configuration with one module in the place of another: nothing on disk is changed.
import { readFileSync } from 'node:fs'
import { mergeConfig } from 'vitest/config'
import base from '../../vitest.config.ts'

const { MUTATED_FILE: file, MUTANT_FILE: mutant } = process.env

export default mergeConfig(base, {
  plugins: [
    {
      name: 'mutant',
      enforce: 'pre',
      load: (id: string): string | undefined =>
        mutant !== undefined && id.split('?')[0] === file
          ? readFileSync(mutant, 'utf8')
          : undefined,
    },
  ],
})
