import { expect, it, test } from 'vitest'
import { formatApprovalAddress } from '../../../src/page-tools/act/approval-target.ts'

const NOTE = ' (with a user name or a password before its host)'
const SUBDOMAINS = 'shop.example.'.repeat(20)

test.each([
  ['https://other.example/a?b=c#d', 'https://other.example/a?b=c#d'],
  ['http://127.0.0.1:8080/a', 'http://127.0.0.1:8080/a'],
  ['https://shop.example@other.example/', `https://other.example/${NOTE}`],
  ['https://shop.example%2Flogin:x@other.example/x', `https://other.example/x${NOTE}`],
  [`https://shop.example%2F${'a'.repeat(400)}@other.example/x`, `https://other.example/x${NOTE}`],
  ['ftp://shop.example@other.example/', `ftp://other.example/${NOTE}`],
  ['other://shop.example@other.example/', `other://other.example/${NOTE}`],
  ['mailto:ann@other.example', 'mailto:ann@other.example'],
])('for %s the approval shows the real host first', (address, shown) => {
  expect(formatApprovalAddress(new URL(address))).toBe(shown)
})

it('a long host is cut at its start, a long path at its end', () => {
  const shown = formatApprovalAddress(
    new URL(`https://${SUBDOMAINS}other.example/${'p'.repeat(300)}`),
  )
  expect(shown).toMatch(
    /^https:\/\/…[a-z.]*\.example\.other\.example\/p{199}… \(101 more characters\)$/,
  )
  expect(shown.length).toBeLessThan(320)
})

it('a host is never masked as a secret, and a cut secret is masked', () => {
  const clean = (text: string): string =>
    text.replaceAll(/hunter2|other|other\.example|example/g, '[masked]')
  const url = new URL(`https://hunter2.other.example/${'p'.repeat(195)}hunter2`)
  expect(formatApprovalAddress(url, { clean })).toMatch(
    /^https:\/\/\[masked\]\.other\.example\/p{195}\[mas… \(\d+ more characters\)$/,
  )
})
