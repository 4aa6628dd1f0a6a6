import type { AgentTool, ConversationRecord } from '../index.ts'
import type { Filtered } from './parts/filtered.ts'
import type { EventEntry } from './parts/event-book.ts'
import type { OpenedFile } from './parts/inspection-file.ts'
import type { ListWindow } from './list-window.ts'
import type { Recording } from './recording.ts'

export const TABS = ['timeline', 'events', 'journal', 'requests', 'tools'] as const
export type Tab = (typeof TABS)[number]

export const DETAILS = ['row', 'shown', 'state'] as const
export type Detail = (typeof DETAILS)[number]

/** What a person has chosen to see. */
export interface Choices {
  tab: Tab
  detail: Detail
  /** How many rows are folded; null: all there are, also later. */
  position: number | null
  /** The line of the timeline that was pressed. */
  line: string | null
  event: EventEntry | null
  request: number | null
  tool: number | null
  type: string
  text: string
  isMerged: boolean
  /** The run that is to be exported; '' the whole conversation; null: nothing is. */
  exporting: string | null
  /** What went wrong, or was done. */
  notice: string
  /** Which branches of the tree on view are open, or closed where they are open at first. */
  readonly turned: Set<string>
}

export interface InspectorContext {
  readonly recording: Recording | null
  readonly conversations: readonly Pick<ConversationRecord, 'conversationId' | 'title'>[]
  readonly tools: readonly AgentTool[]
  readonly file: OpenedFile | null
  readonly hasAgent: boolean
  readonly chosen: Choices
  readonly list: ListWindow
  readonly filtered: Filtered<EventEntry>
  readonly isPlaying: boolean
  choose(change: Partial<Choices>): void
  toConversation(conversationId: string): void
  openFile(file: Blob & { readonly name?: string }): void
  closeFile(): void
  save(): void
  copy(text: string, what: string): void
  /** Plays the rows of the run on view, as they came: folds and nothing else. */
  play(): void
  stop(): void
}

/** How many rows are folded now. */
export function positionOf({ recording, chosen }: InspectorContext): number {
  const count = recording?.journal.rows.length ?? 0
  return Math.min(chosen.position ?? count, count)
}
