import { readBlock } from '../../block-reader.ts'
import type { CallsRead } from '../../block-reader.ts'
import type { ToolIndex } from '../../tool-index.ts'
import { withNamespaces } from '../foreign-call.ts'
import { endOfElement } from '../element-end.ts'
import type { LiteralReader } from '../literal-reader.ts'
import type { Dialect } from './dialect.ts'

const tags = ['invoke', 'antml:invoke', 'steptml:invoke', 'function']
const opening = /<((?:\w+:)?(?:invoke|function))\s[^<>]*?(\/?)>/y

/**
 * `<invoke name="…"><parameter name="…">…` of Anthropic, MiniMax, DeepSeek and Step; MiniCPM's `<function name="…">`.
 */
export const namedElements: Dialect = {
  openers: tags.map((tag) => [`<${tag} name=`, `</${tag}>`]),
  after: () => ({ whole: /^["']/, partial: /^$/ }),
  read({ reader, index, start }) {
    reader.at = start
    return readNamedElement(reader, index) ?? reader.fail()
  },
}

/** Reads an element with the tool's name in an attribute. Undefined if none comes next. */
export function readNamedElement(reader: LiteralReader, index: ToolIndex): CallsRead | undefined {
  const start = reader.at
  const tag = reader.match(opening)
  if (!tag) return undefined
  if (tag[2] !== '/') reader.at = endOfElement(reader.text, tag[1] ?? '', reader.at)
  return readBlock(reader.text.slice(start, reader.at), withNamespaces(index))
}
