import { describe, expect, test } from 'vitest'
import { messagesProvider } from '../../../src/providers/anthropic/define-messages.ts'
import { messagesFixtures } from '../../fixtures/providers/anthropic.ts'
import {
  eventsOf,
  expectCutsHarmless,
  expectTurn,
  readTurn,
  styles,
  type SseStyle,
} from './support/streams.ts'
import { eachNth } from '../more.ts'

const encoder = new TextEncoder()
const anthropic = messagesProvider('anthropic')
if (!anthropic) throw new Error('missing preset')

const allStyles: readonly SseStyle[] = styles.flatMap((style) => [
  style,
  { ...style, events: true },
])

describe.each(
  messagesFixtures.map((fixture) => [`${fixture.row} ${fixture.name}`, fixture] as const),
)('%s', (_, fixture) => {
  test.each(allStyles)('is read in pieces of any size, %j', async (style) => {
    const bytes = encoder.encode(eventsOf(fixture, style).join(''))
    for (const size of [0, 1, 7, 64]) expectTurn(await readTurn(anthropic, bytes, size), fixture)
  })

  test.each(eachNth(4, styles))(
    'when cut at any byte, no call runs before the end is proven, %j',
    async (style) => {
      await expectCutsHarmless(anthropic, fixture, style)
    },
  )
})

test('every documented stream quirk has a fixture', () => {
  const rows = new Set(messagesFixtures.map(({ row }) => row))
  const wanted = Array.from({ length: 12 }, (_, index) => `A${index + 1}`)
  wanted.push('A16', 'A17', 'A18', 'A19', 'A21', 'A22')
  expect(wanted.filter((row) => !rows.has(row))).toEqual([])
})
