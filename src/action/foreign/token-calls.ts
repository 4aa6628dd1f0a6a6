import type { ForeignCall } from './foreign-call.ts'
import { Unreadable } from './literal-reader.ts'
import type { LiteralReader } from './literal-reader.ts'

/** DeepSeek's and Kimi's special tokens, with full-width or plain bars and blocks. */
const section = /<[|｜]tool[▁_]calls(?:[▁_]section)?[▁_]begin[|｜]>\s*/y
const begin = /\s*<[|｜]tool[▁_]call[▁_]begin[|｜]>/y
const header =
  /((?:(?!<[|｜]tool[▁_]call[▁_](?:end|begin))[^{[])*?)(?=[{[]|<[|｜]tool[▁_]call[▁_]end)/y
const separator = /<[|｜]tool[▁_](?:sep|call[▁_]argument[▁_]begin)[|｜]>|```(?:json)?/
const ending = /\s*(?:```)?\s*<[|｜]tool[▁_]call[▁_]end[|｜]>/y
const sectionEnd = /\s*<[|｜]tool[▁_]calls(?:[▁_]section)?[▁_]end[|｜]>/y

/** The calls of a DeepSeek or Kimi section, at most `most`; undefined when none comes next. Throws `Unreadable`. */
export function readTokenCalls(
  reader: LiteralReader,
  most: number = Infinity,
): ForeignCall[] | undefined {
  const start = reader.at
  const opened = reader.match(section) !== undefined
  const calls: ForeignCall[] = []
  while (calls.length < most && reader.match(begin)) calls.push(readOne(reader))
  if (calls.length > 0) {
    reader.match(sectionEnd)
    return calls
  }
  if (opened) throw new Unreadable(true)
  reader.at = start
  return undefined
}

function readOne(reader: LiteralReader): ForeignCall {
  const parts = reader.match(header)?.[1]?.split(separator)
  if (!parts) throw new Unreadable(true)
  const name = parts.map((part) => part.trim()).findLast((part) => part !== '')
  if (name === undefined) throw new Unreadable(false)
  const args = reader.text[reader.at] === '{' ? reader.value() : {}
  if (!reader.match(ending) && !reader.ended) throw new Unreadable(false)
  return { name, args }
}

/** gpt-oss: `<|channel|>commentary to=functions.name <|constrain|>json<|message|>{…}<|call|>`. */
export function readHarmonyCall(reader: LiteralReader): ForeignCall | undefined {
  const name = reader.match(
    /(?:<\|start\|>assistant)?(?:<\|channel\|>\w+)? ?to=([\w.-]+)[^{]*?<\|message\|>\s*/y,
  )?.[1]
  if (name === undefined) return undefined
  const args = reader.value()
  reader.match(/\s*<\|(?:call|end)\|>/y)
  return { name, args }
}
