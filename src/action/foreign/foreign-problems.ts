import type { CallsRead } from '../block-reader.ts'
import { CallProblem } from '../call-problem.ts'

/** A call that the end of the output cut off. */
export function cutOff(): CallsRead {
  const message = 'Malformed action: the call is cut off. Write the whole call again.'
  return { calls: [], problem: new CallProblem('malformed', message) }
}

/** A call with a marker that can't be read. */
export function unreadable(): CallsRead {
  const message =
    'Malformed action: the call could not be read. Write it as an <ACTION> block with one element per call and one per parameter.'
  return { calls: [], problem: new CallProblem('malformed', message) }
}
