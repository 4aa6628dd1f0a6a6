/** The longest header of a message, in characters. */
const maxHeader = 200
const messageMark = '<|message|>'
const heads = ['<|start|>', '<|channel|>'] as const
/** Possible starts of an output whose first header was begun by the prompt's template. */
const bareHeads: readonly string[] = [
  ...['analysis', 'commentary', 'final'].flatMap((channel) => [
    `${channel}<|`,
    `${channel} <|`,
    `${channel} to=`,
  ]),
  'assistant<|channel|>',
  'assistant to=',
  ' to=',
  'to=',
]
const headerText = /^(?:<\|(?:start|channel|constrain)\|>|[^<\n])*$/
const cutHeader = /^(?:<\|(?:start|channel|constrain)\|>|[^<\n])*(?:<\|?\w*\|?)?$/

/** `<|eom|>` is used by Muse. */
const closers = ['<|end|>', '<|return|>', '<|call|>', '<|eom|>'] as const

/** Returns the position after the token at `at` that ends a message; `'partial'` if more input may complete one. */
export function matchCloser(text: string, at: number): number | 'partial' | undefined {
  const closer = closers.find((each) => text.startsWith(each, at))
  if (closer !== undefined) return at + closer.length
  const window = text.slice(at, at + 10)
  return closers.some((each) => each.startsWith(window)) ? 'partial' : undefined
}

/** Returns the position after the last token that ends a message; -1 if there is none. */
export function endOfMessage(text: string): number {
  const ends = closers.map((each) => ({ at: text.lastIndexOf(each), length: each.length }))
  return Math.max(...ends.map(({ at, length }) => (at < 0 ? -1 : at + length)))
}

/** A header of harmony (gpt-oss), with the kind of its message. */
export type Header = { readonly end: number } & (
  | { readonly kind: 'text' | 'thought' | 'turn' }
  | { readonly kind: 'call'; readonly recipient: string }
)

/**
 * Returns the message header that starts at `at`, such as `<|start|>assistant<|channel|>final<|message|>`; `'partial'`
 * if more input may complete one. `isFirst`: the output starts here.
 */
export function matchHeader(
  text: string,
  at: number,
  isFirst: boolean,
): Header | 'partial' | undefined {
  const window = text.slice(at, at + maxHeader)
  const starts: readonly string[] = isFirst ? [...heads, ...bareHeads] : heads
  if (!starts.some((head) => window.startsWith(head)))
    return starts.some((head) => head.startsWith(window)) ? 'partial' : undefined
  const mark = window.indexOf(messageMark)
  if (mark < 0) return window.length < maxHeader && cutHeader.test(window) ? 'partial' : undefined
  const header = window.slice(0, mark)
  if (!headerText.test(header)) return undefined
  return { end: at + mark + messageMark.length, ...kindOf(header) }
}

function kindOf(
  header: string,
): { kind: 'text' | 'thought' | 'turn' } | { kind: 'call'; recipient: string } {
  const recipient = /(?:^|[ >])to=([^\s<]+)/.exec(header)?.[1]
  if (header.startsWith('<|start|>') && !header.startsWith('<|start|>assistant'))
    return { kind: 'turn' }
  if (recipient === 'self') return { kind: 'thought' }
  if (recipient !== undefined && recipient !== 'user' && recipient !== 'all')
    return { kind: 'call', recipient }
  return { kind: /(?:^|>)analysis/.test(header) ? 'thought' : 'text' }
}
