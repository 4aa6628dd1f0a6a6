import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  fromAnthropic,
  fromOpenAI,
  fromResponses,
  toAnthropic,
  toOpenAI,
  toResponses,
} from '../../../src/providers/history/index.ts'
import { anthropicHistory, openaiHistory, responsesHistory } from './random-vendor-history.ts'
import { offstageHistory } from './random-history.ts'
import { someOf } from '../more.ts'

const throughJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value))

test('any history returns unchanged from OpenAI’s format', () => {
  fc.assert(
    fc.property(offstageHistory, (messages) => {
      expect(fromOpenAI(throughJson(toOpenAI(messages)))).toEqual(messages)
    }),
    { numRuns: someOf(500) },
  )
})

test('any history returns unchanged from Anthropic’s format', () => {
  fc.assert(
    fc.property(offstageHistory, (messages) => {
      expect(fromAnthropic(throughJson(toAnthropic(messages)))).toEqual(messages)
    }),
    { numRuns: someOf(500) },
  )
})

test('any history returns unchanged from Responses’ items', () => {
  fc.assert(
    fc.property(offstageHistory, (messages) => {
      expect(fromResponses(throughJson(toResponses(messages)))).toEqual(messages)
    }),
    { numRuns: someOf(500) },
  )
})

test('any items of Responses return unchanged, also from other formats', () => {
  fc.assert(
    fc.property(responsesHistory, (items) => {
      const messages = fromResponses(items)
      expect(toResponses(messages)).toEqual(items)
      expect(toResponses(fromOpenAI(throughJson(toOpenAI(messages))))).toEqual(items)
      expect(toResponses(fromAnthropic(throughJson(toAnthropic(messages))))).toEqual(items)
    }),
    { numRuns: someOf(500) },
  )
})

test('any messages of OpenAI’s return unchanged', () => {
  fc.assert(
    fc.property(openaiHistory, (messages) => {
      expect(toOpenAI(fromOpenAI(messages))).toEqual(messages)
    }),
    { numRuns: someOf(500) },
  )
})

test('any messages of Anthropic’s return unchanged', () => {
  fc.assert(
    fc.property(anthropicHistory, (messages) => {
      expect(toAnthropic(fromAnthropic(messages))).toEqual({ messages })
    }),
    { numRuns: someOf(500) },
  )
})

test('any messages of OpenAI’s return from Anthropic’s format, and vice versa', () => {
  fc.assert(
    fc.property(openaiHistory, anthropicHistory, (chat, turns) => {
      const chatAgain = fromAnthropic(throughJson(toAnthropic(fromOpenAI(chat))))
      expect(toOpenAI(chatAgain)).toEqual(chat)
      const turnsAgain = fromOpenAI(throughJson(toOpenAI(fromAnthropic(turns))))
      expect(toAnthropic(turnsAgain)).toEqual({ messages: turns })
    }),
    { numRuns: someOf(500) },
  )
})
