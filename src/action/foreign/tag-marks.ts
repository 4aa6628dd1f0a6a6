import { once } from '../../lib/once.ts'

/** Marks that models write into the tags of other formats, and before the name in a closing tag. */
export const tagMarks = [
  ['<｜DSML｜', '</｜DSML｜>'],
  ['<｜GCML｜', '</｜GCML｜>'],
  [']<]minimax[>[', ']<]minimax[>[</>'],
  ['<ifm|tool_call', '</ifm|tool_call>'],
] as const

/** Rest of a tag that more text follows. A cut-off tag keeps its mark, which identifies it. */
const rest = '[^<>]{0,300}>\\s*(?:<\\S|[^\\s<])'
/** Patterns of marks in tags: the first tag with the mark, and all occurrences of the mark. */
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
/** The first tag of a text, ignoring control tokens. */
const firstTag = /<(?!\|)|\]<\]/

/**
 * Removes vendors' marks (DeepSeek, GigaChat, MiniMax and others) from the tags of a call. Only a mark in the call's
 * first tag counts: in the values of another format it is content.
 */
export function withoutTagMarks(call: string): string {
  const own = ownMark(call)
  return own ? call.replaceAll(own, '') : call
}

/** Converts a position in the call without its marks to the position in the call as written. */
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
