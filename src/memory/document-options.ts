import type { OffstageError } from '../protocol/error.ts'
import type { MemorySource } from '../protocol/memory.ts'
import type { Row } from '../protocol/fact.ts'
import type { MemoryOptions } from './options.ts'
import type { Embed } from './vectors.ts'

/** An address of a page, a file, or a document that says what it consists of. */
export type DocumentSource = string | URL | File | DescribedSource

export interface DescribedSource {
  /** Unique among the sources. Default: the address. */
  readonly name?: string
  /** For people. Default: the page's own title, else the name. */
  readonly title?: string
  /** Read as a page where there is neither text nor blob. Else the link that people are shown. */
  readonly url?: string | URL
  /** Plain text, or Markdown. */
  readonly text?: string
  readonly blob?: Blob
}

export interface DocumentMemoryOptions extends Pick<MemoryOptions, 'storage'> {
  /** A function is asked with each `index()`. */
  readonly sources:
    | readonly DocumentSource[]
    | ((options: {
        readonly signal?: AbortSignal
      }) => readonly DocumentSource[] | Promise<readonly DocumentSource[]>)
  /** Names these documents for the model and in the storage. One name is for one list of sources. Default `'documents'`. */
  readonly name?: string
  /** For the model: what the documents are about. */
  readonly description?: string
  /**
   * Text of a file or page, Markdown headings included, for example of a PDF. Null: it is read as HTML or text. Not
   * called for what is given as `text`.
   */
  readonly read?: (
    blob: Blob,
    options: { readonly name: string; readonly signal?: AbortSignal },
  ) => string | null | undefined | Promise<string | null | undefined>
  /** Vectors of one length for these texts, in their order. Needs `model`. */
  readonly embed?: Embed
  /** Names the model of `embed`. */
  readonly model?: string
  /** The app has written all of the documents: they don't taint a conversation. Default false. */
  readonly trusted?: boolean
  /** Whether the model gets the tool `recall`. Default true. */
  readonly tools?: boolean
}

/** Where a part is from: the document's title and address, and the headings above it. */
export interface DocumentPlace extends MemorySource {
  readonly heading?: string
}

/** A part of a document that was found. */
export interface DocumentPart {
  readonly id: string
  /** Title, headings, and the part itself. */
  readonly text: string
  /** Name of the document. */
  readonly name: string
  readonly source: DocumentPlace
  readonly untrusted?: boolean
}

export interface IndexedDocument {
  readonly name: string
  readonly title: string
  readonly url?: string
  /** How many parts it was cut into. */
  readonly parts: number
  /** When it was indexed, in milliseconds since 1970. */
  readonly at: number
}

/** What an index came to, by the names of the sources. */
export interface IndexReport {
  readonly indexed: readonly string[]
  readonly unchanged: readonly string[]
  /** Documents that are no longer among the sources. */
  readonly removed: readonly string[]
  /** What was indexed of these before is still found. */
  readonly failed: readonly { readonly name: string; readonly error: OffstageError }[]
  /** `'memory'`: gone with the page, since the storage is refused or full (`storageError`). */
  readonly storage: 'durable' | 'memory'
  readonly storageError?: OffstageError
}

export interface IndexOptions {
  /** Documents that were done are kept. */
  readonly signal?: AbortSignal
}

export interface FoundOptions extends IndexOptions {
  /** Default 20. */
  readonly limit?: number
}

/** What `showSources` needs of an `<offstage-chat>`. */
export interface SourcesChat {
  readonly agent: {
    readonly conversations: {
      list(): Promise<readonly { readonly conversationId: string }[]>
      rows(
        conversationId: string,
        options: { readonly after: number },
      ): Promise<{ readonly rows: readonly Row[]; readonly hasMore: boolean } | null>
    }
  } | null
  answers: {
    /** Asked for each answer; one without a time is being written. */
    sources?(answer: { readonly id: string; readonly at?: number }): readonly MemorySource[]
  }
}
