import type { FinishReason } from '../../protocol/message.ts'
import type { OutputEnd } from './assemble-tool-calls.ts'

const reasons: { readonly [word: string]: FinishReason } = {
  stop: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  completed: 'stop',
  tool_calls: 'tool-calls',
  tool_use: 'tool-calls',
  function_call: 'tool-calls',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  model_context_window_exceeded: 'length',
  content_filter: 'content-filter',
  sensitive: 'content-filter',
  refusal: 'content-filter',
  error: 'error',
  network_error: 'error',
  // Anthropic: a server tool takes long; the turn goes on when it is sent back.
  pause_turn: 'other',
}

/**
 * Why the model stopped. The calls that are there decide whether it called, not the word; a limit or a
 * filter is reported nevertheless, since it may have cut the last call.
 */
export function mapFinishReason(word: string | undefined, hasCalls: boolean): FinishReason {
  const reason = word === undefined ? 'stop' : ownReason(word)
  if (hasCalls) return reason === 'length' || reason === 'content-filter' ? reason : 'tool-calls'
  return reason === 'tool-calls' ? 'stop' : reason
}

function ownReason(word: string): FinishReason {
  const known = word.toLowerCase()
  return Object.hasOwn(reasons, known) ? (reasons[known] ?? 'other') : 'other'
}

/** How complete the arguments of the last call can be, by the way the output ended. */
export function outputEnd(isProven: boolean, reason: FinishReason): OutputEnd {
  if (!isProven) return 'cut'
  return reason === 'length' || reason === 'content-filter' ? 'limited' : 'complete'
}
