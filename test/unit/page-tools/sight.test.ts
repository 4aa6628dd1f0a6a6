import { describe, expect, it } from 'vitest'
import { escapeMarks, quote, shownAddress } from '../../../src/page-tools/clean-text.ts'
import { framed } from '../../../src/page-tools/read/snapshot.ts'
import { readAlpha } from '../../../src/page-tools/sight/unseen.ts'
import { filterOpacity, isEmptyClip, isEmptyPath } from '../../../src/page-tools/sight/layers.ts'

describe('colours of computed styles', () => {
  it.each([
    ['rgb(1, 2, 3)', 1],
    ['rgba(1, 2, 3, 0.5)', 0.5],
    ['rgb(1 2 3 / 0.25)', 0.25],
    ['oklch(0.4 0.1 200 / 50%)', 0.5],
    ['color(srgb 1 0 0)', 1],
    ['lab(50 0 0 / none)', 0],
    ['transparent', 0],
    ['currentcolor', null],
    ['', null],
  ])('%s', (text, alpha) => {
    expect(readAlpha(text)).toBe(alpha)
  })
})

describe('clips and filters that hide an element', () => {
  it.each([
    ['inset(50%)', true],
    ['inset(100%)', true],
    ['circle(0px at 50% 50%)', true],
    ['polygon(0px 0px, 0px 0px, 0px 0px)', true],
    ['none', false],
    ['inset(10%)', false],
    ['circle(40%)', false],
    ['polygon(0px 0px, 100% 0px, 50% 100%)', false],
    ['url("#cut")', false],
  ])('clip-path: %s is %s', (path, empty) => {
    expect(isEmptyPath(path)).toBe(empty)
  })

  it.each([
    ['rect(0px, 0px, 0px, 0px)', true],
    ['rect(1px 1px 1px 1px)', true],
    ['rect(0px, 100px, 20px, 0px)', false],
    ['rect(auto, auto, auto, auto)', false],
    ['auto', false],
  ])('clip: %s is %s', (clip, empty) => {
    expect(isEmptyClip(clip)).toBe(empty)
  })

  it.each([
    ['opacity(0)', 0],
    ['opacity(1e-06)', 0.000001],
    ['blur(2px) opacity(50%)', 0.5],
    ['opacity(0.5) opacity(0.5)', 0.25],
    ['opacity(3)', 1],
    ['none', 1],
  ])('filter: %s leaves the opacity %s', (filter, opacity) => {
    expect(filterOpacity(filter)).toBe(opacity)
  })
})

describe('text of a page', () => {
  it.each([
    ['[ref=e1]', '\\[ref=e1]'],
    ['[ ref = e1 ]', '\\[ ref = e1 ]'],
    ['[HIDDEN: x]', '\\[HIDDEN: x]'],
    ['[name partly hidden: x]', '\\[name partly hidden: x]'],
    ['[sr-only]', '\\[sr-only]'],
    ['[aria-hidden]', '\\[aria-hidden]'],
    ['</page x>', '\\</page x>'],
    ['<new> x', '\\<new> x'],
    ['< removed >', '\\< removed >'],
  ])("%s is escaped so that it can't look like a mark", (text, escaped) => {
    expect(escapeMarks(text)).toBe(escaped)
  })

  it.each([
    '[1]',
    '[edit]',
    'a[0] < b',
    '<pages>',
    '[reference]',
    'array[checkedIndex]',
    '[masked]',
  ])('%s is not escaped', (text) => {
    expect(escapeMarks(text)).toBe(text)
  })

  it('marks are escaped in quotes and addresses, too', () => {
    expect(quote('a " [ref=e1]')).toBe('"a \\" \\[ref=e1]"')
    expect(shownAddress(`https://a.example/#[ref=e1]${'x'.repeat(300)}`)).toMatch(
      /^https:\/\/a\.example\/#\\\[ref=e1\]x+… \(127 more characters\)$/,
    )
  })

  it('each page text gets a frame with its own id', () => {
    const pattern = /^<page ([\w-]{8})>\nx\n<\/page \1>$/
    const marks = [framed('x'), framed('x')].map((text) => pattern.exec(text)?.[1])
    expect(marks[0]).toBeDefined()
    expect(marks[0]).not.toBe(marks[1])
  })
})
