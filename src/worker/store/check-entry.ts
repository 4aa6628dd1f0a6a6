import { JOURNAL_VERSION, type JournalBody, type JournalEntry } from '../../protocol/journal.ts'
import type { Message } from '../../protocol/message.ts'
import {
  isFlag,
  isNumber,
  isRecord,
  isText,
  isThere,
  listOf,
  nullOr,
  oneOf,
  optional,
  shape,
  type Check,
} from './shape.ts'

const textPart = shape({ text: isText })
const filePart = shape({ mediaType: isText, data: isText })
const callError = shape({ code: isText, message: isText })
const content = listOf(oneOf('type', { text: textPart, file: filePart }))

const output = oneOf('type', {
  text: shape({ value: isText }),
  json: shape({ value: isThere }),
  content: shape({ value: content }),
  error: callError,
  denied: shape({ reason: optional(isText) }),
})

const assistantPart = oneOf('type', {
  text: textPart,
  reasoning: textPart,
  'tool-call': shape({ toolCallId: isText, toolName: isText, error: optional(callError) }),
})

const assistant = shape({ parts: listOf(assistantPart) })

const message = oneOf('role', {
  system: shape({ parts: listOf(textPart) }),
  user: shape({ parts: content }),
  assistant,
  tool: shape({ parts: listOf(shape({ toolCallId: isText, toolName: isText, output })) }),
} satisfies Record<Message['role'], Check>)

const ended = shape({})
const runEnd = oneOf('outcome', {
  completed: ended,
  'max-steps': ended,
  aborted: shape({ reason: isText }),
  failed: shape({ error: callError }),
  waiting: shape({ pending: listOf(shape({ toolCallId: isText, toolName: isText })) }),
})

const decidedBy = shape({ definition: isText, replayable: isFlag, reconcilable: isFlag })
const ofCall = { toolCallId: isText }

const bodies = oneOf('type', {
  'run-started': shape({
    message: nullOr(message),
    limits: shape({ maxSteps: isNumber, retries: isNumber }),
  }),
  'step-started': shape({ step: isNumber, resumed: isFlag }),
  'attempt-failed': shape({ step: isNumber, usage: isRecord }),
  'model-output': shape({
    step: isNumber,
    message: assistant,
    calls: listOf(shape({ ...ofCall, known: isFlag })),
    usage: isRecord,
    finishReason: isText,
    feedback: optional(callError),
  }),
  'approval-requested': shape({ ...ofCall, input: isThere, by: decidedBy }),
  'approval-answered': shape({ ...ofCall, approved: isFlag }),
  'question-asked': shape({ ...ofCall, question: isText }),
  'question-answered': shape({ ...ofCall, answer: isText }),
  'output-requested': shape({ ...ofCall, input: isThere, asks: isFlag }),
  'call-started': shape({ ...ofCall, executionId: isText, by: decidedBy, repeats: isFlag }),
  'call-withdrawn': shape(ofCall),
  'call-interrupted': shape(ofCall),
  'call-settled': shape({ ...ofCall, status: isText, output }),
  'run-parked': shape({ reason: isText }),
  'run-continued': shape({}),
  'run-ended': shape({ end: runEnd, partial: optional(isText) }),
  'history-cleared': shape({}),
  'messages-imported': shape({ messages: listOf(message) }),
} satisfies Record<JournalBody['type'], Check>)

const place = shape({ runId: nullOr(isText), at: isNumber })

/** Why a row can't be folded. */
export interface Fault {
  readonly fault: string
  /** It isn't damaged: a newer version of the package can read it. */
  readonly isNewer: boolean
}

/** Whether the entry can be read again once it is stored. */
export function isSoundEntry(entry: unknown): boolean {
  return isRecord(entry) && place(entry) && bodies(entry)
}

/**
 * The entry that belongs at a place of a conversation's journal, or in words why what was found there
 * can't be folded. A gap would make what follows mean something else: a call without its result runs
 * again.
 */
export function checkEntry(row: unknown, seq: number): JournalEntry | Fault {
  if (!isRecord(row)) return { fault: `Row ${seq} is no journal entry.`, isNewer: false }
  if (isNumber(row['v']) && Number(row['v']) > JOURNAL_VERSION) {
    const fault = `Row ${seq} was written by a newer Offstage (journal version ${String(row['v'])}): reload the page or update the package.`
    return { fault, isNewer: true }
  }
  if (row['seq'] !== seq) return { fault: `Row ${seq} is missing.`, isNewer: false }
  const isSound = row['v'] === JOURNAL_VERSION && isSoundEntry(row)
  if (isSound) return row as unknown as JournalEntry
  return { fault: `Row ${seq} can't be read.`, isNewer: false }
}
