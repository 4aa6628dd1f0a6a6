import { defineConfig } from '@playwright/test'
import { inProject } from '../../scripts/lib/project.mjs'

/** `npm run test:webllm`. A software GPU takes minutes for what a real one does in seconds. */
export default defineConfig({
  testDir: '.',
  outputDir: inProject('.cache/playwright-webllm'),
  workers: 1,
  retries: 0,
  timeout: 1_800_000,
  reporter: 'list',
})
