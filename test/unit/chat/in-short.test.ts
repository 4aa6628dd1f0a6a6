import { expect, test } from 'vitest'
import { announce, announcedBy } from '../../../src/ui/chat/parts/announce.ts'
import { describeFailure, shortenFailure } from '../../../src/ui/chat/parts/failures.ts'
import { en } from '../../../src/ui/chat/words/en.ts'
import { emptySnapshot } from '../../../src/conversation/snapshot.ts'
import { networkError } from '../../../src/providers/core/provider-error.ts'

const UNREACHABLE = networkError(new TypeError('Failed to fetch'), new URL('http://127.0.0.1:9/v1'))
const HAPPENED = 'http://127.0.0.1:9 could not be reached (Failed to fetch).'

test('an unreachable endpoint is reported separately from its possible causes', () => {
  const { text, details } = shortenFailure(UNREACHABLE.message)
  expect(text).toBe(HAPPENED)
  expect(details).toMatch(/^Likely causes, and how to check:\n1\. .*\n2\. /)
  expect(details).not.toContain('⏎')
  expect(`${text} ${details}`).toBe(UNREACHABLE.message)
})

test('a failure is announced in plain words', () => {
  const idle = emptySnapshot('c1', 'idle')
  const ended = { runId: 'r1', outcome: 'failed', error: UNREACHABLE } as const
  const before = announcedBy({ ...idle, status: 'running', runId: 'r1' })
  const { texts } = announce(before, { ...idle, ended }, en)
  expect(texts).toEqual([en.announceFailed('The model can’t be reached.')])
})

test('an unreadable conversation is reported in plain words, with the reason as details', () => {
  const message = 'Conversation c1 is damaged. Row 7 is missing.'
  const error = { code: 'conversation-broken', message, retryable: false } as const
  expect(describeFailure(error, en)).toEqual({ text: 'This chat can’t be read.', details: message })
})

test.each([
  ['One line. And more of it.', 'One line. And more of it.', ''],
  ['No sentence\nMore', 'No sentence', 'More'],
  ['出错了。再试一次。\n更多', '出错了。', '再试一次。\n更多'],
  ['a\u202eb.\nc\u202ed', 'a⟨U+202E⟩b.', 'c⟨U+202E⟩d'],
])('%j', (message, text, details) => {
  expect(shortenFailure(message)).toEqual({ text, details })
})
