import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { messagesProvider } from '../../../src/providers/anthropic/define-messages.ts'
import { chatProvider } from '../../../src/providers/openai/define-chat.ts'
import { messagesPresets } from '../../../src/providers/anthropic/presets.ts'
import type { ChatId, MessagesId, HttpProviderDefinition } from '../../../src/providers/provider.ts'
import { messagesFixtures } from '../../fixtures/providers/anthropic.ts'
import { chatFixtures, type StreamFixture } from '../../fixtures/providers/openai.ts'
import { responsesFixtures } from '../../fixtures/providers/responses.ts'
import { chatPresets } from '../../../src/providers/openai/presets.ts'
import { defineResponses } from '../../../src/providers/openai-responses/define-responses.ts'
import { eventsOf, readParts, styles } from './support/streams.ts'
import { someOf } from '../more.ts'

/** Checks that every stream of every format is read the same, however the network splits it. */

const encoder = new TextEncoder()

const formats: readonly (readonly [
  string,
  readonly HttpProviderDefinition<unknown>[],
  readonly StreamFixture[],
])[] = [
  ['Chat Completions', (Object.keys(chatPresets) as ChatId[]).map(chatProvider), chatFixtures],
  [
    'Messages',
    (Object.keys(messagesPresets) as MessagesId[]).map(messagesProvider),
    messagesFixtures,
  ],
  ['Responses', [defineResponses('openai', chatPresets.openai)], responsesFixtures],
]

/** Deltas in one piece, and ids that were made up by their order. */
function normalised(parts: readonly StreamPart[]): unknown {
  const merged: StreamPart[] = []
  for (const part of parts) {
    const last = merged.at(-1)
    const continues =
      last !== undefined &&
      'delta' in part &&
      'delta' in last &&
      part.type === last.type &&
      idOf(part) === idOf(last)
    if (continues) merged[merged.length - 1] = { ...part, delta: last.delta + part.delta }
    else merged.push(part)
  }
  const made: string[] = []
  return JSON.parse(JSON.stringify(merged), (_, value: unknown) => {
    if (typeof value !== 'string' || !/^call_[0-9a-z]{20}$/.test(value)) return value
    if (!made.includes(value)) made.push(value)
    return `made ${made.indexOf(value)}`
  })
}

function idOf(part: StreamPart): string | undefined {
  return 'toolCallId' in part ? part.toolCallId : undefined
}

function expectInOrder(parts: readonly StreamPart[]): void {
  const ends = parts.filter(({ type }) => type === 'finish' || type === 'error')
  expect(ends).toHaveLength(1)
  expect(parts.at(-1)).toBe(ends[0])
  const ids = parts.flatMap((part) => (part.type === 'tool-call' ? part.toolCallId : []))
  expect(new Set(ids).size).toBe(ids.length)
}

function bytesOf(fixture: StreamFixture, style: (typeof styles)[number]): Uint8Array {
  return encoder.encode(eventsOf(fixture, style).join(''))
}

const pieces = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 400 })),
  {
    minLength: 1,
    maxLength: 12,
  },
)

describe.each(formats)('%s', (_, definitions, fixtures) => {
  const drawn = fc.record({
    definition: fc.constantFrom(...definitions),
    style: fc.constantFrom(...styles.flatMap((style) => [style, { ...style, events: true }])),
    raw: fc.boolean(),
    sizes: pieces,
  })

  test.each(fixtures.map((fixture) => [`${fixture.row} ${fixture.name}`, fixture] as const))(
    "the parts don't depend on the network chunks: %s",
    (_name, fixture) => {
      fc.assert(
        fc.property(drawn, ({ definition, style, raw, sizes }) => {
          const bytes = bytesOf(fixture, style)
          const parts = readParts(definition, bytes, { sizes, raw })
          expectInOrder(parts)
          const whole = readParts(definition, bytes, { sizes: [0], raw })
          expect(normalised(parts)).toEqual(normalised(whole))
        }),
        { numRuns: someOf(100) },
      )
    },
  )

  test('everything after the end is ignored, in any chunk', () => {
    const ended = fixtures.filter(({ chunks }) => {
      const last = chunks.at(-1)
      const { type = '' } = last as { type?: string }
      return last === '[DONE]' || /^(?:message_stop|response\.(?:in)?complete.*)$/.test(type)
    })
    expect(ended.length).toBeGreaterThan(5)
    fc.assert(
      fc.property(
        drawn,
        fc.constantFrom(...ended),
        fc.constantFrom(...fixtures),
        ({ definition, style, raw, sizes }, fixture, rest) => {
          const bytes = bytesOf({ ...fixture, chunks: [...fixture.chunks, ...rest.chunks] }, style)
          const parts = readParts(definition, bytes, { sizes, raw })
          expectInOrder(parts)
          const alone = readParts(definition, bytesOf(fixture, style), { sizes: [0], raw })
          expect(normalised(parts)).toEqual(normalised(alone))
        },
      ),
      { numRuns: someOf(1_000) },
    )
  })
})
