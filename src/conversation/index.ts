/**
 * Builds a conversation from its stored facts, for exports, tests and tools. All functions are pure: they change
 * no input, never throw, and return the same object for unchanged parts. See docs/format.md.
 */
export { olderThan, windowed, withOlder } from './checkpoint.ts'
export { discussionId, readDiscussion, type DiscussionEntry } from './discussion.ts'
export { emptySnapshot } from './snapshot.ts'
export { emptyState } from './state.ts'
export { fold } from './fold.ts'
export { foldDelta, NOTHING_LIVE, settleLive } from './live.ts'
export {
  catchUpEvents,
  joinCursor,
  projectDelta,
  projectFact,
  startCursor,
  type Cursor,
  type Moment,
  type Projection,
} from './project.ts'
export { showInput, visibleText } from './show-input.ts'
export { resultOf } from './result.ts'
export type {
  ConversationSnapshot,
  ShownBranch,
  ShownCall,
  ShownConsent,
  ShownMessage,
  ShownRun,
} from './snapshot.ts'
export { leafUnder } from './tree.ts'
export { undoPlan, type KeptReason, type UndoPlan } from './undo-plan.ts'
export { view } from './view.ts'
export { Crc32 } from '../lib/crc32.ts'
export type { Delta } from '../protocol/delta.ts'
export { isUnfinished } from '../protocol/run.ts'
export { FORMAT, type Fact, type Row } from '../protocol/fact.ts'
export { FILE_VERSION } from '../protocol/fact.ts'
export type { Live } from '../protocol/delta.ts'
export type {
  CallState,
  ConversationState,
  MessageNode,
  OlderMessages,
  RunState,
} from '../protocol/state.ts'
