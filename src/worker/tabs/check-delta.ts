import type { Delta } from '../../protocol/delta.ts'
import {
  isNumber,
  isRecord,
  isText,
  isThere,
  listOf,
  oneOf,
  optional,
  shape,
  type Check,
} from '../store/shape.ts'

const error = shape({ code: isText, message: isText })
const ofRun = { runId: isText }
const ofAttempt = { ...ofRun, step: isNumber, attempt: isNumber }
const part = shape({ ...ofAttempt, partId: isText })
const text = shape({ ...ofAttempt, partId: isText, delta: isText })
const input = { ...ofAttempt, toolCallId: isText }
const ofCall = { ...ofRun, path: listOf(isText) }

/** Whether what another tab posted is a delta. */
export const isDelta: (value: unknown) => value is Delta = oneOf('type', {
  'attempt-started': shape({ ...ofAttempt, messageId: isText }),
  'text-start': part,
  'text-delta': text,
  'text-end': part,
  'reasoning-start': part,
  'reasoning-delta': text,
  'reasoning-end': part,
  'tool-input-start': shape({ ...input, toolName: isText }),
  'tool-input-delta': shape({ ...input, delta: isText }),
  'tool-input-end': shape(input),
  'step-reset': shape({ ...ofAttempt, reason: error }),
  retry: shape({ ...ofAttempt, retries: isNumber, delayMs: isNumber, error }),
  warning: shape({ ...ofAttempt, code: isText, message: isText }),
  raw: shape(ofAttempt),
  'tool-progress': shape({ ...ofCall, progress: isThere }),
  'tool-unavailable': shape({ ...ofCall, toolName: isText, waitMs: isNumber }),
  'storage-waits': shape({ ...ofRun, reason: isText, message: optional(isRecord) }),
  'storage-takes': shape(ofRun),
  'run-left': shape({ ...ofRun, outcome: shape({ outcome: isText }) }),
  'ownership-changed': shape({ ownership: isText }),
} satisfies Record<Delta['type'], Check>) as (value: unknown) => value is Delta
