import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { inProject } from '../../../scripts/lib/project.mjs'
import { run } from '../../../scripts/lib/run.mjs'

const mistakes = `
import { createAgent, defineTool } from '../../src/index.ts'
defineTool({ name: 'a', description: 'A.', parameters: { type: 'object' }, execute: () => 1 })
defineTool({ name: 'b', execute: () => 1 })
createAgent({ model: { provider: 'of-my-worker', model: 'm' } })
`

test('a mistake in a tool is reported against the plain tool, and providers may have any id', async () => {
  const folder = await mkdtemp(inProject('.cache/types-'))
  await writeFile(path.join(folder, 'mistakes.ts'), mistakes)
  const tsconfig = {
    extends: inProject('tsconfig.json'),
    compilerOptions: { noEmit: true, types: [] },
    include: ['mistakes.ts'],
  }
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  const tsc = inProject('node_modules/typescript/bin/tsc')
  const { output } = await run(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
    quiet: true,
  })
  await rm(folder, { recursive: true })
  expect(output.match(/mistakes\.ts\(\d+/g)).toEqual(['mistakes.ts(3', 'mistakes.ts(4'])
  expect(output).toContain(
    `'parameters' does not exist in type 'ToolDefinitionOptions<"a", JsonSchema, number, number>'`,
  )
  expect(output).toContain(`Property 'description' is missing in type '{ name: "b";`)
  expect(output).not.toContain('CompositeToolOptions')
}, 60_000)
