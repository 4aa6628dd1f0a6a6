import type { CallsRead } from './block-reader.ts'
import { CallProblem } from './call-problem.ts'

/** A call that the end of the output cut off. */
export function cutOff(): CallsRead {
  return malformedCalls('the call is cut off. Write the whole call again.')
}

/** A call with a marker that can't be read. */
export function unreadable(): CallsRead {
  return malformedCalls(
    'the call could not be read. Write it as an <ACTION> block with one element per call and one per parameter.',
  )
}

export function tooLong(): CallsRead {
  return malformedCalls('the block is too long. Write less in one action.')
}

function malformedCalls(message: string): CallsRead {
  return { calls: [], problem: new CallProblem('malformed', `Malformed action: ${message}`) }
}
