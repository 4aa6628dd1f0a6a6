import type { Message } from '../../protocol/message.ts'
import type { ModelRequest } from '../../providers/provider.ts'
import { messageTokens } from '../model/compaction/request-size.ts'

/** Code of the warning of a server that cuts requests without a word. */
export const PROMPT_TRUNCATED = 'prompt-truncated'

/** A server that counts less than this share of the least that a request has has not read all of it. */
export const READ = 0.7
/** Smaller counts are what is left where a cache had the rest. Tokens. */
const LEAST_COUNT = 1000

/**
 * Words are one token each at least, in all tokenizers; a token has no more than three characters of Chinese or
 * Japanese on average.
 */
const WORDS = /[\u3040-\u9fff]{1,3}|[\p{L}\p{M}]{1,16}/gu

/** The least tokens that a text can have. */
const leastTokens = (text: string): number => text.match(WORDS)?.length ?? 0

/**
 * Signs that the server cut the request: 2 are a proof. A server that reports only what its cache didn't have counts
 * what came since the last answer, so a lower count than that is a proof; more than that, a sign.
 */
export function truncationSigns(
  { instructions = '', trailer = '', messages }: ModelRequest,
  counted: number,
): { readonly signs: 0 | 1 | 2; readonly least: number } {
  const least = leastTokens(`${instructions} ${trailer}`) + leastOf(messages)
  if (counted <= LEAST_COUNT || counted >= READ * least) return { signs: 0, least }
  const fresh = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant'))
  if (counted < READ * leastOf(fresh)) return { signs: 2, least }
  const most = fresh.reduce((sum, message) => sum + messageTokens(message), 0)
  return { signs: counted > 1.5 * most ? 1 : 0, least }
}

/** What some servers leave out, as reasoning, counts as nothing. */
function leastOf(messages: readonly Message[]): number {
  return leastTokens(messages.flatMap(({ parts }) => parts.map(textOf)).join(' '))
}

function textOf(part: Message['parts'][number]): string {
  if (part.type === 'text') return part.text
  const isData = part.type === 'tool-result' && /text|json/.test(part.output.type)
  return isData ? JSON.stringify(part.output) : ''
}
