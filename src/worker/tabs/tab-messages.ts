import type { CallAnswer, SendMessage } from '../../protocol/worker-calls.ts'
import type { ErrorData } from '../../protocol/error.ts'
import { CONSENT_SPANS, type UserContent } from '../../protocol/fact.ts'
import type { Live } from '../../protocol/delta.ts'
import { LEASE_MESSAGES, type LeaseMessages } from '../ownership/lease.ts'
import type { TabShapes } from '../ownership/tab-channel.ts'
import { isOutput, isRunUsage, isUserContent, isVerdict } from '../store/fact-table.ts'
import {
  among,
  isBoolean,
  isNumber,
  isRecord,
  isText,
  listOf,
  nullOr,
  discriminatedUnion,
  optional,
  shape,
  type ShapeCheck,
} from '../../lib/shape.ts'
import { isDelta, isLive, type ShownDelta } from './check-live.ts'
import { isJson } from '../../lib/json/is-json.ts'

/** A command from one tab to the tab that drives a conversation's run. */
export type TabCommand =
  | {
      readonly type: 'answer'
      readonly toolCallId: string
      readonly answer: CallAnswer['answer']
      /** Page on which the answer was given. */
      readonly pageId: string
    }
  | { readonly type: 'abort'; readonly runId: string; readonly reason: string }
  | {
      readonly type: 'send'
      readonly runId: string
      readonly message: UserContent
      readonly when: SendMessage['when']
    }
  | { readonly type: 'withdraw'; readonly runId: string; readonly messageId: string }
  | { readonly type: 'revoke'; readonly runId: string; readonly consentId: string }

/** `pending`: the command is under way. `left`: the run is unfinished, and will be driven elsewhere. */
export type TabOutcome =
  | { readonly done: boolean }
  | { readonly error: ErrorData }
  | { readonly pending: true }
  | { readonly left: true }

/** Announcement of a tab that drives a run. */
export interface Driving {
  readonly conversationId: string
  /** Epoch of the tab's claim. If two tabs say that they drive a run, the tab with the newer epoch is believed. */
  readonly epoch: number
  /** Number of `follow-items` posted before. */
  readonly sent: number
}

/** Messages between the tab that drives a conversation and the tabs that follow it. */
export interface FollowMessages {
  /** The sender drives a run. Posted when it begins, and repeated while it lasts. */
  'run-driven': Driving
  /** The sender no longer drives the run. */
  'run-undriven': { readonly conversationId: string }
  /** The sender follows the conversation. `isBehind`: the sender missed items, or has just begun to follow. */
  'follow-ask': { readonly conversationId: string; readonly isBehind: boolean }
  /** Live state of the driver's stream. Later items follow. `to`: the tab that asked. */
  'follow-begin': Driving & { readonly to: string; readonly live: Live }
  /**
   * `isStored`: facts were committed. Followers read the facts from the store, because any script can post messages.
   */
  'follow-items': Driving & { readonly isStored: boolean; readonly deltas: readonly ShownDelta[] }
  /** `to`: the tab that drives the run. Null: any tab that drives it. */
  'command-ask': {
    readonly conversationId: string
    readonly to: string | null
    readonly commandId: string
    readonly command: TabCommand
  }
  'command-outcome': { readonly commandId: string; readonly outcome: TabOutcome }
  /** Asks whether a tab that shows the conversation has the tool. */
  'tool-ask': {
    readonly conversationId: string
    readonly toolName: string
    readonly askId: string
  }
  'tool-there': { readonly askId: string }
  /** Asks which conversations a tab shows or works on. */
  'use-ask': { readonly askId: string }
  'use-there': { readonly askId: string; readonly conversationIds: readonly string[] }
  /** The sender's page wants to resume the run, such as after a reload. */
  'run-wanted': { readonly conversationId: string }
  /** The conversation's record changed, or it was deleted. */
  'record-changed': { readonly conversationId: string }
}

export type TabMessages = LeaseMessages & FollowMessages

const error = shape({ code: isText, message: isText, retryable: isBoolean })
const conversationShape = shape({ conversationId: isText })
const driving = { conversationId: isText, epoch: isNumber, sent: isNumber }

const isPlainOutput: ShapeCheck = (value) => isOutput(value) && isJson(value)
const isPlainContent: ShapeCheck = (value) => isUserContent(value) && isJson(value)

const answer = discriminatedUnion('type', {
  approve: shape({
    input: optional(isJson),
    remember: optional(among(CONSENT_SPANS)),
    askedAt: optional(isNumber),
    shown: optional(isJson),
  }),
  deny: shape({ reason: optional(isText) }),
  answer: shape({ text: isText }),
  accept: shape({ content: (value) => isRecord(value) && isJson(value) }),
  decline: shape({}),
  cancel: shape({}),
  resolve: shape({
    verdict: isVerdict,
    output: optional(isPlainOutput),
  }),
  settle: shape({ output: isPlainOutput, usage: optional(isRunUsage) }),
})

const command = discriminatedUnion('type', {
  answer: shape({ toolCallId: isText, answer, pageId: isText }),
  abort: shape({ runId: isText, reason: isText }),
  send: shape({
    runId: isText,
    message: isPlainContent,
    when: among(['next-step', 'now', 'after-run', 'soonest']),
  }),
  withdraw: shape({ runId: isText, messageId: isText }),
  revoke: shape({ runId: isText, consentId: isText }),
})

const outcomes = [{ done: isBoolean }, { error }, { pending: isBoolean }, { left: isBoolean }].map(
  shape,
)

export const TAB_MESSAGES: TabShapes<TabMessages> = {
  ...LEASE_MESSAGES,
  'run-driven': shape(driving),
  'run-undriven': conversationShape,
  'follow-ask': shape({ conversationId: isText, isBehind: isBoolean }),
  'follow-begin': shape({ ...driving, to: isText, live: isLive }),
  'follow-items': shape({ ...driving, isStored: isBoolean, deltas: listOf(isDelta) }),
  'command-ask': shape({
    conversationId: isText,
    to: nullOr(isText),
    commandId: isText,
    command,
  }),
  'command-outcome': shape({
    commandId: isText,
    outcome: (value) => isRecord(value) && outcomes.some((fits) => fits(value)),
  }),
  'tool-ask': shape({ conversationId: isText, toolName: isText, askId: isText }),
  'tool-there': shape({ askId: isText }),
  'use-ask': shape({ askId: isText }),
  'use-there': shape({ askId: isText, conversationIds: listOf(isText) }),
  'run-wanted': conversationShape,
  'record-changed': conversationShape,
}
