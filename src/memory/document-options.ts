import type { OffstageError } from '../protocol/error.ts'
import type { MemorySource } from '../protocol/page-calls.ts'
import type { Row } from '../protocol/fact.ts'
import type { MemoryOptions } from './options.ts'
import type { Embed } from './vectors.ts'

/** URL of a page, a file, or a described document. */
export type DocumentSource = string | URL | File | DescribedSource

/** Document with its own name and title. The first of `text`, `blob` and `url` is indexed. */
export interface DescribedSource {
  /** Unique among the sources. Default: the URL. */
  readonly name?: string
  /** Title for people. Default: the page's own title, otherwise the name. */
  readonly title?: string
  /** URL of a page to read. With `text` or `blob`, only the link that people see. */
  readonly url?: string | URL
  /** Plain text, or Markdown. */
  readonly text?: string
  /** Content of a file: HTML, Markdown or text. Other kinds need `read`. */
  readonly blob?: Blob
}

/** Options of `documentMemory`. Only `sources` is required. */
export interface DocumentMemoryOptions extends Pick<MemoryOptions, 'storage'> {
  /** Documents to index. A function is called for each `index()`. */
  readonly sources:
    | readonly DocumentSource[]
    | ((options: {
        readonly signal?: AbortSignal
      }) => readonly DocumentSource[] | Promise<readonly DocumentSource[]>)
  /**
   * Name of these documents for the model and in the storage. Each list of sources needs a different name. Default
   * `'documents'`.
   */
  readonly name?: string
  /** Tells the model what the documents are about. */
  readonly description?: string
  /**
   * Returns the text of a file or page, such as a PDF, with headings as Markdown. Null: the content is read as HTML or
   * text. Not called for sources with a `text`.
   */
  readonly read?: (
    blob: Blob,
    options: { readonly name: string; readonly signal?: AbortSignal },
  ) => string | null | undefined | Promise<string | null | undefined>
  /** Returns one vector for each text, in the same order and all of the same length. Requires `model`. */
  readonly embed?: Embed
  /** Name of the model that `embed` uses. */
  readonly model?: string
  /** True if the app's authors wrote all documents: they don't taint a conversation. Default false. */
  readonly trusted?: boolean
  /** Whether the model gets the tool `recall`. Default true. */
  readonly tools?: boolean
}

/** Source of a part: the document's title and URL, and the headings above the part. */
export interface DocumentPlace extends MemorySource {
  readonly heading?: string
}

/** A search result: a part of a document. */
export interface DocumentPart {
  readonly id: string
  /** Title, headings, and the part itself. */
  readonly text: string
  /** Name of the document. */
  readonly name: string
  readonly source: DocumentPlace
  readonly untrusted?: boolean
}

/** Document in the index, as `documents()` lists it. */
export interface IndexedDocument {
  readonly name: string
  readonly title: string
  readonly url?: string
  /** Number of parts. */
  readonly parts: number
  /** Time of indexing, in milliseconds since 1970. */
  readonly at: number
}

/** Result of an `index()`. Sources are listed by name. */
export interface IndexReport {
  readonly indexed: readonly string[]
  readonly unchanged: readonly string[]
  /** Documents that are no longer among the sources. */
  readonly removed: readonly string[]
  /** Documents that could not be indexed. Searches still find their earlier versions, if any. */
  readonly failed: readonly { readonly name: string; readonly error: OffstageError }[]
  /** `'memory'`: the index is lost with the page, because the storage is blocked or full (`storageError`). */
  readonly storage: 'durable' | 'memory'
  readonly storageError?: OffstageError
}

/** Options of `DocumentMemory.index`. */
export interface IndexOptions {
  /** Stops indexing. Documents that are already indexed stay. */
  readonly signal?: AbortSignal
}

/** Options of a search in documents. */
export interface FoundOptions extends IndexOptions {
  /** Maximum number of results. Default 20. */
  readonly limit?: number
}

/** The part of an `<offstage-chat>` that `showSources` uses. */
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
    /** Called for each answer. An answer without a time is still being written. */
    sources?(answer: { readonly id: string; readonly at?: number }): readonly MemorySource[]
  }
}
