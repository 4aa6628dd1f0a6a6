import { alternation } from '../../char-codes.ts'
import type { MarkedSyntax } from '../construct-matcher.ts'
import {
  type Dialect,
  functionTags,
  namedElements,
  type Section,
  tokenSections,
} from './dialect.ts'
import { wrapped } from './wrapped.ts'
import { resolveCalls, toolNamePattern } from '../foreign-call.ts'
import { lazyPattern, once } from '../../../lib/once.ts'
import type { ParsedCalls } from '../../block-reader.ts'
import { Unreadable } from '../literal-reader.ts'

const name = lazyPattern(() => `(${toolNamePattern})\\s*`, 'uy')

/** Functionary 3.2: `>>>name`, and the parameters on the next line. `>>>all` is a reply. */
const functionary: Dialect = {
  openers: [['>>>']],
  after: once(() => ({
    whole: new RegExp(`^(?!all\\s)${toolNamePattern}[ \\t]*\\r?\\n\\s*\\{`, 'u'),
    partial: new RegExp(`^(?:${toolNamePattern}[ \\t]*\\r?(?:\\n\\s*)?)?$`, 'u'),
  })),
  read({ reader, index }) {
    const tool = reader.match(name())?.[1] ?? reader.fail()
    return resolveCalls([{ name: tool, args: reader.value() }], index)
  },
}

/** Harmony's header. The recipient precedes or follows the channel, then come the content type and the message. */
const header = lazyPattern(
  () =>
    `(?:<\\|start\\|>assistant)?(?: ?to=(${toolNamePattern}))?(?:<\\|channel\\|>\\w+)?\\s*(?:to=(${toolNamePattern}))?` +
    '[^{]{0,80}?(?:<\\|message\\|>|(?=\\{))\\s*',
  'uy',
)
const closers = ['<|call|>', '<|end|>', '<|return|>']

/** gpt-oss: `<|channel|>commentary to=functions.name <|constrain|>json<|message|>{…}<|call|>`. */
const harmony: readonly Dialect[] = [
  {
    openers: [['<|channel|>'], ['<|start|>assistant']],
    after: () => ({
      whole: /^(?:<\|channel\|>)?\w*? ?to=/,
      partial: /^(?:<[|a-z]*>?)?\w*(?: t?o?)?$/,
    }),
    closers,
    read: readMessage,
  },
  {
    // The prompt's template already wrote the text before this opener.
    openers: [['to=functions.']],
    after: () => ({
      whole: /^[^\s<{]+(?: \w+)?\s*<\|(?:channel|constrain|message)\|>/,
      partial: /^[^\s<{]*(?: \w*)?\s*(?:<[|a-z]*)?$/,
    }),
    read: readMessage,
  },
]

function readMessage({ reader, index, start }: Section): ParsedCalls {
  reader.at = start
  const found = reader.match(header())
  const name = found?.[1] ?? found?.[2]
  if (name === undefined) throw new Unreadable('cut off')
  return resolveCalls([{ name, args: reader.value() }], index)
}

/** All formats that have a marker. */
const dialects: readonly Dialect[] = [
  ...wrapped,
  ...tokenSections,
  ...harmony,
  functionTags,
  namedElements,
  functionary,
]

export interface Marker extends MarkedSyntax {
  readonly dialect: Dialect
}

/** Markers by their first two characters. */
const byHead = new Map<string, Marker[]>()
const firsts = new Set<string | undefined>()
for (const dialect of dialects) {
  const { isMark = false } = dialect
  for (const [opener, closer] of dialect.openers) {
    const head = opener.slice(0, 2)
    const marker = { dialect, opener, isMark, ...(closer !== undefined && { closer }) }
    byHead.set(head, [...(byHead.get(head) ?? []), marker])
    firsts.add(opener[0])
  }
}
/** Maximum text to check after an opener. A partial match may be at most this long. */
const maxContinuation = 110
const maxPartial = 90

/** Returns the marker that starts at `at`; `'partial'` if more input may complete one. */
export function findMarker(text: string, at: number): Marker | 'partial' | undefined {
  if (!firsts.has(text[at])) return undefined
  if (at + 1 >= text.length) return 'partial'
  let isPartial = false
  for (const marker of byHead.get(text.slice(at, at + 2)) ?? []) {
    const { opener, dialect } = marker
    if (!text.startsWith(opener, at)) {
      isPartial ||= text.length - at < opener.length && opener.startsWith(text.slice(at))
      continue
    }
    const after = dialect.after?.()
    if (!after) return marker
    const from = at + opener.length
    const following = text.slice(from, from + maxContinuation)
    if (after.whole.test(following)) return marker
    // The last character may be half of a surrogate pair.
    isPartial ||=
      following.length < maxPartial && after.partial.test(following.replace(/[\uD800-\uDBFF]$/, ''))
  }
  return isPartial ? 'partial' : undefined
}

/** Returns whether the marker is a control token, which models write but people don't. */
export function isToken({ dialect, opener }: Marker): boolean {
  return dialect.after === undefined || /^<[|｜]/.test(opener)
}

/** Returns whether the text after a section is the beginning of another section, or of a closer. */
export function isBeginning(text: string): boolean {
  return findMarker(text, 0) === 'partial' || allClosers.some((closer) => closer.startsWith(text))
}

/** Openers of a call or a list of calls, in all formats. */
export const openers: readonly string[] = dialects.flatMap((dialect) =>
  dialect.openers.map(([opener]) => opener),
)

const allClosers = dialects.flatMap(listClosers)

/** Returns a pattern for the closers of all formats. */
export function anyCloser(): string {
  return `${alternation(new Set(allClosers))}|<\\/[\\w:-]*(?:tool|func|invoke|call|param|action|arg)[\\w:-]*>`
}

/** Returns the closers of a section in this format. */
export function listClosers({ openers, closers = [] }: Dialect): string[] {
  return [...closers, ...openers.flatMap(([, closer]) => closer ?? [])]
}
