import type { ConversationSnapshot } from '../conversation/snapshot.ts'
import type { AnswerOptions, CallAnswers } from './call-answers.ts'
import type { ResumeOptions, RunInput, RunOptions } from './options.ts'
import type { Run, SendOptions } from './run.ts'
import type { SnapshotStore } from './snapshot-store.ts'

export type BranchOptions = Omit<RunOptions, 'conversationId' | 'history'>

/**
 * A conversation to follow, made for `useSyncExternalStore` and its like, and what a person does in it: calls are
 * of this conversation. Its methods are bound.
 */
export interface Conversation extends SnapshotStore<ConversationSnapshot>, CallAnswers {
  /** Status `'loading'` until the newest messages are there; older ones come by themselves. */
  getSnapshot(): ConversationSnapshot
  /** At most one call a frame, and one before a tool starts. Returns its undo. Starts the worker. */
  subscribe(listener: () => void): () => void
  /**
   * The agent's `run`, in this conversation, of what a person typed: it is no template unless `values` are passed
   * (`{}`: the agent's own).
   */
  send(input: RunInput, options?: Omit<RunOptions, 'conversationId'>): Run
  /**
   * Writes a message of the person anew: the run begins a branch beside it, which is shown from then on; the
   * other one is kept (`switchBranch`). No effect of a tool is undone. What can go wrong is the run's outcome:
   * `invalid-input` when there is no such message, or a person didn't write it; `calls-pending` while calls
   * wait for something; `conversation-busy` as for `send`. Values as for `send`.
   */
  edit(messageId: string, input: RunInput, options?: BranchOptions): Run
  /**
   * Has the model answer anew what a person wrote, as a branch beside the answer that there is. `messageId`: that
   * message, or any of its answer; default: the newest. Errors as for `edit`.
   */
  regenerate(messageId?: string, options?: BranchOptions): Run
  /**
   * Says something to the open run, whichever agent or tab drives it, as `Run.send` does, or to the one that was just
   * asked for here. Resolves to the message's id once it is stored, and shown in `queued` until the model gets it; null:
   * no run is open.
   */
  steer(input: RunInput, options?: SendOptions): Promise<string | null>
  /** Takes a message of `queued` back. False when it was delivered, or returned, before. */
  withdraw(messageId: string): Promise<boolean>
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
  /**
   * Has the tool of a call that succeeded undo what it did (`undoable` in the snapshot), on this page. The model is told.
   * False when there is nothing to undo: it is undone, or was begun and cut off. Rejects with `call-failed` when the
   * tool could not (`details.status`: `'failed'`, `'not-begun'`: try again; `'unknown'`), with `conversation-busy` while a run
   * is open, with `consent-refused` where page tools may have pressed the button.
   */
  undo(toolCallId: string, options?: AnswerOptions): Promise<boolean>
  /**
   * Ends a consent of the snapshot's `consents`: calls that have not started yet are asked about. False when it isn't in
   * force any more. Works while a run is open, whichever tab drives it.
   */
  revoke(consentId: string): Promise<boolean>
  /**
   * Has another tab hand over its run, or fences off the device that has claimed it: it goes on here, with this agent's tools
   * and model. Options as for `resume`: what the other one was doing is cut off.
   */
  takeOver(options?: ResumeOptions): Promise<Run | null>
}
