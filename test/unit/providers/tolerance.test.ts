import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { messagesProviders } from '../../../src/providers/anthropic/define-messages.ts'
import { chatProviders } from '../../../src/providers/openai/define-chat.ts'
import type { HttpProviderDefinition } from '../../../src/providers/provider.ts'
import { chatFixtures } from '../../fixtures/providers/openai.ts'
import { messagesFixtures } from '../../fixtures/providers/anthropic.ts'
import { sse } from './support/replay.ts'
import { readTurn } from './support/streams.ts'

const encoder = new TextEncoder()

const formats: readonly (readonly [
  string,
  HttpProviderDefinition<unknown> | undefined,
  readonly { readonly chunks: readonly unknown[] }[],
])[] = [
  ['Chat Completions', chatProviders()[0], chatFixtures],
  ['Messages', messagesProviders()[0], messagesFixtures],
]

/** The value with one place in it replaced. */
function replaced(value: unknown, place: number, by: unknown): unknown {
  let at = 0
  const walk = (inner: unknown): unknown => {
    if (at++ === place) return by
    if (Array.isArray(inner)) return inner.map(walk)
    if (typeof inner !== 'object' || inner === null) return inner
    return Object.fromEntries(Object.entries(inner).map(([name, field]) => [name, walk(field)]))
  }
  return walk(value)
}

const junk = fc.oneof(
  fc.constantFrom(null, '', 0, -1, '7', true, [], {}, [null], [[]], { error: null }),
  fc.jsonValue({ maxDepth: 2 }),
)

describe.each(formats)('%s', (_, definition, fixtures) => {
  if (!definition) throw new Error('missing preset')

  test('a field of any other kind never crashes the reader', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...fixtures),
        fc.nat(60),
        fc.nat(20),
        junk,
        async (fixture, place, index, by) => {
          const chunks = fixture.chunks.map((chunk, at) =>
            at === index % fixture.chunks.length ? replaced(chunk, place, by) : chunk,
          )
          const turn = await readTurn(definition, encoder.encode(sse(...chunks)))
          expect(turn.error?.code).not.toBe('internal')
          if (turn.error)
            expect(turn.toolCalls.every((call) => call.input === undefined)).toBe(true)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test('any bytes end in a turn', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const turn = await readTurn(definition, bytes, 3)
        expect(turn.error).toBeDefined()
      }),
      { numRuns: 300 },
    )
  })
})

test('names like __proto__ are only names', async () => {
  const call = (name: string) => ({
    choices: [
      {
        delta: {
          tool_calls: [
            { index: 0, id: 'a', function: { name, arguments: '{"__proto__":{"x":1}}' } },
          ],
        },
        finish_reason: 'constructor',
      },
    ],
  })
  const definition = chatProviders()[0]
  if (!definition) throw new Error('missing preset')
  const turn = await readTurn(definition, encoder.encode(sse(call('__proto__'), '[DONE]')))
  expect(turn.toolCalls[0]?.toolName).toBe('__proto__')
  expect(turn.finishReason).toBe('tool-calls')
  expect(({} as { x?: number }).x).toBeUndefined()
})
