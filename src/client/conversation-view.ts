import type { ConversationSnapshot } from '../conversation/snapshot.ts'
import type { AnswerOptions, CallAnswers } from './call-answers.ts'
import type { ResumeOptions, RunInput, RunOptions } from './options.ts'
import type { Run, SendOptions } from './run.ts'
import type { SnapshotStore } from './snapshot-store.ts'

export type BranchOptions = Omit<RunOptions, 'conversationId' | 'history'>

/**
 * A conversation to follow, and the user's actions in it. Works with `useSyncExternalStore` and similar stores. Calls
 * are those of this conversation. Methods are bound.
 */
export interface Conversation extends SnapshotStore<ConversationSnapshot>, CallAnswers {
  /** The status is `'loading'` until the newest messages have loaded. Older messages load automatically. */
  getSnapshot(): ConversationSnapshot
  /**
   * Notifies at most once a frame, and once before a tool starts. Returns a function that unsubscribes. Starts the
   * worker.
   */
  subscribe(listener: () => void): () => void
  /**
   * Like the agent's `run`, in this conversation, with the user's input. `{{name}}` in it is replaced only if `values`
   * are passed. Pass `{}` to use the agent's own values.
   */
  send(input: RunInput, options?: Omit<RunOptions, 'conversationId'>): Run
  /**
   * Edits a user message. The run begins a new branch, which is shown from then on; the old one is kept
   * (`switchBranch`). Effects of tools aren't undone. `values` work as for `send`. The run's outcome reports errors:
   * - `invalid-input`: no such message, or not a user message.
   * - `calls-pending`: calls are waiting for something.
   * - `conversation-busy`: as for `send`.
   */
  edit(messageId: string, input: RunInput, options?: BranchOptions): Run
  /**
   * Has the model answer a user message again, in a branch beside the existing answer. `messageId` is that message, or
   * any message of its answer. Default: the newest. Errors as for `edit`.
   */
  regenerate(messageId?: string, options?: BranchOptions): Run
  /**
   * Sends a message to the open run, as `Run.send` does, whichever agent or tab drives the run. A run just started
   * here counts, too. Resolves to the message's id once it is stored. The message is in `queued` until the model gets
   * it. Null if no run is open.
   */
  steer(input: RunInput, options?: SendOptions): Promise<string | null>
  /** Withdraws a message from `queued`. False if it was already delivered or returned. */
  withdraw(messageId: string): Promise<boolean>
  /** Like the agent's `resume`, for this conversation. */
  resume(options?: ResumeOptions): Promise<Run | null>
  /** Like the agent's `continue`, for this conversation. */
  continue(): Promise<Run | null>
  /**
   * Aborts the open run, whichever agent or tab drives it. A handle on this page ends at once. True once the run has
   * ended as aborted. False if no run is open, or it ended otherwise. Rejects with `conversation-busy` if nobody could
   * end it.
   */
  abort(reason?: string): Promise<boolean>
  /**
   * Shows the most recently used branch under a message, and continues from there. False if there is no such message.
   * Rejects with `conversation-busy` while a run is open.
   */
  switchBranch(messageId: string): Promise<boolean>
  /**
   * Undoes a successful call with its tool's `undo`, on this page. The model is informed. The snapshot marks such
   * calls as `undoable`. False if the call was already undone, or an earlier undo was interrupted. Rejects with:
   * - `call-failed`: the tool failed. `details.status` is `'failed'`, `'not-begun'` (try again) or `'unknown'`.
   * - `conversation-busy`: a run is open.
   * - `consent-refused`: page tools may have clicked the button.
   */
  undo(toolCallId: string, options?: AnswerOptions): Promise<boolean>
  /**
   * Revokes a consent in the snapshot's `consents`: calls that haven't started yet request approval. False if the
   * consent is no longer in force. Works while a run is open, whichever tab drives it.
   */
  revoke(consentId: string): Promise<boolean>
  /**
   * Takes the run over from another tab, or from the device that has claimed it. The run continues here, with this
   * agent's tools and model. The other one's work is interrupted; options as for `resume`.
   */
  takeOver(options?: ResumeOptions): Promise<Run | null>
}
