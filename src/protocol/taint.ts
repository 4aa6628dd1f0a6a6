/** Untrusted content in the model's context, or from which content in the context was derived. */
export interface Taint {
  /** Source of the content: the title of the tool that returned it, the name of a server, or `memory`. */
  readonly origin: string
  /** Path of the call that returned the content, outermost call first. Undefined if no call did. */
  readonly path?: readonly string[]
  /** Display title of that call's tool. */
  readonly title?: string
  /** When the content entered the context, in milliseconds since 1970. */
  readonly at: number
}

/** Why approval of a call is required. */
export interface ApprovalReason {
  /** The request that led to the call contained untrusted content. */
  readonly type: 'untrusted-content'
  /** Source of that content, as in `Taint`. */
  readonly origin: string
  readonly path?: readonly string[]
}

/**
 * Calls that need approval while the context is tainted.
 * `ask-effects`: calls that leave the app, destroy data or have unknown effects. `ask-writes`: all calls that aren't
 * read-only. `allow`: none.
 */
export type WhileTainted = 'ask-effects' | 'ask-writes' | 'allow'

/** A global symbol, so that all copies of the package recognize each other's marks. */
const KEY: unique symbol = Symbol.for('offstage.words-of-others')

interface Marked {
  readonly [KEY]: string
  readonly result: unknown
}

/**
 * Marks one result of a tool as untrusted, for tools with both trusted and untrusted results. `origin`: source of the
 * content.
 */
export function markUntrusted(origin: string, result: unknown): unknown {
  const marked: Marked = { [KEY]: origin, result }
  return marked
}

/** Returns a tool's result without the mark, and the source of its untrusted content if it was marked. */
export function unwrapUntrusted(returned: unknown): {
  readonly result: unknown
  readonly untrusted?: string
} {
  if (!isMarked(returned)) return { result: returned }
  return { result: returned.result, untrusted: returned[KEY] }
}

function isMarked(returned: unknown): returned is Marked {
  return typeof returned === 'object' && returned !== null && KEY in returned
}
