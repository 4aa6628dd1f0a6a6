import type { ErrorData } from '../../protocol/error.ts'

/** What can be imported: what `export` gave, in whatever way it was kept. */
export type ConversationFile =
  | Blob
  | ReadableStream<Uint8Array<ArrayBuffer>>
  | AsyncIterable<Uint8Array>
  | string

export interface ImportReport {
  readonly imported: readonly {
    /** The id in the file, and the one that it has here: another one where that was taken. */
    readonly from: string
    readonly to: string
    /** It was damaged where it was exported, and ends before that. */
    readonly broken?: string
  }[]
  /** `conversationId` is null for what belongs to none: the file is cut off, or damaged between two. */
  readonly refused: readonly {
    readonly conversationId: string | null
    readonly error: ErrorData
  }[]
}
