import { describe, expect, it, test } from 'vitest'
import { Redactor } from '../../../src/providers/core/redactor.ts'
import { secretsOf, withoutSecrets } from '../../../src/providers/core/secrets.ts'

const KEY = 'sk-a1b2/c3+d4&e5%f6"g7\\h8'
const config = { provider: 'p', model: 'm' }

describe('a secret', () => {
  const redactor = new Redactor([KEY])

  test.each([
    ['as it is', KEY],
    ['in a JSON string', JSON.stringify(KEY).slice(1, -1)],
    ['in a JSON string in a JSON string', JSON.stringify(JSON.stringify(KEY)).slice(3, -3)],
    ['URL-encoded', encodeURIComponent(KEY)],
    ['in HTML', KEY.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
    ['in base64', btoa(KEY)],
    ['in base64 for URLs', btoa(`?${KEY}`).replaceAll('+', '-').replaceAll('/', '_')],
    ['cut off in the middle', KEY.slice(0, 18)],
  ])('is found %s', (_, words) => {
    const clean = redactor.clean(`before ${words} after`)
    expect(clean).toContain('[redacted]')
    expect(clean).toContain('before ')
    expect(clean.length).toBeLessThan('before [redacted] after'.length + 8)
  })

  it('is found wherever a stream is cut', () => {
    for (const form of [KEY, encodeURIComponent(KEY), btoa(KEY), '\\u0073\\u006b' + KEY.slice(2)]) {
      for (let cut = 1; cut < form.length; cut++) {
        const first = redactor.split(`a ${form.slice(0, cut)}`)
        const second = redactor.split(`${first.held}${form.slice(cut)} z`)
        const told = first.clean + second.clean + redactor.clean(second.held)
        expect(told).toMatch(/^a \[redacted\].{0,4} z$/)
      }
    }
  })

  it('is no reason to hold other text back, or to change it', () => {
    const text = 'The mugs cost 3 % more & less: \\u0041 \\\\ &lt; %41 task sk-a1b'
    expect(redactor.split(`${text}.`)).toEqual({ clean: `${text}.`, held: '' })
    expect(redactor.split(text)).toEqual({ clean: text.slice(0, -6), held: text.slice(-6) })
  })

  it('takes a time in proportion to the text', () => {
    const hostile = ['\\', '%', '&#', 'sk-a1b2', '%5'].map((piece) => piece.repeat(200_000))
    for (const text of hostile) expect(redactor.clean(text)).toBe(text)
  }, 20_000)
})

describe('what counts as secret', () => {
  test.each(['x', 'ollama', 'EMPTY', 'lm-studio', 'not-needed', 'sk-no-key-required'])(
    'not the dummy key %s',
    (apiKey) => {
      expect(secretsOf({ ...config, apiKey })).toEqual([])
    },
  )

  it('keys, values of headers and what is in them, and what an address holds', () => {
    const secrets = secretsOf({
      ...config,
      apiKey: 'the-key-itself',
      headers: {
        authorization: `Basic ${btoa('ann:password-1')}`,
        'x-own': 'own-header-value',
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

  it('an address that can’t be used is quoted without them', () => {
    expect(withoutSecrets('htp//ann:pw@host/v1?key=1')).toBe('htp//host/v1')
  })
})
