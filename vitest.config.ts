import { defineConfig } from 'vitest/config'
import { workerSource } from './scripts/lib/vite-plugins.ts'

export default defineConfig({
  // The inline entry's import resolves to the worker as it was last built.
  plugins: [workerSource()],
  test: {
    include: ['test/unit/**/*.test.ts'],
    environment: 'node',
    // A hanging test names itself instead of eating the whole run's time.
    testTimeout: 10_000,
  },
})
