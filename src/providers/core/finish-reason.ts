import type { FinishReason } from '../../protocol/message.ts'
import type { OutputEnd } from './read-input.ts'

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
  abort: 'error',
}

/**
 * Why the model stopped. The calls that are there decide whether it called, not the word; a limit or a
 * filter is reported nevertheless, since it may have cut the last call, and so is a failure.
 */
export function mapFinishReason(word: string | undefined, hasCalls: boolean): FinishReason {
  const reason = word === undefined ? 'stop' : ownReason(word)
  if (!hasCalls) return reason === 'tool-calls' ? 'stop' : reason
  return reason === 'stop' || reason === 'other' ? 'tool-calls' : reason
}

function ownReason(word: string): FinishReason {
  const known = word.toLowerCase()
  return Object.hasOwn(reasons, known) ? (reasons[known] ?? 'other') : 'other'
}

/**
 * How complete the arguments of the last call can be, by the way the output ended. `isSaid`: the server
 * said that the call is over, not the answer alone.
 */
export function outputEnd(word: string | undefined, isProven: boolean, isSaid: boolean): OutputEnd {
  const reason = word === undefined ? 'stop' : ownReason(word)
  // A refusal makes the answer void, complete calls included.
  if (!isProven || reason === 'error' || word?.toLowerCase() === 'refusal') return 'cut'
  if (reason === 'length' || reason === 'content-filter') return 'limited'
  return isSaid ? 'complete' : 'unsaid'
}
