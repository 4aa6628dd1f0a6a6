import { Unreadable } from './literal-reader.ts'
import type { LiteralReader } from './literal-reader.ts'

const pair = /\s*<arg_key>([^<]*)<\/arg_key>\s*<arg_value>/y
const pairEnd = /<\/arg_value>(\s*(?:<arg_key>|<\/tool_call>|$))?/g

/** GLM's `<arg_key>…</arg_key><arg_value>…</arg_value>` pairs. Throws `Unreadable`. */
export function readArgumentPairs(reader: LiteralReader): [string, string][] {
  const texts: [string, string][] = []
  for (let found = reader.match(pair); found; found = reader.match(pair)) {
    let first: RegExpExecArray | undefined
    let limit = reader.text.length
    pairEnd.lastIndex = reader.at
    for (let end = pairEnd.exec(reader.text); end; end = pairEnd.exec(reader.text)) {
      if (end.index > limit) break
      if (first === undefined) {
        first = end
        const closer = reader.text.indexOf('</tool_call', end.index)
        if (closer >= 0) limit = closer
      }
      if (end[1] === undefined) continue
      first = end
      break
    }
    if (!first) throw new Unreadable(true)
    texts.push([(found[1] ?? '').trim(), trimOuterLines(reader.text.slice(reader.at, first.index))])
    reader.at = first.index + '</arg_value>'.length
  }
  if (!/^\s*(?:<\/tool_call|$)/.test(reader.text.slice(reader.at, reader.at + 40)))
    throw new Unreadable(false)
  if (reader.text.indexOf('</tool_call', reader.at) < 0) throw new Unreadable(true)
  return texts
}

function trimOuterLines(text: string): string {
  return text.includes('\n')
    ? text.replace(/^[ \t]*\r?\n/, '').replace(/\r?\n[ \t]*$/, '')
    : text.trim()
}
