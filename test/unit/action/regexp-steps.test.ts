import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countSteps } from './regexp-steps.ts'
import { someOf } from '../more.ts'

const patterns = [
  /a*b/,
  /^(?:a|ab)*?c$/m,
  /(a+)+b/y,
  /[^a\]]{2,3}?\s*[\w.-]+/g,
  /<(a|b)>([^]*?)<\/\1>/,
  /(?<=<\/?)b|(?<!a)c(?=\s)/,
  /(?<=<\/?\w{1,4}):b(?=>)/,
  /^\s*(?!b)[\p{L}_]/u,
  /(?:\s*(?:b|<\/a>))*$/i,
  /a{2}b?|\u0062{2,}/,
  /\ba\B|c\b/,
]
const text = fc.array(
  fc.constantFrom('a', 'b', 'c', 'B', '<', '</', '>', ':', ' ', '\n', 'é', '👍'),
  {
    maxLength: 14,
  },
)

describe('the step counter', () => {
  it('finds the same matches as the engine', () => {
    fc.assert(
      fc.property(fc.constantFrom(...patterns), text, (pattern, parts) => {
        const subject = parts.join('')
        pattern.lastIndex = 0
        const found = pattern.exec(subject)
        const span = found ? [found.index, found.index + found[0].length] : undefined
        expect(countSteps(pattern, subject, 0).span, String(pattern)).toEqual(span)
      }),
      { numRuns: someOf(2000), seed: 5 },
    )
  })

  it('counts the cost of backtracking', () => {
    const steps = (pattern: RegExp, length: number): number =>
      countSteps(pattern, 'a'.repeat(length), 0).steps
    expect(steps(/^a*b/, 200) / steps(/^a*b/, 100)).toBeLessThan(2.2)
    expect(steps(/^a*a*b/, 200) / steps(/^a*a*b/, 100)).toBeGreaterThan(3.5)
    expect(steps(/^(?:a+)+b/, 12) / steps(/^(?:a+)+b/, 6)).toBeGreaterThan(30)
  })
})
