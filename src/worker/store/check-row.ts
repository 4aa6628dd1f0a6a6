import { FORMAT, type FactType, type PlanStatus, type Row } from '../../protocol/fact.ts'
import type { LimitName } from '../../protocol/run.ts'
import type { SettledStatus } from '../../protocol/tool.ts'
import {
  among,
  amongAll,
  isAmount,
  isFlag,
  isNumber,
  isRecord,
  isText,
  isThere,
  isWhole,
  listOf,
  nullOr,
  oneOf,
  optional,
  shape,
  type Check,
} from '../../lib/shape.ts'
import { isConsentScope, isRememberable } from './consent-shapes.ts'
import {
  isAssistantContent,
  isError,
  isMessage,
  isOutput,
  isTextPart,
  isUserContent,
} from './message-shapes.ts'
import { isFields } from './question-shapes.ts'
import { isAskedBecause, isPath, ofDescriptions, ofOutput, ofTaint } from './check-taint.ts'
import { isNewerFormat, upcast, UPCASTERS, type Upcasters } from './upcast.ts'

/** Counts, and whether they are estimates. */
const isUsage: Check = (value) =>
  isRecord(value) && Object.values(value).every((count) => count === true || isAmount(count))
export const isRunUsage: Check = (value) =>
  isUsage(value) && isRecord(value) && isAmount(value['modelCalls'])

const partial = shape({
  id: isText,
  parts: listOf(oneOf('type', { text: isTextPart, reasoning: isTextPart })),
})

const isLimit = amongAll<LimitName>({ steps: true, tokens: true, costUSD: true, minutes: true })
const isAboveZero: Check = (value) => isAmount(value) && value !== 0
/** What options may say: -1 is no limit there, and nothing else is. */
const limits = shape({
  maxSteps: isWhole(-1),
  retries: isWhole(0),
  steps: optional(isWhole(1)),
  tokens: optional(isWhole(1)),
  costUSD: optional(isAboveZero),
  minutes: optional(isAboveZero),
  maxChildren: optional(isWhole(0)),
})

const ended = shape({})
const runEnd = oneOf('outcome', {
  completed: shape({ finishReason: optional(isText) }),
  'max-steps': ended,
  limit: shape({ limit: isLimit }),
  aborted: shape({ reason: isText }),
  failed: shape({ error: isError }),
  waiting: shape({ pending: listOf(shape({ toolCallId: isText, toolName: isText })) }),
})

const settledStatus = amongAll<SettledStatus>({
  invalid: true,
  denied: true,
  succeeded: true,
  failed: true,
  aborted: true,
  interrupted: true,
})

const planStatus = amongAll<PlanStatus>({
  pending: true,
  'in-progress': true,
  done: true,
  dropped: true,
})

/** What a person says of a call that was interrupted. */
export const isVerdict: Check = among(['happened', 'did-not-happen', 'run-again'])

const decidedBy = shape({
  definition: isText,
  replayable: isFlag,
  reconcilable: isFlag,
  composite: optional(isFlag),
  undoable: optional(isFlag),
  untrusted: optional(isText),
})

const under = { parentId: nullOr(isText) }
const ofAttempt = { step: isNumber, attempt: isNumber, usage: isUsage }
const ofCall = { path: isPath }
const ofContext = { after: nullOr(isText) }
const shrunk = { tokensBefore: optional(isNumber), tokensAfter: optional(isNumber) }

const facts = oneOf('type', {
  'run-started': shape({
    runId: isText,
    ...under,
    message: nullOr(isUserContent),
    limits,
    forCall: optional(isFlag),
  }),
  'step-started': shape({ step: isNumber, resumed: isFlag, limit: optional(isLimit) }),
  'run-taken-up': shape({}),
  'attempt-failed': shape({ ...ofAttempt, error: isError }),
  'model-output': shape({
    ...ofAttempt,
    ...under,
    message: isAssistantContent,
    toolsId: nullOr(isText),
    calls: listOf(
      shape({
        toolCallId: isText,
        known: isFlag,
        parallel: isFlag,
        source: optional(isText),
        readOnly: optional(isFlag),
      }),
    ),
    finishReason: isText,
    toolMode: among(['native', 'action']),
    form: optional(shape({ key: isText, changes: listOf(isText), at: isNumber })),
    feedback: optional(shape({ id: isText, error: isError, text: isText })),
    reminder: optional(shape({ id: isText, text: isText })),
  }),
  'step-cut': shape({ goesOn: optional(isFlag), ...ofAttempt, ...under, message: nullOr(partial) }),
  'answer-rejected': shape({
    step: isNumber,
    ...under,
    message: shape({ id: isText, text: isText }),
  }),
  'answer-reflected': shape({
    step: isNumber,
    messageId: isText,
    mode: among(['annotate', 'replace']),
    text: nullOr(isText),
    usage: isRunUsage,
  }),
  'run-parked': shape({ reason: isText }),
  'run-continued': shape({}),
  'run-ended': shape({ end: runEnd, next: optional(isText) }),
  'call-proposed': shape({
    ...ofCall,
    toolName: isText,
    title: optional(isText),
    source: optional(isText),
    input: isThere,
  }),
  'approval-requested': shape({
    ...ofCall,
    input: isThere,
    by: decidedBy,
    about: optional(shape({ text: isText, pageId: isText, onPage: optional(isFlag) })),
    because: optional(isAskedBecause),
    rememberable: optional(isRememberable),
  }),
  'approval-answered': shape({ ...ofCall, approved: isFlag, reason: optional(isText) }),
  'question-asked': shape({
    ...ofCall,
    question: isText,
    options: optional(listOf(isText)),
    fields: optional(isFields),
    sensitive: optional(listOf(isText)),
  }),
  'question-answered': shape({
    ...ofCall,
    answer: isText,
    values: optional(isRecord),
    action: optional(among(['decline', 'cancel'])),
  }),
  'output-requested': shape({ ...ofCall, ...ofOutput, input: isThere, asks: isFlag }),
  'call-started': shape({
    ...ofCall,
    executionId: isText,
    by: decidedBy,
    repeats: isFlag,
    consentId: optional(isText),
  }),
  'call-withdrawn': shape(ofCall),
  'call-suspended': shape({
    ...ofCall,
    token: isText,
    until: optional(isNumber),
    seen: optional(isNumber),
  }),
  'step-outcome': shape({ ...ofCall, key: isText, value: isThere }),
  'child-started': shape({ ...ofCall, childConversationId: isText, childRunId: isText }),
  'child-usage': shape({
    ...ofCall,
    usage: isRunUsage,
    steps: isWhole(0),
    activeMs: isAmount,
    ended: isFlag,
  }),
  'call-interrupted': shape(ofCall),
  'interruption-resolved': shape({
    ...ofCall,
    verdict: isVerdict,
  }),
  'call-settled': shape({
    ...ofCall,
    status: settledStatus,
    output: isOutput,
    note: optional(isText),
  }),
  'undo-started': shape(ofCall),
  'undo-settled': shape({
    ...ofCall,
    status: among(['done', 'failed', 'not-begun']),
    message: optional(isText),
  }),
  'messages-imported': shape({ ...under, messages: listOf(isMessage) }),
  'head-moved': shape({ to: isText }),
  'history-cleared': shape({}),
  renamed: shape({ title: isText }),
  'message-queued': shape({ message: isUserContent }),
  'message-withdrawn': shape({ messageId: isText, returned: optional(isUserContent) }),
  'message-amended': shape({
    messageId: isText,
    appended: optional(isText),
    rewritten: optional(isText),
  }),
  'message-delivered': shape({ messageId: isText, ...under }),
  'results-cleared': shape({ ...ofContext, paths: listOf(isPath), ...shrunk }),
  compacted: shape({
    ...ofContext,
    from: isText,
    to: isText,
    keptFrom: nullOr(isText),
    summary: isText,
    usage: optional(isRunUsage),
    ...shrunk,
  }),
  'skill-activated': shape({
    ...ofContext,
    name: isText,
    hash: isText,
    text: isText,
    restrictTools: optional(listOf(isText)),
    files: optional(listOf(isText)),
    loaded: optional(isFlag),
    path: optional(isPath),
  }),
  'skill-dropped': shape({ ...ofContext, name: isText }),
  'plan-changed': shape({
    ...ofContext,
    plan: listOf(shape({ content: isText, status: planStatus })),
  }),
  'untrusted-taken-in': shape({ ...ofContext, ...ofTaint }),
  'descriptions-taken-in': shape({ ...ofContext, ...ofDescriptions }),
  'memory-retrieved': shape({ ...ofContext, items: listOf(isRecord) }),
  'consent-given': shape({ consentId: isText, scope: isConsentScope, until: optional(isNumber) }),
  'consent-revoked': shape({ consentId: isText }),
} satisfies Record<FactType, Check>)

/** More than a `Date` can hold shows as nothing. */
const isTime: Check = (value) => isNumber(value) && Math.abs(Number(value)) <= 8.64e15
const ofNew = shape({ runId: nullOr(isText), at: isTime })

/** Why a row can't be folded. */
export interface Fault {
  readonly fault: string
  /** It isn't damaged: a newer version of the package can read it. */
  readonly isNewer: boolean
}

/** Whether the row can be read again once it is stored. */
export function isSoundRow(row: unknown): boolean {
  return isRecord(row) && ofNew(row) && facts(row)
}

/**
 * The row that belongs at a place of a conversation, or in words why what was found there can't be
 * folded. A gap would make what follows mean something else: a call without its result runs again.
 * Rows of an older format are returned as this format says the same.
 */
export function checkRow(row: unknown, seq: number, upcasters: Upcasters = UPCASTERS): Row | Fault {
  if (!isRecord(row)) return { fault: `Row ${seq} is no row.`, isNewer: false }
  const { format } = row
  if (isNewerFormat(format)) {
    const fault = `Row ${seq} was written by a newer Offstage (format ${format}): reload the page or update the package.`
    return { fault, isNewer: true }
  }
  if (row['seq'] !== seq) return { fault: `Row ${seq} is missing.`, isNewer: false }
  const current = upcast(row, upcasters)
  if (current?.['format'] === FORMAT && isText(current['appendId']) && isSoundRow(current))
    return current as unknown as Row
  return { fault: `Row ${seq} can't be read.`, isNewer: false }
}
