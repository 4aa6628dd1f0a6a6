import { describe, expect, it, test } from 'vitest'
import { Redactor } from '../../../src/lib/redactor.ts'
import { collectSecrets, withoutSecrets } from '../../../src/providers/core/secrets.ts'

const KEY = 'sk-a1b2/c3+d4&e5%f6"g7\\h8'
const config = { provider: 'p', model: 'm' }

describe('a secret', () => {
  const redactor = new Redactor([KEY])

  test.each([
    ['as it is', KEY],
    ['in a JSON string', JSON.stringify(KEY).slice(1, -1)],
  ])('is found %s', (_, words) => {
    const clean = redactor.redact(`before ${words} after`)
    expect(clean).toContain('[redacted]')
    expect(clean).toContain('before ')
    expect(clean.length).toBeLessThan('before [redacted] after'.length + 8)
  })

  it('does not change other text', () => {
    const text = 'The mugs cost 3 % more & less: \\u0041 \\\\ &lt; %41 task sk-a1b'
    expect(redactor.redact(text)).toBe(text)
    expect(redactor.find(`${text}.`)).toEqual({ secrets: [], openFrom: text.length + 1 })
    expect(redactor.find(text).openFrom).toBe(text.length - 6)
  })

  it('takes time proportional to the text', () => {
    const hostile = ['s', 'sk-a1b2', 'sk-a1b2/c3+d4&'].map((piece) => piece.repeat(200_000))
    for (const text of hostile) expect(redactor.redact(text)).toBe(text)
  }, 20_000)
})

describe('secrets of a configuration', () => {
  test.each(['x', 'ollama', 'EMPTY', 'lm-studio', 'not-needed', 'sk-no-key-required'])(
    'the dummy key %s is not a secret',
    (apiKey) => {
      expect(collectSecrets({ ...config, apiKey })).toEqual([])
    },
  )

  it('keys, header values and credentials in addresses are secrets', () => {
    const secrets = collectSecrets({
      ...config,
      // Key endpoints often send a line break, which `Headers` drops.
      apiKey: 'the-key-itself\n',
      headers: {
        authorization: `Basic ${btoa('ann:password-1')}`,
        'x-own': ' own-header-value',
        'anthropic-version': '2023-06-01',
        'x-title': 'My Application',
      },
      baseURL: 'https://ann:pass%20word-2@h.example/v1?key=in-the-query&api-version=2024-02-15',
    })
    for (const secret of [
      'the-key-itself',
      btoa('ann:password-1'),
      'ann:password-1',
      'password-1',
      'own-header-value',
      'pass word-2',
      'in-the-query',
    ])
      expect(secrets).toContain(secret)
    expect(secrets.join()).not.toMatch(/2023|2024|My App/)
  })

  it('an unusable address is quoted without secrets', () => {
    expect(withoutSecrets('htp//ann:pw@host/v1?key=1')).toBe('htp//host/v1')
  })
})
