import type { ConversationRecord } from '../protocol/conversation.ts'
import type { Row } from '../protocol/fact.ts'
import type {
  Append,
  Claim,
  ClaimOptions,
  ListedRecords,
  ListPage,
  TitleChange,
  Placement,
  RowRange,
  StoredRows,
} from '../worker/store/store.ts'

type ConversationRef = { readonly conversationId: string }

/**
 * Calls to the server by name, with their inputs and answers. Each call is one POST with an `HttpRequest` as its body.
 */
export interface HttpCalls {
  claim: { asks: ConversationRef & { readonly at: number } & ClaimOptions; answers: Claim }
  append: { asks: Omit<Append, 'strict'>; answers: Appended }
  place: { asks: Placement; answers: boolean }
  read: { asks: ConversationRef & RowRange; answers: StoredRows }
  get: { asks: ConversationRef; answers: ConversationRecord | null }
  list: { asks: ListPage; answers: ListedRecords }
  rename: { asks: ConversationRef & TitleChange; answers: boolean }
  mark: { asks: ConversationRef & { readonly broken: string | null }; answers: null }
  descendants: { asks: ConversationRef; answers: string[] }
  delete: { asks: ConversationRef; answers: boolean }
}

export type HttpCall = keyof HttpCalls

export type HttpRequest = {
  [Call in HttpCall]: {
    readonly call: Call
    /** `FORMAT` of the client. Everything from the client has this format. */
    readonly format: number
    /**
     * Number of the newest change that the client knew when it sent the request. A change is refused if its
     * conversation has changed since, because a proxy may deliver a request, or a copy of it, minutes later. Missing
     * from earlier clients.
     */
    readonly seen?: number
  } & HttpCalls[Call]['asks']
}[HttpCall]

/** Result of an append. */
export interface Appended {
  /** Record after the append. Null, for a repeat: the conversation has been deleted since. */
  readonly record: ConversationRecord | null
  /** Number of the first row. The sent rows follow in their order. */
  readonly first: number
  /** Rows that the first attempt wrote. Only in the answer to a repeated append. */
  readonly rows?: readonly Row[]
}

/** The body of each answer with the status 200. */
export interface HttpAnswer<Value> {
  /** Id of the tenant's store. A new id means different conversations. */
  readonly storeId: string
  /** Number of the tenant's newest change. Missing from earlier servers. */
  readonly change?: number
  readonly value: Value
}

/**
 * Content type of the stream that a GET returns. Its events contain changes. Their ids have the form `storeId.change`.
 */
export const EVENT_STREAM = 'text/event-stream'

/**
 * Maximum time between two lines of the stream. A line without a change only shows that the connection is alive.
 * Milliseconds.
 */
export const HEARTBEAT_MS = 15_000
