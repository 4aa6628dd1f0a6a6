import type { ErrorData } from '../../protocol/error.ts'
import type { RunResult } from '../../protocol/run.ts'
import type { RunInput } from '../api/options.ts'
import type { Run } from '../runs/run.ts'

/** An agent whose runs count as events. */
export interface RunningAgent {
  on(
    type: 'run',
    listener: (event: { readonly run: Run }) => void,
    options?: { readonly signal?: AbortSignal },
  ): () => void
}

/**
 * Source of events: `[target, name]`, a function that subscribes, or another agent, whose completed runs fire the
 * trigger.
 */
export type TriggerSource =
  | readonly [target: EventTarget, name: string]
  | ((fire: (event?: unknown) => void) => () => void)
  | RunningAgent

/** Argument of `run` and `eventId`. */
export type TriggerEventOf<On> = On extends readonly [EventTarget, string]
  ? CustomEvent
  : On extends (fire: (event: infer Event) => void) => unknown
    ? Event
    : On extends RunningAgent
      ? RunResult
      : undefined

/** Options of a trigger. Set exactly one of `on`, `every` and `at`. */
export interface TriggerOptions<On extends TriggerSource = never> {
  /** Identifies the trigger in all tabs and after reloads. Its state is stored under this id. */
  readonly id: string
  /** Name of the trigger, for people and models. One line. Default: the id. */
  readonly title?: string
  /**
   * Source of the events that fire the trigger: `[target, name]`, a function that subscribes, or another agent, whose
   * completed runs fire it.
   */
  readonly on?: On
  /**
   * Milliseconds between two firings. The first comes after one interval. A reload doesn't restart the interval. The
   * minimum is an hour divided by `perHour` (5 minutes by default), but at least 60 000. Lower values reject with
   * `invalid-config`.
   */
  readonly every?: number
  /**
   * Time at which the trigger fires once: milliseconds since 1970, or a `Date`. If the time passed while no page was
   * open, the trigger fires on the next visit, unless `missed` is `'skip'`.
   */
  readonly at?: number | Date
  /** The message that begins the run, or a function that returns it. If it returns null or undefined, no run begins. */
  readonly run:
    | string
    | ((
        event: TriggerEventOf<On>,
      ) => RunInput | null | undefined | Promise<RunInput | null | undefined>)
  /**
   * Returns an id for an event. Events with the same id start only one run, even in several tabs or after a reload.
   * Default: each event is new.
   */
  readonly eventId?: (event: TriggerEventOf<On>) => string | undefined
  /** Conversation of the runs. Default: the trigger's own conversation, the same for all runs. */
  readonly conversationId?: string
  /**
   * Whether the message may contain untrusted content. Default: true if `run` is a function, false if it is a string.
   */
  readonly untrustedContent?: boolean
  /** How often the trigger may fire in 60 minutes, over all tabs. Default 12. */
  readonly perHour?: number
  /** Whether `every` and `at` fire, once, if their time passed while no page was open. Default `'run'`. */
  readonly missed?: 'run' | 'skip'
  /**
   * False: while the page is hidden, events are ignored, and `every` and `at` wait until it is visible. Default true.
   */
  readonly whileHidden?: boolean
}

/** A trigger on this page. Values are those at the time of the request. */
export interface Trigger {
  readonly id: string
  readonly title: string
  readonly conversationId: string
  /** Time of the last firing, in milliseconds since 1970. Undefined if there was none. */
  readonly lastAt?: number
  /** Next time the trigger is due, for `every` and `at`. Milliseconds since 1970. */
  readonly nextAt?: number
  readonly isEnabled: boolean
  /** Enables or disables the trigger, in all tabs and on later visits. A disabled trigger doesn't fire. */
  setEnabled(isEnabled: boolean): Promise<void>
  /** Removes the trigger from this page. Runs that have begun continue; others don't start. */
  remove(): void
}

/**
 * Outcome of a firing: a run began, or the message waits for the end of the open run. No run begins if the limit was
 * reached or the trigger failed.
 */
export type TriggerOutcome = { readonly id: string; readonly conversationId: string } & (
  | { readonly outcome: 'started' | 'queued' | 'over-limit' }
  | { readonly outcome: 'failed'; readonly error: ErrorData }
)
