import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { RunEvent } from '../../src/index.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { createTestAgent, createTestStorage } from '../../src/testing/index.ts'
import { configOf, formats, recordExchanges } from './formats.ts'
import { startLlamaServer, type LlamaServer } from './llama-server.ts'

// Parameters that JSON Schema allows and llama.cpp can't make a grammar of: the message is answered all the same, and
// the next ones with one request each.

const which = { enum: ['order', 'cancel'] }

/** Properties of the tool's parameters, except `which`, and other keywords of the schema. */
const refused: { readonly [name: string]: readonly [properties: JsonObject, beside?: JsonObject] } =
  {
    'a property that is true': [{ anything: true }],
    'a property that is false': [{ never: false }],
    'an array of anything': [{ list: { type: 'array', items: true } }],
    'a tuple': [
      {
        pair: {
          type: 'array',
          prefixItems: [{ type: 'string' }, { type: 'number' }],
          items: false,
        },
      },
    ],
    'alternatives that are true': [{ either: { anyOf: [{ type: 'number' }, true] } }],
    'the root as a child': [{ children: { type: 'array', items: { $ref: '#' } } }],
    'a reference that leads nowhere': [{ lost: { $ref: '#/$defs/lost' } }],
    'a reference by name': [
      { model: { $ref: '#model' } },
      { $defs: { model: { $anchor: 'model', type: 'boolean' } } },
    ],
    'a reference into a name with a slash': [
      { model: { $ref: '#/$defs/a~1model' } },
      { $defs: { 'a/model': { type: 'boolean' } } },
    ],
    'a reference to another document': [{ other: { $ref: 'https://example.com/schema.json' } }],
    'a reference to itself': [
      { self: { $ref: '#/$defs/self' } },
      { $defs: { self: { $ref: '#/$defs/self' } } },
    ],
    'a pattern that repeats too often': [{ code: { type: 'string', pattern: '^[a-z]{3000}$' } }],
    'a text of at least 3 000 characters': [{ text: { type: 'string', minLength: 3_000 } }],
    'an array of at least 3 000': [
      { list: { type: 'array', items: { type: 'number' }, minItems: 3_000 } },
    ],
    'a text of up to 3 000 000 000 characters': [
      { text: { type: 'string', maxLength: 3_000_000_000 } },
    ],
    'names of fields and features': [{ stream: true, image: true, system: true, role: true }],
  }

const taken: typeof refused = {
  'an array without items': [{ list: { type: 'array' } }],
  'a tuple of draft 7': [{ pair: { type: 'array', items: [{ type: 'string' }] } }],
  'alternatives at the top': [{}, { oneOf: [{ required: ['which'] }] }],
  'safe integers': [{ count: { type: 'integer', maximum: Number.MAX_SAFE_INTEGER } }],
  'a pattern': [{ code: { type: 'string', pattern: '^[a-z]+$' } }],
  'a circle of definitions': [
    { tree: { $ref: '#/$defs/node' } },
    { $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } } },
  ],
}

const schemaOf = ([properties, beside]: (typeof refused)[string]): JsonObject => ({
  type: 'object',
  properties: { which, ...properties },
  required: ['which'],
  additionalProperties: false,
  ...beside,
})

let server: LlamaServer

beforeAll(async () => {
  server = await startLlamaServer()
}, 60_000)

afterAll(() => server.close())
afterEach(() => vi.unstubAllGlobals())

interface Shown {
  readonly warnings: readonly string[]
  readonly statuses: readonly number[]
}

/** Asks three times, the last time after a reload, in an agent whose tool has these parameters. */
async function askThrice(
  { format, toolChoice }: (typeof ways)[number],
  schema: (typeof refused)[string],
): Promise<readonly Shown[]> {
  const exchanges = recordExchanges()
  const testStorage = createTestStorage()
  const open = () =>
    createTestAgent({
      model: configOf(format, server.url, { maxOutputTokens: 64, toolChoice }),
      testStorage,
      tools: [
        {
          name: 'click',
          description: 'Clicks a button.',
          inputSchema: schemaOf(schema),
          annotations: { readOnly: true },
          execute(input: JsonObject) {
            expect(which.enum).toContain(input['which'])
            return 'It was clicked.'
          },
        },
      ],
    })
  const ask = async (agent: ReturnType<typeof open>, text: string): Promise<Shown> => {
    exchanges.length = 0
    const run = agent.run(text, { conversationId: 'c', maxSteps: 1 })
    const events: RunEvent[] = []
    for await (const event of run) events.push(event)
    const end = await run.result
    expect('error' in end ? end.error : undefined).toBeUndefined()
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool-input-start', toolName: 'click' }),
    )
    expect(exchanges.at(-1)?.body).toContain('"stream":true')
    return {
      warnings: events.flatMap((event) => (event.type === 'warning' ? [event.message] : [])),
      statuses: exchanges.map(({ status }) => status),
    }
  }
  const agent = open()
  const first = await ask(agent, 'Click')
  const second = await ask(agent, 'Again')
  await agent.dispose()
  const reloaded = open()
  const third = await ask(reloaded, 'Later')
  await reloaded.dispose()
  return [first, second, third]
}

const ways = [
  ...formats.map((format) => ({ way: format.format, format, toolChoice: 'auto' }) as const),
  { way: 'Chat Completions, where a call is required', format: formats[0], toolChoice: 'required' },
] as const

const atOnce: Shown = { warnings: [], statuses: [200] }

describe.each(ways)('$way', (way) => {
  test.each(Object.entries(taken))('%s is accepted unchanged', async (_, schema) => {
    expect(await askThrice(way, schema)).toEqual([atOnce, atOnce, atOnce])
  })

  test.each(Object.entries(refused))(
    '%s is refused, yet the message is answered, and later ones with one request each',
    async (_, schema) => {
      const [first, ...next] = await askThrice(way, schema)
      expect(first?.warnings).toEqual([])
      expect(new Set(first?.statuses.slice(0, -1))).toEqual(new Set([400]))
      expect([2, 3]).toContain(first?.statuses.length)
      expect(first?.statuses.at(-1)).toBe(200)
      expect(next).toEqual([atOnce, atOnce])
    },
  )
})
