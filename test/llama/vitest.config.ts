import { defineConfig } from 'vitest/config'
import { inProject } from '../../scripts/lib/project.mjs'
import { workerSource } from '../../scripts/lib/vite-plugins.ts'

export default defineConfig({
  root: inProject('.'),
  plugins: [workerSource()],
  test: {
    include: ['test/llama/**/*.test.ts'],
    environment: 'node',
    testTimeout: 60_000,
  },
})
