import { expect, test } from 'vitest'
import { namesHost } from '../../../src/ui/chat/markdown/safe-address.ts'

const SHOP = new URL('https://shop.test/offers?page=2')

test.each(['shop.test', ' shop.test ', 'https://shop.test', 'https://SHOP.test/offers'])(
  'a link with %s as its text is shown without its host',
  (text) => expect(namesHost(text, SHOP)).toBe(true),
)

test.each([
  ['another host', 'https://bank.test', 'https://evil.test/'],
  ['words', 'Our shop', 'https://shop.test/'],
  ['the host as a part', 'https://shop.test.evil.test', 'https://shop.test/'],
  ['letters of another script that look alike', 'https://аpple.com', 'https://xn--pple-43d.com/'],
  ['a host of another script', 'https://пример.test', 'https://xn--e1afmkfd.test/'],
  ['full-width letters', 'https://ｓhop.test', 'https://shop.test/'],
  ['a letter of no width', 'https://sh\u200bop.test', 'https://shop.test/'],
  ['a host before the real one', 'https://bank.test@shop.test', 'https://shop.test/'],
  ['an address with a name before its host', 'https://shop.test', 'https://bank.test@shop.test/'],
  ['another scheme', 'http://shop.test', 'https://shop.test/'],
  ['another port', 'https://shop.test', 'https://shop.test:8443/'],
])('a link with %s as its text is shown with its host', (_, text, href) => {
  expect(namesHost(text, new URL(href))).toBe(false)
})
