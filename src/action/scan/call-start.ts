import type { Mark, Scan } from './place.ts'

/** R18: returns the start of a call in another format. It must be outside of code, or first in a fence. */
export function lookForCall(scan: Scan): Mark | 'partial' | undefined {
  const { window, code, reply, foreign, quotations } = scan
  if (!foreign) return undefined
  if (!reply.takesCalls) return reply.takesFrames ? noteQuoted(scan) : undefined
  const { tracker } = code
  tracker.flush()
  if (tracker.fenced && code.fenceStart === undefined) return undefined
  const { text, at } = window
  const { lineStart } = tracker
  // Text inside a call can't start a quotation.
  const matcher = foreign.match(text, {
    at,
    lineStart,
    quotations: reply.isHeld ? undefined : quotations,
  })
  if (matcher === 'partial') return matcher
  if (matcher === undefined) {
    const madeUp = reply.isHeld && foreign.matchMadeUp(text.slice(at, at + 40))
    if (madeUp === true) reply.finishCall()
    return madeUp === 'partial' ? madeUp : undefined
  }
  if (quotations && tracker.inRun) return undefined
  return { type: 'call', matcher: tracker.fenced ? foreign.fenced() : matcher }
}

/**
 * Handles a possible call on the line of an unmarked call. Both are text, and the new one may quote the text after it.
 */
function noteQuoted({ window, quotations, foreign }: Scan): 'partial' | undefined {
  if (!quotations) return undefined
  const mark = foreign?.match(window.text, { at: window.at, lineStart: false, quotations })
  return mark === 'partial' ? mark : undefined
}
