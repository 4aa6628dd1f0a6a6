import type { ErrorData } from '../../protocol/error.ts'
import type { FinishReason } from '../../protocol/message.ts'
import type { OutputEnd } from './argument-text.ts'
import { bodyError, incompleteError, plainText } from './provider-error.ts'

const MAX_STRAY = 4_000

const KEEP_ALIVE =
  /^\W*(?:keep[- ]?alive|(?:still )?(?:processing|waiting|working)|ping|heart ?beat)\W*$/i

/** Collects data in an unknown format from a stream. Lines of text are joined. */
export function addStray(before: unknown, next: unknown): unknown {
  if (typeof next !== 'string') return strayError(before) ? before : next
  if (KEEP_ALIVE.test(next) || !/\S\s+\S/.test(next.trim())) return before ?? next
  if (typeof before !== 'string' || !strayError(before)) return strayError(before) ? before : next
  return `${before}\n${next}`.slice(0, MAX_STRAY)
}

/**
 * Returns the error in stray data: an error in an unknown form, or plain words. A single word is no error. Call it only
 * if nothing later proves that the answer is complete.
 */
export function strayError(stray: unknown): ErrorData | undefined {
  if (typeof stray !== 'string') return asIncomplete(bodyError(stray))
  const text = plainText(stray)
  return /\S\s+\S/.test(text) && !KEEP_ALIVE.test(text)
    ? asIncomplete(bodyError({ message: text }))
    : undefined
}

/** Treats an error of unknown kind like an answer whose end isn't proven. */
function asIncomplete(error: ErrorData | undefined): ErrorData | undefined {
  return error?.code === 'provider-error' ? incompleteError(error.message) : error
}

/** Returns the error of a 2xx answer in another format: the error it holds, else `bad-response`. */
export function noAnswerError(format: string, stray: unknown): ErrorData {
  const error = typeof stray === 'string' ? strayError(stray) : bodyError(stray)
  if (error && error.code !== 'stream-incomplete') return error
  return {
    code: 'bad-response',
    message: `The endpoint's answer is no ${format}: ${JSON.stringify(stray ?? null).slice(0, 300)}.`,
    retryable: stray === undefined,
  }
}

/** Finish reasons of vendors, servers and gateways, in lower case with `_` between words. */
const reasonWords: readonly (readonly [FinishReason, words: string])[] = [
  [
    'stop',
    'stop eos eos_token eot eog end end_turn end_of_text stop_sequence stop_token stop_str complete completed done finish finished',
  ],
  ['tool-calls', 'tool_calls tool_call tool_use function_call function_calls'],
  [
    'length',
    'length max_tokens max_output_tokens max_length model_length token_limit context_length_exceeded model_context_window_exceeded incomplete',
  ],
  [
    'content-filter',
    'content_filter content_filtered guardrail_intervened sensitive safety recitation blocklist prohibited_content spii refusal language image_safety image_prohibited_content image_recitation',
  ],
  [
    'error',
    'error network_error abort aborted cancel cancelled canceled timeout time_out failed failure interrupted insufficient_system_resource malformed_function_call malformed_tool_call unexpected_tool_call too_many_tool_calls missing_thought_signature malformed_response repetition',
  ],
  // Reasons that are no failures.
  ['other', 'pause_turn compaction'],
]

const reasons: ReadonlyMap<string, FinishReason> = new Map(
  reasonWords.flatMap(([reason, list]) => list.split(' ').map((word) => [word, reason] as const)),
)

/**
 * Weights of finish reasons. Within an answer, a reason is only replaced by a heavier one, so a cut answer stays cut.
 */
const weights: { readonly [reason in FinishReason]?: number } = {
  length: 1,
  'content-filter': 2,
  error: 3,
}

/** Characters of a finish reason that are read. */
const MAX_WORD = 100

/** Returns the finish reason to report: the previous or the next one. */
export function pickFinishReason(before: string | undefined, next: string): string {
  const word = next.slice(0, MAX_WORD)
  const weightBefore = before === undefined ? 0 : (weights[reasonOf(before) ?? 'other'] ?? 0)
  return before !== undefined &&
    weightBefore > 0 &&
    weightBefore >= (weights[reasonOf(word) ?? 'other'] ?? 0)
    ? before
    : word
}

/**
 * Maps a finish reason. `tool-calls` depends on the calls that arrived, not on the word. Limits, filters and failures
 * are reported even with calls, since they may have cut the last one.
 */
export function mapFinishReason(word: string | undefined, hasCalls: boolean): FinishReason {
  const reason = word === undefined ? 'stop' : (reasonOf(word) ?? 'other')
  if (!hasCalls) return reason
  return reason === 'stop' || reason === 'other' ? 'tool-calls' : reason
}

/** Maps a word, or a source with its reason: `content_filter: RECITATION`. */
function reasonOf(word: string): FinishReason | undefined {
  const [source = '', detail = ''] = word.toLowerCase().replaceAll('-', '_').split(': ')
  return reasons.get(detail) ?? reasons.get(source)
}

/**
 * How complete the last call's arguments can be, judged by the end of the output. `isEndReported`: the server also
 * reported the end of the call, not only of the answer. An unknown finish reason proves nothing.
 */
export function outputEnd(
  word: string | undefined,
  isProven: boolean,
  isEndReported: boolean,
): OutputEnd {
  const reason = word === undefined ? 'stop' : reasonOf(word)
  // A filter or a refusal voids the whole answer, even its complete calls.
  if (!isProven || reason === 'error' || reason === 'content-filter') return 'cut'
  if (reason === 'length') return 'limited'
  return isEndReported && reason !== undefined ? 'complete' : 'unsaid'
}

/** Error of an answer whose finish reason is the only sign of failure. */
export function failedError(word: string | undefined): ErrorData {
  return {
    code: 'provider-error',
    message: `The provider ended its answer with '${word}'.`,
    retryable: true,
  }
}
