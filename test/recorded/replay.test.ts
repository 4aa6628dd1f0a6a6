import { describe, expect, test } from 'vitest'
import { readFamily, writeFamily } from './fixture.ts'
import { record } from './record.ts'
import { comparable, type Recording } from './recording.ts'
import { families } from './scenarios/index.ts'

/** `RECORD=1 npx vitest run test/recorded` writes the fixtures anew. */
const isRecording = process.env['RECORD'] !== undefined

describe.each(families)('recorded runs: $family', ({ family, scenarios }) => {
  if (isRecording) {
    test('are written', async () => {
      const recordings = new Map<string, Recording>()
      for (const scenario of scenarios) {
        if (recordings.has(scenario.name)) throw new Error(`Two are named ${scenario.name}.`)
        recordings.set(scenario.name, await record(scenario))
      }
      writeFamily(family, recordings)
    })
  }
  test('are all there, and no others', () => {
    expect([...readFamily(family).keys()]).toEqual(scenarios.map(({ name }) => name))
  })
  test.each(scenarios)('$name', async (scenario) => {
    const fixture = readFamily(family).get(scenario.name)
    if (!fixture) throw new Error('It was never recorded.')
    expect(comparable(await record(scenario))).toEqual(comparable(fixture))
  })
})
