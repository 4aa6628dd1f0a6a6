import type { Mark, Scan } from './place.ts'

/** R18: the start of a call in another format, outside of code unless it stands first in a fence. */
export function lookForCall(scan: Scan): Mark | 'partial' | undefined {
  const { window, code, reply, foreign, quotations } = scan
  if (!foreign) return undefined
  if (!reply.takesCalls) return reply.takesFrames ? noteQuoted(scan) : undefined
  const { tracker } = code
  tracker.flush()
  if (tracker.fenced && code.fenceStart === undefined) return undefined
  const { text, at } = window
  const { lineStart } = tracker
  // What a call holds quotes nothing.
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

/** After an unmarked call, on its line: what starts here is text, as the call then is, and quotes what follows. */
function noteQuoted({ window, quotations, foreign }: Scan): 'partial' | undefined {
  if (!quotations) return undefined
  const mark = foreign?.match(window.text, { at: window.at, lineStart: false, quotations })
  return mark === 'partial' ? mark : undefined
}
