import type { ConversationSnapshot } from '../conversation/snapshot.ts'
import type { Agent, ResumeOptions } from './agent.ts'
import type { RunInput, RunOptions } from './options.ts'
import type { Run } from './run-handle.ts'
import type { SnapshotStore } from './snapshot-store.ts'

/** The agent's own; a call is one of this conversation, whatever else its reference says. */
type AnswerCalls = Pick<
  Agent,
  'approve' | 'deny' | 'answer' | 'supplyOutput' | 'resolveInterrupted'
>

/**
 * A conversation to follow, made for `useSyncExternalStore` and its like, and what a person does in it. Its
 * methods are bound.
 */
export interface Conversation extends SnapshotStore<ConversationSnapshot>, AnswerCalls {
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
  /** Ends the open run, whichever agent or tab drives it. False when there is none. */
  abort(reason?: string): Promise<boolean>
  /**
   * Shows the branch that was used last under a message, and goes on from there. False when there is no such
   * message; `conversation-busy` while a run is open.
   */
  switchBranch(messageId: string): Promise<boolean>
  /** Has another tab hand over its run: it goes on here, with this agent's tools and model. */
  takeOver(): Promise<Run | null>
}
