import type { CallsRead } from '../../block-reader.ts'
import { joinReads, resolveCalls } from '../foreign-call.ts'
import { Unreadable } from '../literal-reader.ts'
import type { Dialect, Section } from './dialect.ts'
import { readNamedElement } from './named-elements.ts'

const begin = /\s*<[|｜]tool[▁_]call[▁_]begin[|｜]>/y
const header =
  /((?:(?!<[|｜]tool[▁_]call[▁_](?:end|begin)|<\w+:invoke\s)[^{[])*?)(?=[{[]|<\w+:invoke\s|<[|｜]tool[▁_]call[▁_]end[|｜]>)/y
const separator = /<[|｜]tool[▁_](?:sep|call[▁_]argument[▁_]begin)[|｜]>|```(?:json)?/
const ending = /\s*(?:```)?\s*<[|｜]tool[▁_]call[▁_]end[|｜]>/y
const spellings = ['|', '｜'].flatMap((bars) =>
  ['_', '▁'].map((blanks) => (words: string) => `<${bars}${words.replaceAll(' ', blanks)}${bars}>`),
)

function spell(words: string): [string, string][] {
  return spellings.map((write) => [write(`${words} begin`), write(`${words} end`)])
}

/** Special tokens of DeepSeek, Kimi and Step, with full-width or plain bars and blocks. */
export const tokenSections: readonly Dialect[] = [
  {
    openers: [
      ...spell('tool calls'),
      ...spell('tool calls section'),
      ...spell('tool call section'),
    ],
    closers: spell('tool call').map(([, closer]) => closer),
    read(section) {
      const reads: CallsRead[] = []
      while (section.reader.match(begin)) reads.push(readOne(section))
      if (reads.length === 0) throw new Unreadable('cut off')
      return joinReads(reads)
    },
  },
  { openers: spell('tool call'), read: readOne },
]

/** Reads a single call, after its opener. */
function readOne({ reader, index }: Section): CallsRead {
  const parts = reader.match(header)?.[1]?.split(separator)
  if (!parts) throw new Unreadable('cut off')
  const element = readNamedElement(reader, index)
  if (element) {
    reader.match(ending)
    return element
  }
  const name = parts.map((part) => part.trim()).findLast((part) => part !== '')
  if (name === undefined) throw new Unreadable('not a literal')
  const args = reader.text[reader.at] === '{' ? reader.value() : {}
  if (!reader.match(ending) && !reader.ended) throw new Unreadable('not a literal')
  return resolveCalls([{ name, args }], index)
}
