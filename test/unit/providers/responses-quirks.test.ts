import { describe, expect, test } from 'vitest'
import { responsesFixtures } from '../../fixtures/providers/responses.ts'
import { chatPresets } from '../../../src/providers/openai/presets.ts'
import { defineResponses } from '../../../src/providers/openai-responses/define-responses.ts'
import { eventsOf, expectCutsHarmless, expectTurn, readTurn, styles } from './support/streams.ts'
import { eachNth } from '../more.ts'

const encoder = new TextEncoder()
const openai = defineResponses('openai', chatPresets.openai)

describe.each(
  responsesFixtures.map((fixture) => [`${fixture.row} ${fixture.name}`, fixture] as const),
)('%s', (_, fixture) => {
  test.each(styles)('is read in pieces of any size, %j', async (style) => {
    const bytes = encoder.encode(eventsOf(fixture, { ...style, events: true }).join(''))
    for (const size of [0, 1, 7, 64]) expectTurn(await readTurn(openai, bytes, size), fixture)
  })

  test.each(eachNth(4, styles))(
    'cut at any byte, nothing runs before the proof, %j',
    async (style) => {
      await expectCutsHarmless(openai, fixture, style)
    },
  )
})

test('every row about streams has a fixture', () => {
  const rows = new Set(responsesFixtures.map(({ row }) => row))
  const wanted = Array.from({ length: 23 }, (_, index) => `P${index + 1}`)
  expect(wanted.filter((row) => !rows.has(row))).toEqual(['P8'])
})
