import type { CallsRead } from '../../block-reader.ts'
import { resolveCalls } from '../foreign-call.ts'
import { Unreadable } from '../literal-reader.ts'
import { toolName } from '../names.ts'
import type { Dialect, Section } from './dialect.ts'
import { lazyPattern } from '../../../lib/once.ts'

/** The recipient stands before or after the channel; then come the kind of content, and the message. */
const header = lazyPattern(
  () =>
    `(?:<\\|start\\|>assistant)?(?: ?to=(${toolName}))?(?:<\\|channel\\|>\\w+)?\\s*(?:to=(${toolName}))?` +
    '[^{]{0,80}?(?:<\\|message\\|>|(?=\\{))\\s*',
  'uy',
)
const closers = ['<|call|>', '<|end|>', '<|return|>']

/** gpt-oss: `<|channel|>commentary to=functions.name <|constrain|>json<|message|>{…}<|call|>`. */
export const harmony: readonly Dialect[] = [
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
    // The prompt's template has written what stands before it.
    openers: [['to=functions.']],
    after: () => ({
      whole: /^[^\s<{]+(?: \w+)?\s*<\|(?:channel|constrain|message)\|>/,
      partial: /^[^\s<{]*(?: \w*)?\s*(?:<[|a-z]*)?$/,
    }),
    read: readMessage,
  },
]

function readMessage({ reader, index, start }: Section): CallsRead {
  reader.at = start
  const found = reader.match(header())
  const name = found?.[1] ?? found?.[2]
  if (name === undefined) throw new Unreadable('cut off')
  return resolveCalls([{ name, args: reader.value() }], index)
}
