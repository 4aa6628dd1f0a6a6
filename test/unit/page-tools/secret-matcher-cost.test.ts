import { expect, it } from 'vitest'
import { SecretMatcher, withoutEncoded } from '../../../src/page-tools/secrets/secret-matcher.ts'

it('a very long word of a page is searched for encoded secrets in linear time', () => {
  const matcher = new SecretMatcher(['correct horse battery'])
  const word = 'a'.repeat(1_000_000)
  expect(withoutEncoded(word, matcher, '[masked]')).toBe(word)
  const hidden = 'x=%63orrect%20horse%20battery&y'
  expect(withoutEncoded(hidden, matcher, '[masked]')).toBe('x=[masked]&y')
})
