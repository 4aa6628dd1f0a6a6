import { once } from '../../lib/once.ts'
import { endOfCdata, readOpenTag } from '../xml.ts'

/** Marks that models write into the tags of other formats. In a closing tag, the mark precedes the name. */
export const tagMarks = [
  ['<｜DSML｜', '</｜DSML｜>'],
  ['<｜GCML｜', '</｜GCML｜>'],
  [']<]minimax[>[', ']<]minimax[>[</>'],
  ['<ifm|tool_call', '</ifm|tool_call>'],
] as const

/** Rest of a tag, and the beginning of text after it. A cut-off tag keeps its mark, which identifies it. */
const tagRest = '[^<>]{0,300}>\\s*(?:<\\S|[^\\s<])'
/** Patterns of marks in tags: the first tag with the mark, and all occurrences of the mark. */
const marks = once(() => [
  ...['｜DSML｜ ?', '｜GCML｜ ?', 'antml:', 'atem:', 'ifm\\|'].map((mark) => ({
    first: new RegExp(`^<${mark}`),
    all: new RegExp(`(?<=<)${mark}(?=${tagRest})|(?<=</)${mark}`, 'g'),
  })),
  {
    first: /^\]<\]minimax\[>\[/,
    all: new RegExp(`\\]<\\]minimax\\[>\\[(?=\\s*<(?:/|${tagRest}))`, 'g'),
  },
  { first: /^<\w{1,40}:opensource>/, all: /(?<=<\/?\w{1,40}):opensource(?=>)/g },
])
/** The first tag of a text, ignoring control tokens. */
const firstTag = /<(?!\|)|\]<\]/

/**
 * Removes vendors' marks (DeepSeek, GigaChat, MiniMax and others) from the tags of a call. Removes nothing if the
 * call's first tag has no mark: in the values of other formats, a mark is content.
 */
export function withoutTagMarks(call: string): string {
  const markPattern = findTagMark(call)
  return markPattern ? call.replaceAll(markPattern, '') : call
}

/** Converts a position in the call without its marks to the position in the call as written. */
export function writtenPosition(call: string, position: number): number {
  const markPattern = findTagMark(call)
  let at = position
  for (const { index, 0: mark } of markPattern ? call.matchAll(markPattern) : []) {
    if (index > at) break
    at += mark.length
  }
  return at
}

function findTagMark(call: string): RegExp | undefined {
  // Searches only the head: a text with many starts of calls would otherwise take quadratic time.
  const head = call.slice(0, 500)
  const start = head.search(firstTag)
  const opening = head.slice(start, start + 60)
  return marks().find(({ first }) => first.test(opening))?.all
}

/** Maximum number of closers that may appear as text inside the element. */
const maxCandidates = 20
const childName = /\s*<([A-Za-z_\u0080-\uffff][\w:.\u0080-\uffff-]*)(?=[\s/>]|$)/y
const comment = /\s*<!--/y

/**
 * Returns the end of the element whose opening tag ends at `from`. This is the first closer that leaves no child open,
 * otherwise the first closer, otherwise the text's end. A second opening tag of the same name is content. It begins
 * another element only after a closer, or before the same first child.
 */
export function endOfElement(text: string, tag: string, from: number): number {
  const name = tag.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const mark = new RegExp(`<(/?)${name}(?:\\s[^<>]{0,300})?>|<!\\[(?:CDATA|cdata)\\[`, 'g')
  mark.lastIndex = from
  const child = firstTagAt(text, from)
  /** Text so far, except CDATA sections. */
  let content = ''
  let at = from
  let first = -1
  let count = 0
  for (let found = mark.exec(text); found; found = mark.exec(text)) {
    if (found[1] === undefined) {
      const end = endOfCdata(text, found.index)
      if (end < 0) continue
      content += text.slice(at, found.index)
      at = mark.lastIndex = end
    } else if (found[1] === '') {
      if (first >= 0) break
      if (child !== undefined && firstTagAt(text, mark.lastIndex) === child) return found.index
    } else {
      content += text.slice(at, found.index)
      if (isBalanced(content)) return mark.lastIndex
      if (first < 0) first = mark.lastIndex
      if (++count === maxCandidates) break
      at = found.index
    }
  }
  return first < 0 ? text.length : first
}

function endOfComment(text: string, from: number): number {
  const end = text.indexOf('-->', from)
  return end < 0 ? -1 : end + 3
}

function firstTagAt(text: string, at: number): string | undefined {
  return /^\s*<[^\s<>/]+/.exec(text.slice(at, at + 100))?.[0].trimStart()
}

/** Returns whether every child, comment and leading tag in the content is closed. */
function isBalanced(content: string): boolean {
  for (let at = 0; ;) {
    comment.lastIndex = at
    if (comment.test(content)) {
      at = endOfComment(content, comment.lastIndex)
      if (at < 0) return false
      continue
    }
    childName.lastIndex = at
    const child = childName.exec(content)
    if (!child) return true
    const tag = readOpenTag(content, childName.lastIndex)
    // The tag is incomplete, so the closer may be part of an attribute.
    if (!tag) return false
    at = tag.end
    if (tag.selfClosing) continue
    const end = content.indexOf(`</${child[1]}`, at)
    if (end < 0) return false
    at = end + `</${child[1]}`.length
    const rest = /^\s*>/.exec(content.slice(at, at + 100))
    at += rest?.[0].length ?? 0
  }
}
