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
 * A complete call, as stored in the message. Has `input` only if its stream was proven complete and it parsed strictly.
 */
export type ToolCallStreamPart = ToolCallPart

/**
 * Output of a provider's stream or of the ACTION reader.
 * Order: deltas as they arrive, then every `tool-call`, then at most one of `finish` and `error`.
 */
export type StreamPart =
  | { readonly type: 'text-delta'; readonly delta: string }
  | { readonly type: 'reasoning-delta'; readonly delta: string }
  | { readonly type: 'tool-input-start'; readonly toolCallId: string; readonly toolName: string }
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly delta: string }
  | ToolCallStreamPart
  /** An unreadable block or call to report to the model (ACTION mode). None of it runs. */
  | { readonly type: 'action-error'; readonly error: CallError }
  /** A complete file that the model produced. */
  | { readonly type: 'file'; readonly file: FilePart }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'warning'; readonly code: string; readonly message: string }
  /** Unused provider data or ignored model output, for logs. */
  | { readonly type: 'raw'; readonly data: unknown }
  /** The stream is proven complete. */
  | {
      readonly type: 'finish'
      readonly finishReason: FinishReason
      readonly rawFinishReason?: string
      readonly providerMetadata?: ProviderMetadata
    }
  /** The stream failed, or ended without proof of its end. Nothing follows. */
  | { readonly type: 'error'; readonly error: ErrorData }
