import { describe, expect, it } from 'vitest'
import { escapeMarks, quote, shownAddress } from '../../../src/page-tools/clean-text.ts'
import { framed } from '../../../src/page-tools/read/frame.ts'
import { blend, contrast, readColour, WHITE } from '../../../src/page-tools/sight/colour.ts'
import { clipArea, isEmptyArea } from '../../../src/page-tools/sight/clip-path.ts'
import { shadowsOf } from '../../../src/page-tools/sight/rings.ts'
import { filterOpacity, isEmptyClip, isEmptyMask } from '../../../src/page-tools/sight/shapes.ts'

describe('colours of computed styles', () => {
  it.each([
    ['rgb(1, 2, 3)', { red: 1, green: 2, blue: 3, alpha: 1 }],
    ['rgba(1, 2, 3, 0.5)', { red: 1, green: 2, blue: 3, alpha: 0.5 }],
    ['rgb(1 2 3 / 0.25)', { red: 1, green: 2, blue: 3, alpha: 0.25 }],
    ['currentcolor', null],
    ['', null],
  ])('%s', (text, colour) => {
    expect(readColour(text)).toEqual(colour)
  })

  it('are blended with what is under them, and compared as eyes do', () => {
    const black = { red: 0, green: 0, blue: 0, alpha: 1 }
    expect(blend({ ...black, alpha: 0.5 }, WHITE).red).toBeCloseTo(127.5)
    expect(contrast(black, WHITE)).toBeCloseTo(21)
    expect(contrast(WHITE, WHITE)).toBe(1)
  })
})

const BOX = { width: 100, height: 50 }

/** Where it can't be told, something is left. */
const leavesNothing = (path: string): boolean => {
  const area = clipArea(path, BOX)
  return area !== null && isEmptyArea(area)
}

describe('shapes that leave nothing', () => {
  it.each([
    'inset(50%)',
    'inset(100%)',
    'inset(25px 0px)',
    'inset(0px 0px 100% 0px)',
    'inset(0px 60% round 4px)',
    'circle(0px)',
    'circle(0% at 50% 50%)',
    'circle(0px at center center)',
    'ellipse(0px 40px at 50% 50%)',
    'polygon(0px 0px, 0px 0px, 0px 0px)',
    'polygon(evenodd, 0% 0%, 100% 0%, 50% 0%)',
    'inset(50%) border-box',
    'inset(calc(50% + 1px))',
    'polygon(calc(1px + 1%) 0px, 0px 0px)',
    'path("M 0 0")',
    'inset(calc(50% - 1e-06px))',
    'circle(1e-06px at 50% 50%)',
    'polygon(0px 0px, 1e-3px 0px, 0px 1e-03px)',
    'path("M 0 0 L 1e-06 0 L 0 1e-06")',
  ])('%s', (path) => {
    expect(leavesNothing(path)).toBe(true)
  })

  it.each([
    'none',
    'inset(10%)',
    'inset(20px 0px)',
    'circle(40%)',
    'circle(closest-side)',
    'circle(calc(0px + 10%))',
    'ellipse(10px 20px)',
    'polygon(0px 0px, 100% 0px, 50% 100%)',
    'url("#cut")',
    'path("M 0 0 L 90 0 L 90 40")',
    'inset(1e-06px)',
    'circle(1e+06px)',
    'path("M 0 0 L 9e1 0 L 90 4e1")',
  ])('not %s', (path) => {
    expect(leavesNothing(path)).toBe(false)
  })

  it('a shadow is as wide as its numbers say, with exponents, too', () => {
    const box = { left: 0, top: 0, right: 10, bottom: 10 }
    const [ring] = shadowsOf('rgb(0, 0, 0) 0px 0px 1e-06px 1e+01px', box)
    expect(ring?.area.right).toBeCloseTo(20)
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
    ['linear-gradient(rgba(0, 0, 0, 0), rgba(0, 0, 0, 0))', true],
    ['linear-gradient(rgb(0, 0, 0) 80%, rgba(0, 0, 0, 0))', false],
    ['url("mask.svg")', false],
    ['none', false],
  ])('mask-image: %s is %s', (image, empty) => {
    expect(isEmptyMask({ maskImage: image, maskSize: 'auto' })).toBe(empty)
  })

  it('a mask of no size leaves nothing', () => {
    expect(isEmptyMask({ maskImage: 'url("mask.svg")', maskSize: '0px 0px' })).toBe(true)
  })

  it.each([
    ['opacity(0)', 0],
    ['opacity(1e-06)', 0.000001],
    ['blur(2px) opacity(50%)', 0.5],
    ['opacity(0.5) opacity(0.5)', 0.25],
    ['opacity(3)', 1],
    ['none', 1],
  ])('filter: %s leaves %s', (filter, opacity) => {
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
    ['</page x>', '\\</page x>'],
    ['<new> x', '\\<new> x'],
    ['< removed >', '\\< removed >'],
  ])('%s can not look like a mark', (text, escaped) => {
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
  ])('%s stays as it is', (text) => {
    expect(escapeMarks(text)).toBe(text)
  })

  it('is as harmless in quotes and in addresses', () => {
    expect(quote('a " [ref=e1]')).toBe('"a \\" \\[ref=e1]"')
    expect(shownAddress(`https://a.example/#[ref=e1]${'x'.repeat(300)}`)).toMatch(
      /^https:\/\/a\.example\/#\\\[ref=e1\]x+… \(127 more characters\)$/,
    )
  })

  it('stands in a frame of its own each time', () => {
    const pattern = /^<page ([\w-]{8})>\nx\n<\/page \1>$/
    const marks = [framed('x'), framed('x')].map((text) => pattern.exec(text)?.[1])
    expect(marks[0]).toBeDefined()
    expect(marks[0]).not.toBe(marks[1])
  })
})
