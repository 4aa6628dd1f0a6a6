import {
  type CallFacts,
  type ConsentScope,
  type DecidedBy,
  type FactOf,
  type FactType,
  type InterruptionVerdict,
  type PlanItem,
  type PlanStatus,
  type RunEnd,
  type UserContent,
  CONSENT_SPANS,
  FORMAT,
  type Row,
} from '../../protocol/fact.ts'
import type {
  AssistantMessage,
  FilePart,
  Message,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../../protocol/message.ts'
import { readFields } from '../../protocol/fields.ts'
import type { LimitName, RunLimits } from '../../protocol/run.ts'
import type { SettledStatus } from '../../protocol/tool.ts'
import {
  among,
  amongAll,
  isAmount,
  isFlag,
  isNumber,
  isRecord,
  isThere,
  isWhole,
  listOf,
  nullOr,
  oneOf,
  optional,
  shape,
  type Check,
  isText,
} from '../../lib/shape.ts'
import { OffstageError } from '../../protocol/error.ts'
import { isJson } from '../../lib/json/is-json.ts'
import { isNewerFormat, upcast, UPCASTERS, type Upcasters } from './record.ts'

type Checks = Readonly<Record<string, Check>>

function textUpTo(most: number): Check {
  return (value) => typeof value === 'string' && value.length <= most
}

// docs/stores.md lists the same limits.
/** Ids, names, titles, and other keys or single lines. */
const isName: Check = textUpTo(10_000)
/** Short texts of people, the loop and servers: reasons, questions, errors, notes. */
const isWords = textUpTo(1_000_000)
/** Long texts of models, tools and people, and files in base64. */
const isContent = textUpTo(33_554_432)
/** JSON of any shape, or nothing. */
const isAny: Check = () => true
export const MOST_MESSAGES = 100_000

type NamesOf<T> = T extends unknown ? keyof T : never
/** A check for each field of a type, across all of its variants. */
type ChecksOf<T> = { readonly [Name in Exclude<NamesOf<T>, 'type' | 'role'>]-?: Check }

const isNames = listOf(isName)
const isPath: Check = (value) => isNames(value) && (value as readonly unknown[]).length > 0

/** Checks a message whose role is set by its fact. */
function said(role: Message['role'], fields: Checks): Check {
  return shape({
    ...fields,
    id: isName,
    role: optional(among([role])),
    foreign: optional(isRecord),
  })
}

const foreign = optional(isRecord)
const text = shape({ text: isContent, foreign } satisfies ChecksOf<TextPart>)
const file = shape({
  mediaType: isName,
  data: isContent,
  filename: optional(isName),
  foreign,
} satisfies ChecksOf<FilePart>)
const textOrFile = listOf(oneOf('type', { text, file }))
const isError = shape({
  code: isName,
  message: isWords,
  suggestion: optional(isWords),
  retryable: optional(isFlag),
  details: optional(isRecord),
})

export const isOutput: Check = oneOf('type', {
  text: shape({ value: isContent }),
  json: shape({ value: isThere }),
  content: shape({ value: textOrFile }),
  error: isError,
  denied: shape({ reason: optional(isWords) }),
})

const call = {
  toolCallId: isName,
  toolName: isName,
  providerCallId: optional(isName),
  foreign,
}
const toolCall = shape({
  ...call,
  rescued: optional(isFlag),
  error: optional(isError),
  rawInput: optional(isContent),
  input: isAny,
} satisfies ChecksOf<ToolCallPart>)
const toolResult = shape({
  ...call,
  output: isOutput,
  note: optional(isWords),
} satisfies ChecksOf<ToolResultPart>)

const byProvider: Check = (value) => isRecord(value) && Object.values(value).every(isRecord)
const assistant = {
  parts: listOf(oneOf('type', { text, reasoning: text, file, 'tool-call': toolCall })),
  providerMetadata: optional(byProvider),
  actionText: optional(isContent),
  losses: optional(listOf(isError)),
  partial: optional(isFlag),
} satisfies Omit<ChecksOf<AssistantMessage>, 'id' | 'foreign'>
/** Whether all calls have different ids: calls are found by id. */
function hasOwnIds({ parts }: AssistantMessage): boolean {
  const ids = parts.flatMap((part) => (part.type === 'tool-call' ? part.toolCallId : []))
  return new Set(ids).size === ids.length
}

const user = {
  parts: textOrFile,
  synthetic: optional(isFlag),
  untrusted: optional(isFlag),
  trigger: optional(isName),
}

export const isUserContent: Check = said('user', {
  ...user,
  when: optional(among(['after-run'])),
  orSooner: optional(isFlag),
} satisfies Omit<ChecksOf<UserContent>, 'id'> & Checks)

/** A message from elsewhere, the only kind that has its own role. */
export const isMessage: Check = oneOf('role', {
  system: said('system', { parts: listOf(text) }),
  user: said('user', user),
  assistant: said('assistant', assistant),
  tool: said('tool', { parts: listOf(toolResult) }),
} satisfies Record<Message['role'], Check>)

/** A message from the loop to the model. */
const told = said('user', { text: isContent })

/** Counts, and whether they are estimates. */
const isUsage: Check = (value) =>
  isRecord(value) && Object.values(value).every((count) => count === true || isAmount(count))
export const isRunUsage: Check = (value) =>
  isUsage(value) && isRecord(value) && isAmount(value['modelCalls'])

const isLimit = amongAll<LimitName>({ steps: true, tokens: true, costUSD: true, minutes: true })
const isAboveZero: Check = (value) => isAmount(value) && value !== 0
/** Limits in options. -1 stands for none. */
const limits = shape({
  maxSteps: isWhole(-1),
  retries: isWhole(0),
  steps: optional(isWhole(1)),
  tokens: optional(isWhole(1)),
  costUSD: optional(isAboveZero),
  minutes: optional(isAboveZero),
  maxChildren: optional(isWhole(0)),
} satisfies ChecksOf<RunLimits>)

const ended = shape({})
const runEnd = oneOf('outcome', {
  completed: shape({ finishReason: optional(isName) }),
  'max-steps': ended,
  limit: shape({ limit: isLimit }),
  aborted: shape({ reason: isWords }),
  failed: shape({ error: isError }),
  waiting: shape({ pending: listOf(shape({ toolCallId: isName, toolName: isName })) }),
} satisfies Record<RunEnd['outcome'], Check>)

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

/** A person's verdict on an interrupted call. */
export const isVerdict: Check = amongAll<InterruptionVerdict>({
  happened: true,
  'did-not-happen': true,
  'run-again': true,
})

const remembers = { key: optional(isName), openWorld: optional(isFlag), source: optional(isName) }
const isConsentScope = shape({
  ...remembers,
  toolName: isName,
  title: optional(isName),
  definition: isName,
  within: among(CONSENT_SPANS),
} satisfies ChecksOf<ConsentScope>)

const decidedBy = shape({
  definition: isName,
  replayable: isFlag,
  reconcilable: isFlag,
  composite: optional(isFlag),
  undoable: optional(isFlag),
  untrusted: optional(isName),
} satisfies ChecksOf<DecidedBy>)

const under = { parentId: nullOr(isName) }
const ofAttempt = { step: isNumber, attempt: isNumber, usage: isUsage }
const ofCall = { path: isPath }
const ofContext = { after: nullOr(isName) }
const shrunk = { tokensBefore: optional(isNumber), tokensAfter: optional(isNumber) }
/** Origin of untrusted content, and the call that brought it in. */
const ofOrigin = { origin: isName, path: optional(isPath) }

/**
 * Checks for every field of every fact: its type and length. Rows are checked when they are read, imported and
 * appended. A fact sets the role of its message, whatever the row says.
 */
export const FACTS: { readonly [Type in FactType]: ChecksOf<FactOf<Type>> & Checks } = {
  'run-started': {
    runId: isName,
    ...under,
    message: nullOr(isUserContent),
    limits,
    forCall: optional(isFlag),
  },
  'step-started': { step: isNumber, resumed: isFlag, limit: optional(isLimit) },
  'run-taken-up': {},
  'attempt-failed': { ...ofAttempt, error: isError },
  'model-output': {
    ...ofAttempt,
    ...under,
    message: (value) => said('assistant', assistant)(value) && hasOwnIds(value as AssistantMessage),
    toolsId: nullOr(isName),
    calls: listOf(
      shape({
        toolCallId: isName,
        known: isFlag,
        parallel: isFlag,
        title: optional(isName),
        source: optional(isName),
        readOnly: optional(isFlag),
        finishes: optional(isFlag),
        rescued: optional(isFlag),
        quoted: optional(isFlag),
      } satisfies ChecksOf<CallFacts>),
    ),
    finishReason: isName,
    rawFinishReason: optional(isName),
    toolMode: among(['native', 'action']),
    form: optional(shape({ key: isName, changes: isNames, at: isNumber })),
    feedback: optional(shape({ id: isName, error: isError, text: isContent })),
    reminder: optional(shape({ id: isName, text: isContent })),
  },
  'step-cut': {
    goesOn: optional(isFlag),
    ...ofAttempt,
    ...under,
    message: nullOr(said('assistant', { parts: listOf(oneOf('type', { text, reasoning: text })) })),
  },
  'answer-rejected': { step: isNumber, ...under, message: told },
  'answer-reflected': {
    step: isNumber,
    messageId: isName,
    mode: among(['annotate', 'replace']),
    text: nullOr(isContent),
    usage: isRunUsage,
  },
  'run-parked': { reason: isName },
  'run-continued': {},
  'run-ended': { end: runEnd, next: optional(isName) },
  'call-proposed': {
    ...ofCall,
    toolName: isName,
    title: optional(isName),
    source: optional(isName),
    input: isThere,
  },
  'approval-requested': {
    ...ofCall,
    input: isThere,
    by: decidedBy,
    about: optional(
      shape({ text: isWords, data: isAny, pageId: isName, onPage: optional(isFlag) }),
    ),
    because: optional(shape({ type: among(['untrusted-content']), ...ofOrigin })),
    rememberable: optional(shape(remembers)),
  },
  'approval-answered': {
    ...ofCall,
    approved: isFlag,
    reason: optional(isWords),
    input: isAny,
  },
  'question-asked': {
    ...ofCall,
    question: isWords,
    options: optional(isNames),
    fields: optional((value) => 'fields' in readFields(value)),
    sensitive: optional(isNames),
  },
  'question-answered': {
    ...ofCall,
    answer: isContent,
    values: optional(isRecord),
    action: optional(among(['decline', 'cancel'])),
  },
  'output-requested': { ...ofCall, untrusted: optional(isName), input: isThere, asks: isFlag },
  'call-started': {
    ...ofCall,
    executionId: isName,
    input: isAny,
    by: decidedBy,
    repeats: isFlag,
    consentId: optional(isName),
  },
  'call-withdrawn': ofCall,
  'call-suspended': {
    ...ofCall,
    token: isName,
    until: optional(isNumber),
    seen: optional(isNumber),
  },
  'step-outcome': { ...ofCall, key: isName, value: isThere },
  'child-started': { ...ofCall, childConversationId: isName, childRunId: isName },
  'child-usage': {
    ...ofCall,
    usage: isRunUsage,
    steps: isWhole(0),
    activeMs: isAmount,
    ended: isFlag,
  },
  'call-interrupted': ofCall,
  'interruption-resolved': { ...ofCall, verdict: isVerdict },
  'call-settled': { ...ofCall, status: settledStatus, output: isOutput, note: optional(isWords) },
  'undo-started': ofCall,
  'undo-settled': {
    ...ofCall,
    status: among(['done', 'failed', 'not-begun']),
    message: optional(isWords),
  },
  'messages-imported': { ...under, messages: listOf(isMessage, MOST_MESSAGES) },
  'head-moved': { to: isName },
  'history-cleared': {},
  renamed: { title: isName },
  'message-queued': { message: isUserContent },
  'message-withdrawn': { messageId: isName, returned: optional(isUserContent) },
  'message-amended': {
    messageId: isName,
    appended: optional(isContent),
    rewritten: optional(isContent),
  },
  'message-delivered': { messageId: isName, ...under },
  'results-cleared': { ...ofContext, paths: listOf(isPath, MOST_MESSAGES), ...shrunk },
  compacted: {
    ...ofContext,
    from: isName,
    to: isName,
    keptFrom: nullOr(isName),
    summary: isContent,
    usage: optional(isRunUsage),
    ...shrunk,
  },
  'skill-activated': {
    ...ofContext,
    name: isName,
    hash: isName,
    text: isContent,
    restrictTools: optional(isNames),
    files: optional(isNames),
    loaded: optional(isFlag),
    path: optional(isPath),
  },
  'skill-dropped': { ...ofContext, name: isName },
  'plan-changed': {
    ...ofContext,
    plan: listOf(shape({ content: isWords, status: planStatus } satisfies ChecksOf<PlanItem>)),
  },
  'untrusted-taken-in': { ...ofContext, ...ofOrigin, title: optional(isName) },
  'descriptions-taken-in': { ...ofContext, origins: isNames },
  'memory-retrieved': { ...ofContext, items: listOf(isRecord) },
  'consent-given': { consentId: isName, scope: isConsentScope, until: optional(isNumber) },
  'consent-revoked': { consentId: isName },
  'row-set-aside': { reason: isWords },
}

/** A time beyond the range of `Date` can't be shown. */
const isTime: Check = (value) => isNumber(value) && Math.abs(Number(value)) <= 8.64e15

/** The fields of each fact, with their checks. */
const FIELDS = new Map<unknown, readonly (readonly [name: string, check: Check])[]>(
  Object.entries(FACTS).map(([type, fields]) => [
    type,
    Object.entries<Check>({ runId: nullOr(isName), at: isTime, ...fields }),
  ]),
)

/** The reason why a row can't be folded. */
export interface Fault {
  readonly fault: string
  /** `unsound`: the row is skipped and reading continues. `newer`: a newer version of the package can read it. */
  readonly kind: 'missing' | 'newer' | 'unsound'
}

/** Explains why a row is refused; null when it can be stored and read again. */
export function wrongOf(row: unknown): string | null {
  const fields = isRecord(row) && FIELDS.get(row['type'])
  if (!fields) return wrongly('type')
  const name = isJson(row) ? fields.find(([each, check]) => !check(row[each]))?.[0] : 'JSON'
  return name === undefined ? null : wrongly(`${name} of a ${String(row['type'])} row`)
}

function wrongly(what: string): string {
  return `the ${what} is missing, wrong or too long.`
}

/** Refuses to store a row that could not be read again: it would be lost. */
export function refuseUnsound(row: unknown): void {
  const wrong = wrongOf(row)
  if (wrong !== null) throw new OffstageError('invalid-input', `Nothing was stored: ${wrong}`)
}

/**
 * The row expected at `seq` of a conversation, or the reason why it can't be folded. Rows in an older format are
 * converted to the current one.
 */
export function checkRow(row: unknown, seq: number, upcasters: Upcasters = UPCASTERS): Row | Fault {
  const stored = isRecord(row) ? row : {}
  const { format } = stored
  if (isNewerFormat(format)) {
    const fault = `Row ${seq} was written by a newer Offstage (format ${format}): reload the page or update the package.`
    return { fault, kind: 'newer' }
  }
  if (stored['seq'] !== seq) return { fault: `Row ${seq} is missing.`, kind: 'missing' }
  const current = upcast(stored, upcasters)
  const isPlaced = current?.['format'] === FORMAT && isText(current['appendId'])
  const wrong = isPlaced ? wrongOf(current) : wrongly('format')
  return wrong === null
    ? (current as unknown as Row)
    : { fault: `Row ${seq} can't be read: ${wrong}`, kind: 'unsound' }
}
