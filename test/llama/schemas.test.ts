import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { RunEvent } from '../../src/index.ts'
import type { JsonObject, JsonValue } from '../../src/protocol/json.ts'
import { createTestAgent, createTestStorage } from '../../src/testing/index.ts'
import { configOf, formats, recordExchanges } from './formats.ts'
import { startLlamaServer, type LlamaServer } from './llama-server.ts'

// Parameters that JSON Schema allows and llama.cpp can't make a grammar of: the message is answered all the same, and
// the next ones with one request each.

const which = { enum: ['order', 'cancel'] }

/** Properties of the tool's parameters, beside `which`, and what stands beside the properties. */
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
    'a pattern that repeats too often': [{ code: { type: 'string', pattern: '^[a-z]{0,4000}$' } }],
    'a text of 10 000 characters': [{ text: { type: 'string', maxLength: 10_000 } }],
    'an array of 10 000': [
      { list: { type: 'array', items: { type: 'number' }, maxItems: 10_000 } },
    ],
    'names of fields and features': [{ stream: true, image: true, system: true, role: true }],
  }

const taken: typeof refused = {
  'an array without items': [{ list: { type: 'array' } }],
  'a tuple of draft 7': [{ pair: { type: 'array', items: [{ type: 'string' }] } }],
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

/** Status of a plain request with this tool. */
async function statusOf(parameters: JsonObject, toolChoice: string): Promise<number> {
  const { status, body } = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({
      messages: [{ role: 'user', content: 'Click' }],
      tools: [{ type: 'function', function: { name: 'click', parameters } }],
      tool_choice: toolChoice,
      max_tokens: 1,
    }),
  })
  await body?.cancel()
  return status
}

describe.each(['auto', 'required'] as const)('tool choice %s', (toolChoice) => {
  test.each(Object.entries(taken))('llama.cpp itself takes %s', async (_, schema) => {
    expect(await statusOf(schemaOf(schema), toolChoice)).toBe(200)
  })

  describe.each(Object.entries(refused))('%s', (_, schema) => {
    test('llama.cpp itself refuses it', async () => {
      expect(await statusOf(schemaOf(schema), toolChoice)).toBeGreaterThanOrEqual(400)
    })

    test.each(formats)(
      'in $format, the message is answered, and the next ones with one request each',
      async (format) => {
        const exchanges = recordExchanges()
        const testStorage = createTestStorage()
        const inputs: JsonValue[] = []
        const open = () =>
          createTestAgent({
            model: configOf(format, server.url, { maxOutputTokens: 120, toolChoice }),
            testStorage,
            tools: [
              {
                name: 'click',
                description: 'Clicks a button.',
                inputSchema: schemaOf(schema),
                annotations: { readOnly: true },
                execute(input: JsonObject) {
                  inputs.push(input)
                  return 'It was clicked.'
                },
              },
            ],
          })
        const ask = async (agent: ReturnType<typeof open>, text: string) => {
          exchanges.length = 0
          const run = agent.run(text, { conversationId: 'c', maxSteps: 1 })
          const warnings: RunEvent[] = []
          for await (const event of run) if (event.type === 'warning') warnings.push(event)
          const end = await run.result
          expect(warnings).toEqual([])
          expect(exchanges.at(-1)?.body).toContain('"stream":true')
          expect('error' in end ? end.error : undefined).toBeUndefined()
          return exchanges.map(({ status }) => status)
        }
        const agent = open()
        const first = await ask(agent, 'Click')
        expect(first.length).toBeGreaterThan(1)
        expect(first.length).toBeLessThanOrEqual(3)
        expect(first.map((status) => status < 400).indexOf(true)).toBe(first.length - 1)
        expect(await ask(agent, 'Again')).toEqual([200])
        await agent.dispose()
        const reloaded = open()
        expect(await ask(reloaded, 'Later')).toEqual([200])
        await reloaded.dispose()
        for (const input of inputs) expect(which.enum).toContain(Object(input).which)
        expect(inputs.length).toBeGreaterThan(0)
      },
    )
  })
})
