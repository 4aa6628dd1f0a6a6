/** Words of others that the model's context holds, or that something in it was made of. */
export interface Taint {
  /** Whose: the title of the tool that returned them, the name of a server, `memory`. */
  readonly origin: string
  /** Of the call that brought them, from the outermost call inwards. Absent: no call did. */
  readonly path?: readonly string[]
  /** Of that call's tool, for people. */
  readonly title?: string
  /** Since when. Milliseconds since 1970. */
  readonly at: number
}

/** Why a person is asked about a call. */
export interface AskedBecause {
  /** The request that the call comes from held words of others. */
  readonly type: 'untrusted-content'
  /** As of `Taint`. */
  readonly origin: string
  readonly path?: readonly string[]
}

/**
 * What is asked about while the model's context holds words of others: effects that leave the app, destroy, or that
 * nothing is known of; all that isn't read-only; nothing.
 */
export type WhileTainted = 'ask-effects' | 'ask-writes' | 'allow'
