import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, expect, it, vi } from 'vitest'
import { KEYWORDS } from '../../../src/client/tools/schema-keywords.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import type { JsonSchema } from '../../../src/protocol/json.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const tool = (name: string, inputSchema: JsonSchema) => ({
  name,
  description: 'Finds things.',
  inputSchema,
  execute: () => 'Found.',
})
const misspelt = {
  type: 'object',
  properties: { place: { type: 'object', properties: { city: { typ: 'string' } } }, typo: true },
  requierd: ['place'],
  'x-order': 1,
}
const sound = { type: 'object', properties: { typ: { type: 'string', default: { typ: 1 } } } }

/** Warnings of an agent on a host, once there are as many as expected. */
async function warningsOn(hostname: string, count: number): Promise<string[]> {
  vi.stubGlobal('location', new URL(`http://${hostname}:5173/`))
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  await using agent = createTestAgent({
    script: { scenes: [], fallback: [{ text: 'Hello.' }] },
    tools: [tool('find', misspelt), tool('look', sound)],
  })
  const warnings = (): string[] =>
    warn.mock.calls.map(String).filter((message) => message.startsWith('The inputSchema of the'))
  const until = (least: number): Promise<void> =>
    vi.waitFor(() => expect(warnings().length).toBeGreaterThanOrEqual(least), 30_000)
  await agent.run('Hi.').result
  await import('../../../src/client/tools/warn-of-keywords.ts')
  await until(Math.min(count, 1))
  const undo = agent.registerTool(tool('late', { type: 'object', propertys: {} }))
  undo()
  agent.registerTool(tool('find', misspelt), { replace: true })
  await until(count)
  return warnings()
}

it('on the developer’s machine, a tool with unknown keywords causes one warning', async () => {
  expect(await warningsOn('localhost', 2)).toEqual([
    "The inputSchema of the tool find has keywords that JSON Schema doesn't know, so they check nothing: typ (did you mean type?), requierd (did you mean required?).",
    "The inputSchema of the tool late has keywords that JSON Schema doesn't know, so they check nothing: propertys (did you mean properties?).",
  ])
})

it('on a deployed site, nothing is checked', async () => {
  expect(await warningsOn('shop.example', 0)).toEqual([])
})

it('the list of keywords includes all that checkTools accepts', () => {
  expect(KEYWORDS).toEqual(expect.arrayContaining(Object.keys(new Ajv2020().RULES.keywords)))
})
