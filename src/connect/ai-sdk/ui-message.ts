import type { JsonValue, PendingCall, PlanItem, RunUsage } from '../../index.ts'

// The parts of the AI SDK's messages and chunks that are used here. They are structural, so no version's types have to
// be installed. test/ai-sdk compares them with the AI SDK's own.

/** Text or reasoning in a chat message. `streaming`: more is to come. */
export interface UITextPart {
  type: 'text' | 'reasoning'
  text: string
  state?: 'streaming' | 'done'
}

/** File in a chat message. `url` may be a `data:` URL. */
export interface UIFilePart {
  type: 'file'
  mediaType: string
  filename?: string
  url: string
}

/** Approval request for a call. Its id is the call's. */
export interface UIApproval {
  id: string
  /** The call's description of what it is about to act on. */
  requestReason?: string
  /** `about` and `because` of the pending call. */
  descriptor?: unknown
}

interface UIToolBase {
  type: `tool-${string}`
  toolCallId: string
  title?: string
}

/** Call in a chat message, told apart by `state`. */
export type UIToolPart = UIToolBase &
  (
    | { state: 'input-streaming'; input: undefined; rawInput: string }
    | { state: 'input-available'; input: JsonValue }
    | { state: 'approval-requested'; input: JsonValue; approval: UIApproval & { approved?: never } }
    | {
        state: 'approval-responded'
        input: JsonValue
        approval: UIApproval & { approved: boolean; reason?: string }
      }
    | {
        state: 'output-available'
        input: JsonValue
        output: unknown
        /** True for progress that the tool reports while it runs. */
        preliminary?: boolean
      }
    | { state: 'output-error'; input: JsonValue | undefined; errorText: string }
    | {
        state: 'output-denied'
        input: JsonValue
        approval: UIApproval & { approved: false; reason?: string }
      }
  )

/** User message that was sent to the open run, from this chat or elsewhere. Version 6 ignores it. */
export interface UISteeringPart {
  type: 'steering-message'
  id: string
  parts: ({ type: 'text'; text: string } | UIFilePart)[]
}

/** Parts whose order counts. */
export type UIOrderedPart =
  | { type: 'step-start' }
  | UITextPart
  | UIFilePart
  | UIToolPart
  | UISteeringPart

/** Parts identified by an id, without an order. */
export type UIDataPart =
  | { type: 'data-plan'; id: 'plan'; data: readonly PlanItem[] }
  /** Pending approvals, and questions with their fields. Includes those of called agents. */
  | { type: 'data-waiting'; id: 'waiting'; data: readonly PendingCall[] }

/** Metadata of the last answer. */
export interface UIMetadata {
  usage?: RunUsage
  /** How its run ended. */
  outcome?: string
}

/** Message for `useChat`, with the parts that Offstage writes. */
export interface OffstageUIMessage {
  id: string
  role: 'user' | 'assistant' | 'system'
  metadata?: UIMetadata
  /** Parts of the types that versions 6 and 7 share. Messages of version 7 may also contain a `UISteeringPart`. */
  parts: (Exclude<UIOrderedPart, UISteeringPart> | UIDataPart)[]
}

/** A chat's message, with any parts and metadata. */
export interface UIMessageLike {
  readonly id: string
  readonly role: string
  readonly parts: readonly { readonly type: string }[]
}

/** A chunk of the stream to a chat. */
export type UIChunk =
  | { type: 'start'; messageId: string }
  | { type: 'start-step' | 'finish-step' }
  | { type: 'reset-step' }
  | { type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; id: string }
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string }
  | UIFilePart
  | UISteeringPart
  | { type: 'tool-input-start'; toolCallId: string; toolName: string; title?: string }
  | { type: 'tool-input-delta'; toolCallId: string; inputTextDelta: string }
  | {
      type: 'tool-input-available'
      toolCallId: string
      toolName: string
      input: JsonValue
      title?: string
    }
  | {
      type: 'tool-input-error'
      toolCallId: string
      toolName: string
      input: undefined
      errorText: string
      title?: string
    }
  | {
      type: 'tool-approval-request'
      approvalId: string
      toolCallId: string
      reason?: string
      approvalDescriptor?: unknown
    }
  | { type: 'tool-approval-response'; approvalId: string; approved: boolean; reason?: string }
  | { type: 'tool-output-available'; toolCallId: string; output: unknown; preliminary?: boolean }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string }
  | { type: 'tool-output-denied'; toolCallId: string }
  | UIDataPart
  | { type: 'data-error'; data: unknown; transient: true }
  | {
      type: 'finish'
      finishReason: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'other'
      messageMetadata: UIMetadata
    }
  | { type: 'abort'; reason: string }
  | { type: 'error'; errorText: string }

/** Chunks that versions 6 and 7 both know. Version 6 ignores the others. */
export type UICommonChunk = Exclude<
  UIChunk,
  { type: 'steering-message' | 'reset-step' | 'tool-approval-response' }
>
