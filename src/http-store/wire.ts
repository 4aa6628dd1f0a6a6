import type { ConversationRecord } from '../protocol/conversation.ts'
import type { Row } from '../protocol/fact.ts'
import type {
  Append,
  Claim,
  ClaimOptions,
  ListedRecords,
  ListPage,
  Name,
  Placement,
  RowRange,
  StoredRows,
} from '../worker/store/store.ts'

type Of = { readonly conversationId: string }

/** What is asked of the server, by name, and what it answers. Each is one POST, whose body is the `HttpRequest`. */
export interface HttpCalls {
  claim: { asks: Of & { readonly at: number } & ClaimOptions; answers: Claim }
  append: { asks: Omit<Append, 'strict'>; answers: Appended }
  place: { asks: Placement; answers: boolean }
  read: { asks: Of & RowRange; answers: StoredRows }
  get: { asks: Of; answers: ConversationRecord | null }
  list: { asks: ListPage; answers: ListedRecords }
  rename: { asks: Of & Name; answers: boolean }
  mark: { asks: Of & { readonly broken: string | null }; answers: null }
  descendants: { asks: Of; answers: string[] }
  delete: { asks: Of; answers: boolean }
}

export type HttpCall = keyof HttpCalls

export type HttpRequest = {
  [Call in HttpCall]: {
    readonly call: Call
    /** `FORMAT` of the client: what it writes is of no other one. */
    readonly format: number
    /**
     * Number of the newest change that the client knew of when it sent this. What changes a conversation is refused if that
     * has changed since: a proxy may deliver the request, or a copy of it, minutes later. Missing from earlier clients.
     */
    readonly seen?: number
  } & HttpCalls[Call]['asks']
}[HttpCall]

/** What an append came to. */
export interface Appended {
  /** After it; null: the conversation was deleted since, of a repeat. */
  readonly record: ConversationRecord | null
  /** Where its first row is. The rows are those that were sent, in their places. */
  readonly first: number
  /** Of a repeat: the rows that were written then. */
  readonly rows?: readonly Row[]
}

/** The body of each answer with the status 200. */
export interface HttpAnswer<Value> {
  /** Names the tenant's store: another one than before has other conversations. */
  readonly storeId: string
  /** Number of the tenant's newest change. Missing from earlier servers. */
  readonly change?: number
  readonly value: Value
}

/** In the events of the stream that a GET returns, whose ids are `storeId.change`. */
export const EVENT_STREAM = 'text/event-stream'

/** A line that says only that the connection is there comes at least so often. Milliseconds. */
export const HEARTBEAT_MS = 15_000
