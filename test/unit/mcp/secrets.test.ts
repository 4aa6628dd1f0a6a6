import { expect, it } from 'vitest'
import { createSecrets } from '../../../src/connect/mcp/http.ts'

it('redacts each word of a secret, but no short words', () => {
  const secrets = createSecrets(['Basic dummy-user-and-word'])
  secrets.add('dummy-token')
  expect(secrets.redact('Basic: dummy-token of dummy-user-and-word')).toBe(
    'Basic: [redacted] of [redacted]',
  )
})

it('redacts a secret whole when it begins with another secret', () => {
  const secrets = createSecrets([])
  secrets.add('dummy-token')
  secrets.add('dummy-token-renewed')
  expect(secrets.redact('dummy-token-renewed, dummy-token')).toBe('[redacted], [redacted]')
})

it('keeps the newest tokens and the permanent header values', () => {
  const secrets = createSecrets(['dummy-header'])
  for (let count = 100; count < 160; count++) {
    secrets.add('dummy-in-use')
    secrets.add(`dummy-token-${count}`)
  }
  expect(secrets.redact('dummy-token-159 dummy-token-111 dummy-in-use dummy-header')).toBe(
    '[redacted] [redacted] [redacted] [redacted]',
  )
  expect(secrets.redact('dummy-token-100')).toBe('dummy-token-100')
})

it('redacts secrets in JSON even when they are escaped', () => {
  const secrets = createSecrets(['dummy-header'])
  expect(secrets.parse('{"dummy\\u002dheader":["a dummy\\u002dheader"]}')).toEqual({
    '[redacted]': ['a [redacted]'],
  })
})
