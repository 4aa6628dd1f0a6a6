import type { ErrorData } from './error.ts'
import type {
  CallError,
  FilePart,
  FinishReason,
  ProviderMetadata,
  ToolCallPart,
  Usage,
} from './message.ts'

/**
 * A complete call, as it goes into the message. It has `input` only when its stream was proven
 * complete and it parsed strictly.
 */
export type ToolCallStreamPart = ToolCallPart

/**
 * What a provider's stream or the ACTION reader comes to: the same parts for both.
 * Order: deltas as they come, then every `tool-call`, then at most one of `finish` and `error`.
 */
export type StreamPart =
  | { readonly type: 'text-delta'; readonly delta: string }
  | { readonly type: 'reasoning-delta'; readonly delta: string }
  | { readonly type: 'tool-input-start'; readonly toolCallId: string; readonly toolName: string }
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly delta: string }
  | ToolCallStreamPart
  /** ACTION mode: an unreadable block or call, to be fed back to the model. Nothing of it runs. */
  | { readonly type: 'action-error'; readonly error: CallError }
  /** The model produced it, whole. */
  | { readonly type: 'file'; readonly file: FilePart }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'warning'; readonly code: string; readonly message: string }
  /** Provider data that has no meaning here, or model output that was ignored. For logs. */
  | { readonly type: 'raw'; readonly data: unknown }
  /** The stream is proven complete. */
  | {
      readonly type: 'finish'
      readonly finishReason: FinishReason
      readonly rawFinishReason?: string
      readonly providerMetadata?: ProviderMetadata
    }
  /** The stream failed or ended without proof of its end. Nothing follows. */
  | { readonly type: 'error'; readonly error: ErrorData }
