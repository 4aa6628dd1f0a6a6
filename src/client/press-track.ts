/** A pointer or key event, reduced to what shows whether a person has pressed something. */
export interface Seen {
  readonly type: string
  readonly isTrusted: boolean
  /** Milliseconds, on one clock for all frames. */
  readonly at: number
  /** Name of the key, for key events. */
  readonly key?: string
  /** The key is held down, for key events. */
  readonly isRepeat?: boolean
  /**
   * The target takes the key as a press, for key events. False for an Enter that ends a composition, and for a space in
   * a text.
   */
  readonly isPress?: boolean
  /** The click was made by a pointer. */
  readonly hasPointer?: boolean
  /** The browser reports that the person has just acted on the page, for clicks. */
  readonly isActive?: boolean
}

/** State that earlier events left behind. */
export interface Track {
  /** Time of a click in this task. Another click in the same task is caused by it: a label clicks its control. */
  readonly clickedAt: number | null
  /** Time of the newest event of an Enter or space key that is down, or was released in this task. */
  readonly heldAt: number | null
}

export const NO_TRACK: Track = { clickedAt: null, heldAt: null }

/** When a task counts as over if its end isn't noticed, as timers stand still. Milliseconds. */
const TASK_MS = 1000
/** When a key counts as released if its `keyup` wasn't seen, as a native dialog took it. Milliseconds. */
const HELD_MS = 2000

/** Updates the track with an event, and tells whether the event is a user gesture. Pure. */
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
      // The click of a space key follows its `keyup`, in the same task.
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

/** True for a click that no earlier event caused: by a pointer, or by assistive technology. */
function isOwnClick({ clickedAt, heldAt }: Track, { at, hasPointer, isActive }: Seen): boolean {
  if (clickedAt !== null && at - clickedAt < TASK_MS) return false
  if (hasPointer) return true
  if (heldAt !== null && at - heldAt < HELD_MS) return false
  return isActive !== false
}
