import type { ErrorData } from '../../protocol/error.ts'
import type { RunResult } from '../../protocol/run.ts'
import type { RunInput } from '../options.ts'
import type { Run } from '../run.ts'

/** An agent whose runs count as events. */
export interface RunningAgent {
  on(
    type: 'run',
    listener: (event: { readonly run: Run }) => void,
    options?: { readonly signal?: AbortSignal },
  ): () => void
}

/** An event of the app by target and name, a function that subscribes, or another agent, whose completed runs count. */
export type TriggerSource =
  | readonly [target: EventTarget, name: string]
  | ((fire: (event?: unknown) => void) => () => void)
  | RunningAgent

/** What `run` and `eventId` get. */
export type TriggerEventOf<On> = On extends readonly [EventTarget, string]
  ? CustomEvent
  : On extends (fire: (event: infer Event) => void) => unknown
    ? Event
    : On extends RunningAgent
      ? RunResult
      : undefined

/** Give one of `on`, `every` and `at`. */
export interface TriggerOptions<On extends TriggerSource = never> {
  /** The same in each tab and after each reload: what is stored of the trigger has this name. */
  readonly id: string
  /** Name of the trigger, for people and models. One line. Default: the id. */
  readonly title?: string
  readonly on?: On
  /** Milliseconds, counted over reloads. At least 60 000, and no more often than `perHour`. */
  readonly every?: number
  /** Once. Milliseconds since 1970, or a `Date`. */
  readonly at?: number | Date
  /** The message that begins the run, or a function that makes it. Of null or undefined, no run begins. */
  readonly run:
    | string
    | ((
        event: TriggerEventOf<On>,
      ) => RunInput | null | undefined | Promise<RunInput | null | undefined>)
  /** Names an event, so that several tabs, or a reload, that get it start one run. Default: each event is another one. */
  readonly eventId?: (event: TriggerEventOf<On>) => string | undefined
  /** Default: a conversation of its own, the same each time. */
  readonly conversationId?: string
  /**
   * Others may have written the message, in whole or in part. Default: true if `run` is a function, false if it is a
   * text.
   */
  readonly untrustedContent?: boolean
  /** How often it may fire in 60 minutes, over all tabs. Default 12. */
  readonly perHour?: number
  /** `every` and `at`: whether a time that came while no page was open is made up for, once. Default `'run'`. */
  readonly missed?: 'run' | 'skip'
  /** False: events that come while the page is hidden are ignored, and times wait until it is visible. Default true. */
  readonly whileHidden?: boolean
}

/** A trigger of this page, as it was when it was asked for. */
export interface Trigger {
  readonly id: string
  readonly title: string
  readonly conversationId: string
  /** Milliseconds since 1970. Absent: it has not fired. */
  readonly lastAt?: number
  /** When it is due, of `every` and `at`. */
  readonly nextAt?: number
  readonly isEnabled: boolean
  /** Stored for all tabs and later visits: a trigger that is disabled doesn't fire. */
  setEnabled(isEnabled: boolean): Promise<void>
  /** Ends it on this page. What is about to begin doesn't, and runs that have begun go on. */
  remove(): void
}

/**
 * What came of a trigger that fired: a run began, or the message waits for the end of the open run. Over the limit, or
 * if it failed, no run begins.
 */
export type TriggerOutcome = { readonly id: string; readonly conversationId: string } & (
  | { readonly outcome: 'started' | 'queued' | 'over-limit' }
  | { readonly outcome: 'failed'; readonly error: ErrorData }
)
