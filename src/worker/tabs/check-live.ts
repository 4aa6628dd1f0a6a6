import type { Delta, Live } from '../../protocol/delta.ts'
import type { PauseReason } from '../../protocol/run.ts'
import {
  among,
  amongAll,
  isBoolean,
  isNumber,
  isRecord,
  isText,
  isDefined,
  listOf,
  nullOr,
  discriminatedUnion,
  optional,
  shape,
  type ShapeCheck,
} from '../../lib/shape.ts'

const error = shape({ code: isText, message: isText, retryable: isBoolean })
const reason = amongAll<PauseReason>({
  'crash-loop': true,
  'storage-full': true,
  'storage-blocked': true,
  'storage-newer': true,
  'storage-offline': true,
  'storage-failed': true,
  'part-unavailable': true,
})
const runFields = { runId: isText }
const attemptFields = { ...runFields, step: isNumber, attempt: isNumber }
const part = shape({ ...attemptFields, partId: isText })
const text = shape({ ...attemptFields, partId: isText, delta: isText })
const input = { ...attemptFields, toolCallId: isText }

export type ShownDelta = Exclude<
  Delta,
  {
    readonly type:
      | 'text-end'
      | 'reasoning-end'
      | 'tool-unavailable'
      | 'warning'
      | 'request'
      | 'raw'
      | 'run-left'
      | 'ownership-changed'
  }
>

/** Deltas that other tabs show. Other deltas are only for the page of the tab that drives the run. */
const SHOWN: Readonly<Record<ShownDelta['type'], ShapeCheck>> = {
  'attempt-started': shape({ ...attemptFields, messageId: isText }),
  'text-start': part,
  'text-delta': text,
  'reasoning-start': part,
  'reasoning-delta': text,
  'tool-input-start': shape({ ...input, toolName: isText, title: optional(isText) }),
  'tool-input-delta': shape({ ...input, delta: isText }),
  'tool-input-end': shape(input),
  'step-reset': shape({ ...attemptFields, reason: error }),
  retry: shape({ ...attemptFields, retries: isNumber, delayMs: isNumber, error }),
  'tool-progress': shape({ ...runFields, path: listOf(isText), progress: isDefined }),
  'storage-waits': shape({ ...runFields, reason }),
  'storage-takes': shape(runFields),
}

/** Whether a value from another tab is a delta that this tab shows. */
export const isDelta: (value: unknown) => boolean = discriminatedUnion('type', SHOWN)

export function isShown(delta: Delta): delta is ShownDelta {
  return Object.hasOwn(SHOWN, delta.type)
}

const step = shape({
  ...attemptFields,
  messageId: isText,
  parts: listOf(shape({ type: among(['text', 'reasoning']), partId: isText, text: isText })),
  inputs: listOf(
    shape({
      toolCallId: isText,
      toolName: isText,
      title: optional(isText),
      text: isText,
      isComplete: isBoolean,
    }),
  ),
  isLeft: optional(isBoolean),
})

const fields = {
  step: nullOr(step),
  retry: nullOr(shape({ attempt: isNumber, delayMs: isNumber, error })),
  progress: isRecord,
  waits: nullOr(shape({ ...runFields, reason })),
} satisfies Readonly<Record<Exclude<keyof Live, 'ownership' | 'left'>, ShapeCheck>>

/** Whether a value from another tab is the live state of that tab's stream. */
export const isLive: ShapeCheck = shape(fields)
