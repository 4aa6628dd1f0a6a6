import { describe, expect, it } from 'vitest'
import { estimateScrollTop, sampleScroll } from '../../../src/page-tools/act/scroll.ts'

/** An element reduced to the properties that marks read. */
const list = (scrollTop: number, textContent: string) => ({ scrollTop, textContent }) as Element

describe('the scroll position of a numbered item', () => {
  it('is sampled from the visible numbers', () => {
    expect(sampleScroll('Row 777', list(120, 'Row 4Row 5Row 6'))).toEqual({ top: 120, number: 5 })
    expect(sampleScroll('Item 3 of list', list(0, 'item 7 of list, item 8 of list'))).toEqual({
      top: 0,
      number: 8,
    })
  })

  it('is not sampled without a number, with several, or among other texts', () => {
    expect(sampleScroll('Apples', list(0, 'Apples Pears'))).toBeNull()
    expect(sampleScroll('Row 3 of 9', list(0, 'Row 1 of 9'))).toBeNull()
    expect(sampleScroll('Row 3', list(0, 'Apples Pears'))).toBeNull()
  })

  it('is estimated from two samples', () => {
    const [first, second] = [
      { top: 0, number: 5 },
      { top: 300, number: 15 },
    ]
    expect(estimateScrollTop('Row 105', first, second)).toBe(3000)
    expect(estimateScrollTop('Row 0', first, second)).toBe(-150)
  })

  it("is not estimated when the numbers don't change or the item is reached", () => {
    const mark = { top: 300, number: 15 }
    expect(estimateScrollTop('Row 105', mark, mark)).toBeNull()
    expect(estimateScrollTop('Row 15', { top: 0, number: 5 }, mark)).toBeNull()
  })
})
