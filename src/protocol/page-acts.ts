/**
 * What page tools did to the page, kept so that a press of theirs isn't taken for a person's. Plain data
 * in one place for all copies of the package, those in frames of the same origin included.
 */
export interface PageActs {
  /** Spans of acting that are open now. */
  open: number
  /** Begins and ends of spans so far. */
  turns: number
  /** `turns` at the last press of a person that was seen. */
  pressed: number
  /** Until then a user activation may be one from before the last end. Milliseconds since 1970. */
  staleUntil: number
}

const KEY: unique symbol = Symbol.for('offstage.page-acts.1')

type Realm = typeof globalThis & { [KEY]?: PageActs }

export function pageActs(): PageActs {
  return (outermost()[KEY] ??= { open: 0, turns: 0, pressed: -1, staleUntil: 0 })
}

/** Undefined where the browser doesn't say; a press in any frame activates the outermost one. */
export function hasUserActivation(): boolean | undefined {
  return outermost().navigator?.userActivation?.isActive
}

/**
 * Whether a person may have pressed something since page tools last acted. Where the browser doesn't say
 * whether the activation is recent, only a press that was seen counts.
 */
export function isPersonActing({ open, turns, pressed, staleUntil }: PageActs): boolean {
  if (open) return false
  const isActive = hasUserActivation()
  return pressed === turns ? isActive !== false : isActive === true && Date.now() > staleUntil
}

/** The outermost window around that may be reached, which frames of one origin have in common. */
export function outermost(): Realm {
  let found: Realm = globalThis
  for (let at: Window | undefined = globalThis.window; at && at !== at.parent;) {
    at = at.parent
    try {
      if (at.document) found = at as Window & Realm
    } catch {
      // Of another origin. One of this origin may be around it.
    }
  }
  return found
}
