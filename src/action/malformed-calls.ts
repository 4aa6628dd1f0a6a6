import type { CallsRead } from './block-reader.ts'
import { CallProblem } from './call-problem.ts'

/** A call that was cut off by the end of the output. */
export function cutOff(): CallsRead {
  return malformedCalls('the call is cut off. Write the whole call again.')
}

/** An unreadable call after a marker. */
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
