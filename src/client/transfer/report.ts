import type { ErrorData } from '../../protocol/error.ts'

/** A file that `export` made, in whatever form it was kept. */
export type ConversationFile =
  | Blob
  | ReadableStream<Uint8Array<ArrayBuffer>>
  | AsyncIterable<Uint8Array>
  | string

export interface ImportReport {
  readonly imported: readonly {
    /** Id in the file, and id here, which is another one if the first was taken. */
    readonly from: string
    readonly to: string
    /** Set if the conversation was damaged where it was exported. It ends before the damage. */
    readonly broken?: string
  }[]
  /** `conversationId` is null for damage outside a conversation: the file is cut off, or damaged between two. */
  readonly refused: readonly {
    readonly conversationId: string | null
    readonly error: ErrorData
  }[]
}
