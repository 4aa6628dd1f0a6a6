/** An event of a pointer or key, reduced to what says whether a person has pressed something. */
export interface Seen {
  readonly type: string
  readonly isTrusted: boolean
  /** Milliseconds, on one clock for all frames. */
  readonly at: number
  /** Of a key: which. */
  readonly key?: string
  /** Of a key: it is held down. */
  readonly isRepeat?: boolean
  /** Of a key: its target takes it as a press. False for an Enter that ends a composition, and for a space in a text. */
  readonly isPress?: boolean
  /** Of a click: made by a pointer. */
  readonly hasPointer?: boolean
  /** Of a click: the browser reports that the person has just acted on the page. */
  readonly isActive?: boolean
}

/** What earlier events left behind. */
export interface Track {
  /** When a click was seen in this task: another one in the same task is caused by it (a label clicks its control). */
  readonly clickedAt: number | null
  /** Time of the newest event of an Enter or a space that is down, or was released in this task. */
  readonly heldAt: number | null
}

export const NO_TRACK: Track = { clickedAt: null, heldAt: null }

/** Where the end of the task isn't noticed (timers stand still): milliseconds. */
const TASK_MS = 1000
/** A key whose end wasn't seen, since a native dialog took it, is up after this. Milliseconds. */
const HELD_MS = 2000

/** What an event makes of the track, and whether it is a press of a person. Pure. */
export function trackPress(track: Track, seen: Seen): { track: Track; isPressed: boolean } {
  const { at, isTrusted } = seen
  switch (seen.type) {
    case 'click':
      return {
        track: { ...track, clickedAt: at },
        isPressed: isTrusted && isOwnClick(track, seen),
      }
    case 'keydown': {
      if (!isTrusted || !isPressKey(seen.key)) return { track, isPressed: false }
      const isPressed = seen.isRepeat !== true && seen.isPress === true
      return { track: { ...track, heldAt: at }, isPressed }
    }
    case 'keyup':
      // The click of a space comes behind it, in the same task.
      return {
        track: isTrusted && isPressKey(seen.key) ? { ...track, heldAt: at } : track,
        isPressed: false,
      }
    default:
      return { track, isPressed: false }
  }
}

function isPressKey(key: string | undefined): boolean {
  return key === 'Enter' || key === ' '
}

/** A click that comes of nothing before it: of a pointer, or of assistive technology. */
function isOwnClick({ clickedAt, heldAt }: Track, { at, hasPointer, isActive }: Seen): boolean {
  if (clickedAt !== null && at - clickedAt < TASK_MS) return false
  if (hasPointer) return true
  if (heldAt !== null && at - heldAt < HELD_MS) return false
  return isActive !== false
}
