import { expect, test } from 'vitest'
import { bin } from '../../../scripts/lib/run.mjs'
import { PACKAGES, preparePackages } from '../../ai-sdk/prepare-packages.ts'

test('the types fit those of the AI SDK', { timeout: 600_000 }, async () => {
  await preparePackages()
  const { output } = await bin('typescript', ['-p', PACKAGES], { command: 'tsc', quiet: true })
  expect(output).toBe('')
})
