/** Sentences about calls of page tools. Names of elements and texts come in quotes. */
export interface PageCallWords {
  click(what: string): string
  doubleClick(what: string): string
  rightClick(what: string): string
  type(text: string, what: string): string
  add(text: string, what: string): string
  /** Extends a sentence about typing: Enter is pressed, too. */
  thenEnter(sentence: string): string
  fill(fields: string): string
  /** Names the first of several things, and counts the others. */
  andMore(first: string, count: string): string
  choose(options: string, what: string): string
  check(what: string): string
  uncheck(what: string): string
  press(key: string): string
  pressOn(key: string, what: string): string
  times(sentence: string, count: string): string
  drag(what: string, onto: string): string
  dragBy(what: string, pixels: string): string
  goTo(address: string): string
  find(what: string): string
  waitFor(what: string): string
  waitGone(what: string): string
}
