const CLOCK = /(?<![\d:])\d{1,3}:\d{2}(?::\d{2})?(?![\d:])/g
const NUMBER = /-?\d+(?:[.,]\d+)*/g

/** Replaces each clock time with its seconds, so that it counts as one number. */
function plain(text: string): string {
  return text.replace(CLOCK, (clock) =>
    String(clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)),
  )
}

/** The text with `#` in place of each number. */
export function shapeOf(text: string): string {
  return plain(text).replace(NUMBER, '#')
}

export function numbersOf(text: string): readonly number[] {
  return [...plain(text).matchAll(NUMBER)].map(([number]) => Number(number.replace(/,/g, '')))
}
