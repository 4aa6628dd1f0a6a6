import { Unreadable } from './literal-reader.ts'
import type { LiteralReader } from './literal-reader.ts'
import { decodeEntities, dropOuterLines } from '../xml-text.ts'
import { readTaggedValue } from './tagged-value.ts'
import type { ValueEnd } from './tagged-value.ts'
import { once } from '../../lib/once.ts'

/** Patterns of a format that writes each name followed by its value. */
interface PairSyntax {
  /** The pattern before the value. Group 1 is the name. */
  readonly key: string
  /** The start of the next pair. */
  readonly next: string
  readonly closer: string
  readonly call: string
  readonly callCloser: string
}

interface PairPatterns extends ValueEnd {
  readonly key: RegExp
  readonly end: RegExp
}

const all = once<readonly PairPatterns[]>(() => [
  // GLM, and LongCat with a prefix.
  ...['', 'longcat_'].map((prefix) =>
    patternsOf({
      key: `<${prefix}arg_key>([^<]*)</${prefix}arg_key>\\s*(?:<arg_type>\\w*</arg_type>\\s*)?<${prefix}arg_value>`,
      next: `<${prefix}arg_key>`,
      closer: `</${prefix}arg_value>`,
      call: `<${prefix}tool_call>`,
      callCloser: `</${prefix}tool_call>`,
    }),
  ),
  // Solar
  patternsOf({
    key: '<\\|tool_arg:start\\|>([^<]*)<\\|tool_arg:value\\|>',
    next: '<\\|tool_arg:start\\|>',
    closer: '<\\|tool_arg:end\\|>',
    call: '<\\|tool_call:start\\|>',
    callCloser: '<\\|tool_call:end\\|>',
  }),
  // Kimi K3
  patternsOf({
    key: '<\\|open\\|>argument key="([^"]*)"[^<]*<\\|sep\\|>',
    next: '<\\|open\\|>argument',
    closer: '<\\|close\\|>argument<\\|sep\\|>',
    call: '<\\|open\\|>call[^<]{0,100}<\\|sep\\|>',
    callCloser: '<\\|close\\|>call<\\|sep\\|>',
  }),
])

/** Reads pairs of name and value up to the call's closer. Throws `Unreadable`. */
export function readArgumentPairs(reader: LiteralReader): [string, string][] {
  const texts: [string, string][] = []
  for (const patterns of all()) {
    for (let found = reader.match(patterns.key); found; found = reader.match(patterns.key))
      texts.push([
        decodeEntities((found[1] ?? '').trim()),
        dropOuterLines(readTaggedValue(reader, patterns)),
      ])
    if (reader.match(patterns.end)) return texts
    if (texts.length > 0) break
  }
  throw new Unreadable(reader.text.slice(reader.at).trim() ? 'not a literal' : 'cut off')
}

function patternsOf({ key, next, closer, call, callCloser }: PairSyntax): PairPatterns {
  return {
    key: new RegExp(`\\s*${key}`, 'y'),
    end: new RegExp(`\\s*(?=${callCloser})`, 'y'),
    marks: new RegExp(
      `${closer}(\\s*(?:${next}|${callCloser}|$))?|(${callCloser}(?![ \\t]*[^\\s<]|\\s*${closer}))|(${call}[^<]{0,100}${next})`,
      'g',
    ),
    isName: () => false,
  }
}
