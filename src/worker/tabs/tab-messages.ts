import type { CallAnswer } from '../../protocol/commands.ts'
import type { ErrorData } from '../../protocol/error.ts'
import type { Live } from '../../protocol/live.ts'
import type { StreamItem } from '../../protocol/stream.ts'
import { LEASE_MESSAGES, type LeaseMessages } from '../ownership/lease-messages.ts'
import type { TabShapes } from '../ownership/tab-channel.ts'
import {
  isFlag,
  isNumber,
  isRecord,
  isText,
  listOf,
  oneOf,
  optional,
  shape,
} from '../store/shape.ts'

/** What one tab asks of the tab that drives a conversation's run. */
export type TabCommand =
  | {
      readonly type: 'answer'
      readonly toolCallId: string
      readonly answer: CallAnswer['answer']
    }
  | { readonly type: 'abort'; readonly runId: string; readonly reason: string }

/** `pending`: it is under way. */
export type TabOutcome =
  | { readonly done: boolean }
  | { readonly error: ErrorData }
  | { readonly pending: true }

/** What tabs that follow a conversation and the one that drives it post to each other. */
export interface FollowMessages {
  /** A run is driven here from now on: whoever shows the conversation may follow it. */
  'run-driven': { readonly conversationId: string }
  'follow-ask': { readonly conversationId: string }
  /** Where the driver's stream stands; what is published follows it. `to`: of the tab that asked. */
  'follow-begin': {
    readonly conversationId: string
    readonly to: string
    readonly seq: number
    readonly live: Live
  }
  /** Whether the run is driven there still: a tab that is closed or frozen doesn't answer. */
  'driver-ask': { readonly conversationId: string }
  'driver-alive': { readonly conversationId: string }
  'follow-items': { readonly conversationId: string; readonly items: readonly StreamItem[] }
  'command-ask': {
    readonly conversationId: string
    readonly commandId: string
    readonly command: TabCommand
  }
  'command-outcome': { readonly commandId: string; readonly outcome: TabOutcome }
  /** The page of this tab wants to go on with the run: it was reloaded, for example. */
  'run-wanted': { readonly conversationId: string }
  /** The conversation began, was renamed, cleared or deleted, or a run of it began or ended. */
  'record-changed': { readonly conversationId: string }
}

export type TabMessages = LeaseMessages & FollowMessages

const error = shape({ code: isText, message: isText, retryable: isFlag })
const ofConversation = shape({ conversationId: isText })

const answer = oneOf('type', {
  approve: shape({}),
  deny: shape({ reason: optional(isText) }),
  answer: shape({ text: isText }),
  resolve: shape({ verdict: isText }),
})

const command = oneOf('type', {
  answer: shape({ toolCallId: isText, answer }),
  abort: shape({ runId: isText, reason: isText }),
})

export const TAB_MESSAGES: TabShapes<TabMessages> = {
  ...LEASE_MESSAGES,
  'run-driven': ofConversation,
  'follow-ask': ofConversation,
  'follow-begin': shape({ conversationId: isText, to: isText, seq: isNumber, live: isRecord }),
  'driver-ask': ofConversation,
  'driver-alive': ofConversation,
  'follow-items': shape({ conversationId: isText, items: listOf(isRecord) }),
  'command-ask': shape({ conversationId: isText, commandId: isText, command }),
  'command-outcome': shape({
    commandId: isText,
    outcome: (value) =>
      [{ done: isFlag }, { error }, { pending: isFlag }].some((fields) => shape(fields)(value)),
  }),
  'run-wanted': ofConversation,
  'record-changed': ofConversation,
}
