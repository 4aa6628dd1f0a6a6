/**
 * Record of page tools' actions, so that their synthetic clicks aren't taken for user gestures. Plain data, shared by
 * all copies of the package, including those in same-origin frames.
 */
export interface PageActs {
  /** Number of page actions in progress. */
  open: number
  /** Number of starts and ends of page actions so far. */
  turns: number
  /** Value of `turns` at the last user gesture. */
  pressed: number
  /** Time in milliseconds since 1970. Before it, an active user activation may be older than the last page action. */
  staleUntil: number
}

const KEY: unique symbol = Symbol.for('offstage.page-acts.1')

type Realm = typeof globalThis & { [KEY]?: PageActs }

export function pageActs(): PageActs {
  return (outermost()[KEY] ??= { open: 0, turns: 0, pressed: -1, staleUntil: 0 })
}

/**
 * Whether a recent user gesture is still active. Undefined if the browser has no `navigator.userActivation`. A gesture
 * in any frame activates the outermost window, too.
 */
export function hasUserActivation(): boolean | undefined {
  return outermost().navigator?.userActivation?.isActive
}

/**
 * Returns whether a user gesture may have happened since page tools last acted. If the browser has no `userActivation`,
 * only a gesture that an event reported counts.
 */
export function isPersonActing({ open, turns, pressed, staleUntil }: PageActs): boolean {
  if (open) return false
  const isActive = hasUserActivation()
  return pressed === turns ? isActive !== false : isActive === true && Date.now() > staleUntil
}

/** Returns the outermost accessible window, which all frames of one origin share. */
export function outermost(): Realm {
  let realm: Realm = globalThis
  for (
    let current: Window | undefined = globalThis.window;
    current && current !== current.parent;
  ) {
    current = current.parent
    try {
      if (current.document) realm = current as Window & Realm
    } catch {
      // `current` is cross-origin, but a window further out may be same-origin again.
    }
  }
  return realm
}
