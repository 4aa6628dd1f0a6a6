import path from 'node:path'
import { expect, test } from 'vitest'
import { inProject } from '../../../scripts/lib/project.mjs'
import { run } from '../../../scripts/lib/run.mjs'
import { PACKAGES, preparePackages } from '../../ai-sdk/prepare-packages.ts'

test('the types fit those of the AI SDK', { timeout: 600_000 }, async () => {
  await preparePackages()
  const tsc = inProject('node_modules/typescript/bin/tsc')
  const { output } = await run(
    process.execPath,
    [tsc, '-p', path.join(PACKAGES, 'tsconfig.types.json')],
    { quiet: true },
  )
  expect(output).toBe('')
})
