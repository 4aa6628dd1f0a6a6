import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, expect, it, vi } from 'vitest'
import { KEYWORDS } from '../../../src/client/schema-keywords.ts'
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

async function warningsOn(hostname: string): Promise<string[]> {
  vi.stubGlobal('location', new URL(`http://${hostname}:5173/`))
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  await using agent = createTestAgent({
    script: { scenes: [], fallback: [{ text: 'Hello.' }] },
    tools: [tool('find', misspelt), tool('look', sound)],
  })
  await agent.run('Hi.').result
  const undo = agent.registerTool(tool('late', { type: 'object', propertys: {} }))
  undo()
  agent.registerTool(tool('find', misspelt), { replace: true })
  await vi.waitFor(() => expect(warn.mock.calls.length).toBeGreaterThan(0), 300).catch(() => {})
  return warn.mock.calls.map(([message]) => String(message))
}

it('on the developer’s machine, a tool with unknown keywords is warned about once', async () => {
  expect(await warningsOn('localhost')).toEqual([
    "The inputSchema of the tool find has keywords that JSON Schema doesn't know, so they check nothing: typ (did you mean type?), requierd (did you mean required?).",
    "The inputSchema of the tool late has keywords that JSON Schema doesn't know, so they check nothing: propertys (did you mean properties?).",
  ])
})

it('on a site, nothing is checked', async () => {
  expect(await warningsOn('shop.example')).toEqual([])
})

it('the list of keywords has all that checkTools accepts', () => {
  expect(KEYWORDS).toEqual(expect.arrayContaining(Object.keys(new Ajv2020().RULES.keywords)))
})
