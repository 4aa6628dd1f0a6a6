import { once } from '../../lib/once.ts'

/** What models write into the tags of other formats, and before the name in a closing tag. */
export const tagMarks = [
  ['<｜DSML｜', '</｜DSML｜>'],
  ['<｜GCML｜', '</｜GCML｜>'],
  [']<]minimax[>[', ']<]minimax[>[</>'],
  ['<ifm|tool_call', '</ifm|tool_call>'],
] as const

/** A tag that the text goes on after; what is cut keeps its mark, by which it is known. */
const rest = '[^<>]{0,300}>\\s*(?:<\\S|[^\\s<])'
/** Marks in tags: what a first tag that has one looks like, and where the mark stands. */
const marks = once(() => [
  ...['｜DSML｜ ?', '｜GCML｜ ?', 'antml:', 'atem:', 'ifm\\|'].map((mark) => ({
    first: new RegExp(`^<${mark}`),
    all: new RegExp(`(?<=<)${mark}(?=${rest})|(?<=</)${mark}`, 'g'),
  })),
  {
    first: /^\]<\]minimax\[>\[/,
    all: new RegExp(`\\]<\\]minimax\\[>\\[(?=\\s*<(?:/|${rest}))`, 'g'),
  },
  { first: /^<\w{1,40}:opensource>/, all: /(?<=<\/?\w{1,40}):opensource(?=>)/g },
])
/** Of a text, control tokens aside. */
const firstTag = /<(?!\|)|\]<\]/

/**
 * DeepSeek's, GigaChat's, MiniMax' and others' own marks in the tags of a call, left out. Only the mark of its
 * first tag is one: in the values of another format it is content.
 */
export function withoutTagMarks(call: string): string {
  const own = ownMark(call)
  return own ? call.replaceAll(own, '') : call
}

/** Where in the call, as it is written, a position of it without its marks is. */
export function writtenPosition(call: string, position: number): number {
  const own = ownMark(call)
  let at = position
  for (const { index, 0: mark } of own ? call.matchAll(own) : []) {
    if (index > at) break
    at += mark.length
  }
  return at
}

function ownMark(call: string): RegExp | undefined {
  const start = call.search(firstTag)
  const opening = call.slice(start, start + 60)
  return marks().find(({ first }) => first.test(opening))?.all
}
