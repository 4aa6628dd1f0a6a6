import type { ErrorData } from '../../protocol/error.ts'
import type { FinishReason } from '../../protocol/message.ts'
import type { OutputEnd } from './read-input.ts'

/** The words of vendors, servers and gateways, in lower case with `_` between words. */
const words: readonly (readonly [FinishReason, words: string])[] = [
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
  // Known to be no failures.
  ['other', 'pause_turn compaction'],
]

const reasons: ReadonlyMap<string, FinishReason> = new Map(
  words.flatMap(([reason, list]) => list.split(' ').map((word) => [word, reason] as const)),
)

/** What an earlier word of the same answer weighs: what was cut off stays so, whatever is said later. */
const weight: { readonly [reason in FinishReason]?: number } = {
  length: 1,
  'content-filter': 2,
  error: 3,
}

/** Longer words are none. */
const MAX_WORD = 100

/** The word that counts, of the one before and the next. */
export function countingWord(before: string | undefined, next: string): string {
  const word = next.slice(0, MAX_WORD)
  const heavy = before === undefined ? 0 : (weight[reasonOf(before) ?? 'other'] ?? 0)
  return before !== undefined && heavy > 0 && heavy >= (weight[reasonOf(word) ?? 'other'] ?? 0)
    ? before
    : word
}

/**
 * Why the model stopped. The calls that are there decide whether it called, not the word; a limit or a
 * filter is reported nevertheless, since it may have cut the last call, and so is a failure.
 */
export function mapFinishReason(word: string | undefined, hasCalls: boolean): FinishReason {
  const reason = word === undefined ? 'stop' : (reasonOf(word) ?? 'other')
  if (!hasCalls) return reason
  return reason === 'stop' || reason === 'other' ? 'tool-calls' : reason
}

/** A word, or who stopped it and why: `content_filter: RECITATION`. */
function reasonOf(word: string): FinishReason | undefined {
  const [who = '', why = ''] = word.toLowerCase().replaceAll('-', '_').split(': ')
  return reasons.get(why) ?? reasons.get(who)
}

/**
 * How complete the arguments of the last call can be, by the way the output ended. `isSaid`: the server
 * said that the call is over, not the answer alone. An unknown word says nothing.
 */
export function outputEnd(word: string | undefined, isProven: boolean, isSaid: boolean): OutputEnd {
  const reason = word === undefined ? 'stop' : reasonOf(word)
  // A filter or a refusal makes the answer void, complete calls included.
  if (!isProven || reason === 'error' || reason === 'content-filter') return 'cut'
  if (reason === 'length') return 'limited'
  return isSaid && reason !== undefined ? 'complete' : 'unsaid'
}

/** The answer failed, and the finish reason alone says so. */
export function failedError(word: string | undefined): ErrorData {
  return {
    code: 'provider-error',
    message: `The provider ended its answer with '${word}'.`,
    retryable: true,
  }
}
