import type { TemplateResult } from 'lit'
import type { AgentTool, ConversationRecord } from '../../index.ts'
import type { Filtered, EventEntry } from './parts/event-log.ts'
import type { OpenedFile } from './parts/inspection-file.ts'
import type { ListWindow } from './list-window.ts'
import type { Recording } from './recording.ts'

export const TABS = ['timeline', 'events', 'journal', 'requests', 'tools'] as const
export type Tab = (typeof TABS)[number]

export const DETAILS = ['row', 'shown', 'state'] as const
export type Detail = (typeof DETAILS)[number]

/** The person's choices in the inspector. */
export interface Choices {
  tab: Tab
  detail: Detail
  /** Number of rows that are folded; null: all, including later ones. */
  position: number | null
  /** Key of the selected line in the timeline. */
  line: string | null
  event: EventEntry | null
  request: number | null
  tool: number | null
  type: string
  text: string
  isMerged: boolean
  /** Text about an error or a finished action. */
  notice: string
  /** Paths of the tree branches that a person has changed from their initial state. */
  readonly toggled: Set<string>
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
  showConversation(conversationId: string): void
  openFile(file: Blob & { readonly name?: string }): void
  closeFile(): void
  /** The sheet to report a problem; null: closed. */
  readonly sheet: { view(): TemplateResult } | null
  openSheet(): void
  /** Copies a test that replays the open file. */
  copyTest(): void
  copy(text: string, what: string): void
  /** Plays the current run's rows at their original pace. Only folds the rows; no tool runs. */
  play(): void
  stop(): void
}

/** Returns the number of rows that are folded now. */
export function positionOf({ recording, chosen }: InspectorContext): number {
  const count = recording?.journal.rows.length ?? 0
  return Math.min(chosen.position ?? count, count)
}
