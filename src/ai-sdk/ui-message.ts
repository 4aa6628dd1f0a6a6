import type { JsonValue, PendingCall, PlanItem, RunUsage } from '../index.ts'

// The AI SDK's messages and chunks, as far as they are used here. Structural, so that types of no version have to be
// installed; test/ai-sdk compares them with the AI SDK's own.

export interface UITextPart {
  type: 'text' | 'reasoning'
  text: string
  state?: 'streaming' | 'done'
}

export interface UIFilePart {
  type: 'file'
  mediaType: string
  filename?: string
  url: string
}

/** What a person is asked before the call runs. Its id is the call's. */
export interface UIApproval {
  id: string
  /** What the call is about to act on. */
  requestReason?: string
  /** Of the pending call: `about`, `because` and `rememberable`. */
  descriptor?: unknown
}

interface UIToolBase {
  type: `tool-${string}`
  toolCallId: string
  title?: string
}

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
        /** What the tool reports while it runs. */
        preliminary?: boolean
      }
    | { state: 'output-error'; input: JsonValue | undefined; errorText: string }
    | {
        state: 'output-denied'
        input: JsonValue
        approval: UIApproval & { approved: false; reason?: string }
      }
  )

/** Written to the open run, from here or elsewhere. Version 6 passes over it. */
export interface UISteeringPart {
  type: 'steering-message'
  id: string
  parts: ({ type: 'text'; text: string } | UIFilePart)[]
}

/** The parts in their order. */
export type UIOrderedPart =
  | { type: 'step-start' }
  | UITextPart
  | UIFilePart
  | UIToolPart
  | UISteeringPart

/** Beside them, by id. */
export type UIDataPart =
  | { type: 'data-plan'; id: 'plan'; data: readonly PlanItem[] }
  /** What is waited for: approvals, questions with their fields, of agents that were called, too. */
  | { type: 'data-waiting'; id: 'waiting'; data: readonly PendingCall[] }

/** Of the last answer. */
export interface UIMetadata {
  usage?: RunUsage
  /** How its run ended. */
  outcome?: string
}

export interface OffstageUIMessage {
  id: string
  role: 'user' | 'assistant' | 'system'
  metadata?: UIMetadata
  /** Of the types that versions 6 and 7 have. In messages of version 7, look for `UISteeringPart`, too. */
  parts: (Exclude<UIOrderedPart, UISteeringPart> | UIDataPart)[]
}

/** A message as a chat has it, with whatever parts and metadata. */
export interface UIMessageLike {
  readonly id: string
  readonly role: string
  readonly parts: readonly { readonly type: string }[]
}

/** What is streamed to a chat. */
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

/** Chunks of the types that versions 6 and 7 have. Version 6 passes over the others. */
export type UICommonChunk = Exclude<
  UIChunk,
  { type: 'steering-message' | 'reset-step' | 'tool-approval-response' }
>
