/** Closers that may stand inside the element, as text, at most. */
const maxCandidates = 20
const childTag = /\s*<([A-Za-z_][\w:.-]*)(?:\s[^<>]*)?(\/?)>/y

/**
 * Where the element whose opening tag ends at `from` ends: after its first closer that leaves none of its
 * children open, else after the first one. The text's end when there is none.
 */
export function endOfElement(text: string, tag: string, from: number): number {
  const closer = `</${tag}`
  let first = -1
  let at = text.indexOf(closer, from)
  for (let count = 0; at >= 0 && count < maxCandidates; count++) {
    const end = /^\s*>/.exec(text.slice(at + closer.length, at + closer.length + 100))
    if (end) {
      const after = at + closer.length + end[0].length
      if (isWhole(text, from, at)) return after
      if (first < 0) first = after
    }
    at = text.indexOf(closer, at + 1)
  }
  return first < 0 ? text.length : first
}

/** Every child that was opened is closed again. */
function isWhole(text: string, from: number, to: number): boolean {
  for (let at = from; ;) {
    childTag.lastIndex = at
    const child = childTag.exec(text)
    if (!child || childTag.lastIndex > to) return true
    at = childTag.lastIndex
    if (child[2] === '/') continue
    const end = text.indexOf(`</${child[1]}`, at)
    if (end < 0 || end >= to) return false
    at = end + `</${child[1]}`.length
    const rest = /^\s*>/.exec(text.slice(at, at + 100))
    at += rest?.[0].length ?? 0
  }
}
