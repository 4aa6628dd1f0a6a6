import type { ConversationSnapshot } from '../conversation/snapshot.ts'
import type { CallAnswers } from './call-answers.ts'
import type { ResumeOptions, RunInput, RunOptions } from './options.ts'
import type { Run } from './run-handle.ts'
import type { SnapshotStore } from './snapshot-store.ts'

/**
 * A conversation to follow, made for `useSyncExternalStore` and its like, and what a person does in it: calls are
 * of this conversation. Its methods are bound.
 */
export interface Conversation extends SnapshotStore<ConversationSnapshot>, CallAnswers {
  /** Status `'loading'` until the newest messages are there; older ones come by themselves. */
  getSnapshot(): ConversationSnapshot
  /** At most one call a frame, and one before a tool starts. Returns its undo. Starts the worker. */
  subscribe(listener: () => void): () => void
  /** The agent's `run`, in this conversation. */
  send(input: RunInput, options?: Omit<RunOptions, 'conversationId'>): Run
  /** The agent's `resume`, of this conversation. */
  resume(options?: ResumeOptions): Promise<Run | null>
  /** The agent's `continue`, of this conversation. */
  continue(): Promise<Run | null>
  /**
   * Ends the open run, whichever agent or tab drives it. True once it has ended so, false when there is none or it
   * had another end; a handle on this page ends at once. Rejects when nobody could end it: `conversation-busy`.
   */
  abort(reason?: string): Promise<boolean>
  /**
   * Shows the branch that was used last under a message, and goes on from there. False when there is no such
   * message; `conversation-busy` while a run is open.
   */
  switchBranch(messageId: string): Promise<boolean>
  /** Has another tab hand over its run: it goes on here, with this agent's tools and model. */
  takeOver(): Promise<Run | null>
}
