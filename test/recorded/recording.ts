import type { ConversationSnapshot } from '../../src/index.ts'
import type { StoredConversation } from '../../src/protocol/conversation.ts'
import type { RunEventBody } from '../../src/protocol/event.ts'
import type { Fact } from '../../src/protocol/fact.ts'
import type { JsonValue } from '../../src/protocol/json.ts'
import type { Message } from '../../src/protocol/message.ts'
import type { RunResult } from '../../src/protocol/run.ts'
import type { Plain } from './compared/plain.ts'

/** A run as one handle had it. */
export interface RecordedRun {
  /** Which agent held the handle. */
  readonly agent: string
  readonly runId: string
  readonly conversationId: string
  readonly events: readonly RunEventBody[]
  /** Null: the page died before. */
  readonly result: RunResult | null
}

export type RecordedRow = Fact & { readonly runId: string | null; readonly at: number }

export interface RecordedConversation {
  readonly journal: readonly RecordedRow[]
  /** The stored conversation at the end, as `conversations.get` returns it. */
  readonly stored: StoredConversation | null
}

/**
 * A request to the model. `sameAsBefore` counts the messages shared with the previous request; `messages` are those
 * that follow.
 */
export interface RecordedRequest {
  readonly sameAsBefore: number
  readonly messages: readonly Message[]
  readonly toolMode?: string
  readonly trailer?: string
}

/** All that can be seen of a scenario from outside, in one place. */
export interface Recording {
  readonly runs: readonly RecordedRun[]
  readonly conversations: { readonly [conversationId: string]: RecordedConversation }
  /** The distinct snapshots of each followed conversation, by agent and conversation. */
  readonly snapshots: { readonly [view: string]: readonly ConversationSnapshot[] }
  readonly requests: readonly RecordedRequest[]
  /** Calls that tools ran, in order. */
  readonly executions: readonly JsonValue[]
  /** The agents' answers to commands, in order. */
  readonly answers: readonly JsonValue[]
  /** Warnings outside of runs, and lost workers. */
  readonly notices: readonly JsonValue[]
}

/** A recording of the code before format 2, as the fixtures hold it. */
export interface OldRecording extends Omit<Recording, 'conversations' | 'snapshots'> {
  readonly conversations: {
    readonly [conversationId: string]: {
      readonly journal: readonly Plain[]
      readonly stored: Plain | null
    }
  }
  readonly snapshots: { readonly [view: string]: readonly Plain[] }
}
