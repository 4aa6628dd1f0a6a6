import type { Message } from '../../protocol/message.ts'
import type { ModelRequest } from '../../providers/provider.ts'
import { messageTokens } from '../model/compaction/request-size.ts'

/** Code of the warning about a server that silently cuts requests. */
export const PROMPT_TRUNCATED = 'prompt-truncated'

/** Share of a request's minimum tokens below which the server can't have read all of it. */
export const READ = 0.7
/** Counts up to this many tokens prove nothing: a server's cache may have held the rest. */
const LEAST_COUNT = 1000

/**
 * Pieces of text that are at least one token each in all tokenizers. A token has at most three Chinese or Japanese
 * characters on average.
 */
const WORDS = /[\u3040-\u9fff]{1,3}|[\p{L}\p{M}]{1,16}/gu

/** The minimum tokens of a text. */
const leastTokens = (text: string): number => text.match(WORDS)?.length ?? 0

/**
 * Counts signs that the server cut the request; 2 are a proof.
 *
 * A server that reports only uncached tokens still counts everything since the last answer. A count below that proves a
 * cut. A count well above it, yet below the whole request, is one sign.
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

/** The minimum tokens of messages. Parts that some servers leave out, such as reasoning, count as zero. */
function leastOf(messages: readonly Message[]): number {
  return leastTokens(messages.flatMap(({ parts }) => parts.map(textOf)).join(' '))
}

function textOf(part: Message['parts'][number]): string {
  if (part.type === 'text') return part.text
  const isData = part.type === 'tool-result' && /text|json/.test(part.output.type)
  return isData ? JSON.stringify(part.output) : ''
}
