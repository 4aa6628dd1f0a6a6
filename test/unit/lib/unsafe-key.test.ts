import { expect, it } from 'vitest'
import { unsafeKey } from '../../../src/lib/json/unsafe-key.ts'

it.each([
  ['{"__proto__":1}', '__proto__'],
  ['{"a":[{"b":{"__proto__":{"admin":true}}}]}', '__proto__'],
  ['{"constructor":{"prototype":{"admin":true}}}', 'constructor.prototype'],
  ['{"constructor":"Brunel","prototype":"Rocket"}', undefined],
  ['{"text":"__proto__"}', undefined],
  ['null', undefined],
  ['"__proto__"', undefined],
])('%s has the unsafe key %s', (json, key) => {
  expect(unsafeKey(JSON.parse(json))).toBe(key)
})

it('an unsafe key deeper than the call stack allows is found', () => {
  let value: unknown = JSON.parse('{"__proto__":1}')
  for (let depth = 0; depth < 200_000; depth++) value = [value]
  expect(unsafeKey(value)).toBe('__proto__')
})
