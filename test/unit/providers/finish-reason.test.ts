import { describe, expect, test } from 'vitest'
import {
  pickFinishReason,
  mapFinishReason,
  outputEnd,
} from '../../../src/providers/core/finish-reason.ts'

describe('finish reasons', () => {
  test.each([
    [
      'complete',
      'stop STOP eos end end_turn stop_sequence complete tool_calls tool-calls tool_use',
    ],
    ['complete', 'function_call pause_turn compaction'],
    ['limited', 'length LENGTH max_tokens max_output_tokens token_limit incomplete'],
    ['limited', 'context_length_exceeded'],
    ['cut', 'content_filter content-filter SAFETY sensitive'],
    ['cut', 'error network_error abort cancelled timeout interrupted insufficient_system_resource'],
    ['cut', 'malformed_function_call MALFORMED_FUNCTION_CALL repetition refusal'],
    // Nobody knows them: a call without arguments isn't proven by them.
    ['unsaid', 'unknown mystery constructor __proto__'],
  ])('outputEnd is %s for %s (O14, O37)', (end, words) => {
    for (const word of words.split(' '))
      expect([word, outputEnd(word, true, true)]).toEqual([word, end])
  })

  test('a failure is an error, with calls or without', () => {
    for (const hasCalls of [true, false])
      expect(mapFinishReason('insufficient_system_resource', hasCalls)).toBe('error')
  })

  test.each([
    ['stop', 'length', 'length'],
    ['length', 'tool_calls', 'length'],
    ['length', 'mystery', 'length'],
    ['length', 'content_filter', 'content_filter'],
    ['refusal', 'content_filter', 'refusal'],
    ['content_filter', 'error', 'error'],
    ['error', 'stop', 'error'],
    ['mystery', 'stop', 'stop'],
  ])('after %s and %s, %s counts (O13)', (before, next, counts) => {
    expect(pickFinishReason(before, next)).toBe(counts)
  })
})
