import {
  type CallDetails,
  type ConsentScope,
  type DecidedTool,
  type FactOf,
  type FactType,
  type InterruptionVerdict,
  type PlanItem,
  type PlanStatus,
  type RunEnd,
  type UserContent,
  CONSENT_SPANS,
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
  isBoolean,
  isNumber,
  isRecord,
  isDefined,
  isIntegerFrom,
  listOf,
  nullOr,
  discriminatedUnion,
  optional,
  shape,
  type ShapeCheck,
} from '../../lib/shape.ts'

type Checks = Readonly<Record<string, ShapeCheck>>

function textUpTo(max: number): ShapeCheck {
  return (value) => typeof value === 'string' && value.length <= max
}

// docs/stores.md lists the same limits.
/** Ids, names, titles, and other keys or single lines. */
export const isName: ShapeCheck = textUpTo(10_000)
/** A time beyond the range of `Date` can't be shown. */
export const isTime: ShapeCheck = (value) => typeof value === 'number' && Math.abs(value) <= 8.64e15
/** Short texts of people, the loop and servers: reasons, questions, errors, notes. */
const isShortText = textUpTo(1_000_000)
/** Long texts of models, tools and people, and files in base64. */
const isContent = textUpTo(33_554_432)
/** JSON of any shape, or nothing. */
const isAny: ShapeCheck = () => true
export const MAX_MESSAGES = 100_000

type NamesOf<T> = T extends unknown ? keyof T : never
/** A check for each field of a type, across all of its variants. */
type ChecksOf<T> = { readonly [Name in Exclude<NamesOf<T>, 'type' | 'role'>]-?: ShapeCheck }

const isNames = listOf(isName)
const isPath: ShapeCheck = (value) => isNames(value) && (value as readonly unknown[]).length > 0

/** Checks a message whose role is set by its fact. */
function messageShape(role: Message['role'], fields: Checks): ShapeCheck {
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
const textOrFile = listOf(discriminatedUnion('type', { text, file }))
const isError = shape({
  code: isName,
  message: isShortText,
  suggestion: optional(isShortText),
  retryable: optional(isBoolean),
  details: optional(isRecord),
})

export const isOutput: ShapeCheck = discriminatedUnion('type', {
  text: shape({ value: isContent }),
  json: shape({ value: isDefined }),
  content: shape({ value: textOrFile }),
  error: isError,
  denied: shape({ reason: optional(isShortText) }),
})

const call = {
  toolCallId: isName,
  toolName: isName,
  providerCallId: optional(isName),
  foreign,
}
const toolCall = shape({
  ...call,
  rescued: optional(isBoolean),
  error: optional(isError),
  rawInput: optional(isContent),
  input: isAny,
} satisfies ChecksOf<ToolCallPart>)
const toolResult = shape({
  ...call,
  output: isOutput,
  note: optional(isShortText),
} satisfies ChecksOf<ToolResultPart>)

const byProvider: ShapeCheck = (value) => isRecord(value) && Object.values(value).every(isRecord)
const assistant = {
  parts: listOf(discriminatedUnion('type', { text, reasoning: text, file, 'tool-call': toolCall })),
  providerMetadata: optional(byProvider),
  actionText: optional(isContent),
  losses: optional(listOf(isError)),
  partial: optional(isBoolean),
} satisfies Omit<ChecksOf<AssistantMessage>, 'id' | 'foreign'>
/** Whether all calls have different ids: calls are found by id. */
function hasUniqueIds({ parts }: AssistantMessage): boolean {
  const ids = parts.flatMap((part) => (part.type === 'tool-call' ? part.toolCallId : []))
  return new Set(ids).size === ids.length
}

const user = {
  parts: textOrFile,
  synthetic: optional(isBoolean),
  untrusted: optional(isBoolean),
  trigger: optional(isName),
}

export const isUserContent: ShapeCheck = messageShape('user', {
  ...user,
  when: optional(among(['after-run'])),
  orSooner: optional(isBoolean),
} satisfies Omit<ChecksOf<UserContent>, 'id'> & Checks)

/** A message from outside, such as an imported one. Other messages get their role from their fact. */
export const isMessage: ShapeCheck = discriminatedUnion('role', {
  system: messageShape('system', { parts: listOf(text) }),
  user: messageShape('user', user),
  assistant: messageShape('assistant', assistant),
  tool: messageShape('tool', { parts: listOf(toolResult) }),
} satisfies Record<Message['role'], ShapeCheck>)

/** A message from the loop to the model. */
const loopMessage = messageShape('user', { text: isContent })

/** Counts, and whether they are estimates. */
const isUsage: ShapeCheck = (value) =>
  isRecord(value) && Object.values(value).every((count) => count === true || isAmount(count))
export const isRunUsage: ShapeCheck = (value) =>
  isUsage(value) && isRecord(value) && isAmount(value['modelCalls'])

const isLimit = amongAll<LimitName>({ steps: true, tokens: true, costUSD: true, minutes: true })
const isAboveZero: ShapeCheck = (value) => isAmount(value) && value !== 0
/** Limits in options. -1: no limit. */
const limits = shape({
  maxSteps: isIntegerFrom(-1),
  retries: isIntegerFrom(0),
  steps: optional(isIntegerFrom(1)),
  tokens: optional(isIntegerFrom(1)),
  costUSD: optional(isAboveZero),
  minutes: optional(isAboveZero),
  maxChildren: optional(isIntegerFrom(0)),
} satisfies ChecksOf<RunLimits>)

const noFields = shape({})
const runEnd = discriminatedUnion('outcome', {
  completed: shape({ finishReason: optional(isName) }),
  'max-steps': noFields,
  limit: shape({ limit: isLimit }),
  aborted: shape({ reason: isShortText }),
  failed: shape({ error: isError }),
  waiting: shape({ pending: listOf(shape({ toolCallId: isName, toolName: isName })) }),
} satisfies Record<RunEnd['outcome'], ShapeCheck>)

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
export const isVerdict: ShapeCheck = amongAll<InterruptionVerdict>({
  happened: true,
  'did-not-happen': true,
  'run-again': true,
})

const rememberableFields = {
  key: optional(isName),
  openWorld: optional(isBoolean),
  source: optional(isName),
}
const isConsentScope = shape({
  ...rememberableFields,
  toolName: isName,
  title: optional(isName),
  definition: isName,
  within: among(CONSENT_SPANS),
} satisfies ChecksOf<ConsentScope>)

const decidedBy = shape({
  definition: isName,
  replayable: isBoolean,
  reconcilable: isBoolean,
  composite: optional(isBoolean),
  undoable: optional(isBoolean),
  untrusted: optional(isName),
} satisfies ChecksOf<DecidedTool>)

const parentField = { parentId: nullOr(isName) }
const attemptFields = { step: isNumber, attempt: isNumber, usage: isUsage }
const callFields = { path: isPath }
const contextFields = { after: nullOr(isName) }
const tokenFields = { tokensBefore: optional(isNumber), tokensAfter: optional(isNumber) }
/** Origin of untrusted content, and the call that brought it in. */
const originFields = { origin: isName, path: optional(isPath) }

/** Definition of a fact, made by `withTexts` or `withoutTexts`, so that each new fact needs a decision on its texts. */
interface FactDefinition<Type extends FactType> {
  /** A check for each field: its type and length. */
  readonly fields: ChecksOf<FactOf<Type>> & Checks
  readonly texts: TextsOf<Type>
}

/**
 * Returns the texts of a fact that the model reads and did not write: later calls by the model may be quoted from them.
 * The value is a string, a message, an output, or a list of these.
 */
type TextsOf<Type extends FactType> = (fact: FactOf<Type>) => unknown

function withTexts<Type extends FactType>(
  fields: FactDefinition<Type>['fields'],
  texts: TextsOf<Type>,
): FactDefinition<Type> {
  return { fields, texts }
}

/** Defines a fact whose texts are the model's own, Offstage's, or also in another fact. */
function withoutTexts<Type extends FactType>(
  fields: FactDefinition<Type>['fields'],
): FactDefinition<Type> {
  return { fields, texts: () => undefined }
}

/** Statuses whose output is a text of a tool, a page or a person, not Offstage's. */
const FOREIGN_OUTPUT: ReadonlySet<SettledStatus> = new Set(['succeeded', 'failed', 'denied'])

/**
 * All facts: the check of every field, and the texts that the model did not write. Rows are checked when they are read,
 * imported and appended. A fact sets the role of its message, whatever the row says.
 */
export const FACTS: { readonly [Type in FactType]: FactDefinition<Type> } = {
  'run-started': withTexts(
    {
      runId: isName,
      ...parentField,
      message: nullOr(isUserContent),
      limits,
      forCall: optional(isBoolean),
    },
    ({ message }) => message?.parts,
  ),
  'step-started': withoutTexts({ step: isNumber, resumed: isBoolean, limit: optional(isLimit) }),
  'run-resumed': withoutTexts({}),
  'attempt-failed': withoutTexts({ ...attemptFields, error: isError }),
  'model-output': withoutTexts({
    ...attemptFields,
    ...parentField,
    message: (value) =>
      messageShape('assistant', assistant)(value) && hasUniqueIds(value as AssistantMessage),
    toolsId: nullOr(isName),
    calls: listOf(
      shape({
        toolCallId: isName,
        known: isBoolean,
        parallel: isBoolean,
        title: optional(isName),
        source: optional(isName),
        readOnly: optional(isBoolean),
        finishes: optional(isBoolean),
        rescued: optional(isBoolean),
        quoted: optional(isBoolean),
      } satisfies ChecksOf<CallDetails>),
    ),
    finishReason: isName,
    rawFinishReason: optional(isName),
    toolMode: among(['native', 'action']),
    form: optional(shape({ key: isName, changes: isNames, at: isNumber })),
    feedback: optional(shape({ id: isName, error: isError, text: isContent })),
    reminder: optional(shape({ id: isName, text: isContent })),
  }),
  'step-cut': withoutTexts({
    continues: optional(isBoolean),
    ...attemptFields,
    ...parentField,
    message: nullOr(
      messageShape('assistant', {
        parts: listOf(discriminatedUnion('type', { text, reasoning: text })),
      }),
    ),
  }),
  'answer-rejected': withTexts(
    { step: isNumber, ...parentField, message: loopMessage },
    ({ message }) => message.text,
  ),
  'answer-reflected': withTexts(
    {
      step: isNumber,
      messageId: isName,
      mode: among(['annotate', 'replace']),
      text: nullOr(isContent),
      usage: isRunUsage,
    },
    ({ mode, text }) => mode === 'replace' && text,
  ),
  'run-paused': withoutTexts({ reason: isName }),
  'run-continued': withoutTexts({}),
  'run-ended': withoutTexts({ end: runEnd, next: optional(isName) }),
  'call-proposed': withoutTexts({
    ...callFields,
    toolName: isName,
    title: optional(isName),
    source: optional(isName),
    input: isDefined,
  }),
  'approval-requested': withoutTexts({
    ...callFields,
    input: isDefined,
    by: decidedBy,
    about: optional(
      shape({ text: isShortText, data: isAny, pageId: isName, onPage: optional(isBoolean) }),
    ),
    because: optional(shape({ type: among(['untrusted-content']), ...originFields })),
    rememberable: optional(shape(rememberableFields)),
  }),
  'approval-answered': withoutTexts({
    ...callFields,
    approved: isBoolean,
    reason: optional(isShortText),
    note: optional(isShortText),
    input: isAny,
  }),
  'question-asked': withoutTexts({
    ...callFields,
    question: isShortText,
    options: optional(isNames),
    fields: optional((value) => 'fields' in readFields(value)),
    sensitive: optional(isNames),
  }),
  'question-answered': withoutTexts({
    ...callFields,
    answer: isContent,
    values: optional(isRecord),
    action: optional(among(['decline', 'cancel'])),
  }),
  'output-requested': withoutTexts({
    ...callFields,
    untrusted: optional(isName),
    input: isDefined,
    asks: isBoolean,
  }),
  'call-started': withoutTexts({
    ...callFields,
    executionId: isName,
    input: isAny,
    by: decidedBy,
    repeats: isBoolean,
    consentId: optional(isName),
  }),
  'call-withdrawn': withoutTexts(callFields),
  'call-suspended': withoutTexts({
    ...callFields,
    token: isName,
    until: optional(isTime),
    seen: optional(isNumber),
  }),
  'step-outcome': withoutTexts({ ...callFields, key: isName, value: isDefined }),
  'child-started': withoutTexts({ ...callFields, childConversationId: isName, childRunId: isName }),
  'child-usage': withoutTexts({
    ...callFields,
    usage: isRunUsage,
    steps: isIntegerFrom(0),
    activeMs: isAmount,
    ended: isBoolean,
  }),
  'call-interrupted': withoutTexts(callFields),
  'interruption-resolved': withoutTexts({ ...callFields, verdict: isVerdict }),
  'call-settled': withTexts(
    { ...callFields, status: settledStatus, output: isOutput, note: optional(isShortText) },
    ({ status, output, note }) => [FOREIGN_OUTPUT.has(status) && output, note],
  ),
  'undo-started': withoutTexts(callFields),
  'undo-settled': withoutTexts({
    ...callFields,
    status: among(['done', 'failed', 'not-begun']),
    message: optional(isShortText),
  }),
  'messages-imported': withTexts(
    { ...parentField, messages: listOf(isMessage, MAX_MESSAGES) },
    ({ messages }) => messages,
  ),
  'head-moved': withoutTexts({ to: isName }),
  'history-cleared': withoutTexts({}),
  renamed: withoutTexts({ title: isName }),
  'message-queued': withTexts({ message: isUserContent }, ({ message }) => message.parts),
  'message-withdrawn': withoutTexts({ messageId: isName, returned: optional(isUserContent) }),
  'message-amended': withTexts(
    {
      messageId: isName,
      appended: optional(isContent),
      rewritten: optional(isContent),
    },
    ({ appended, rewritten }) => [appended, rewritten],
  ),
  'message-delivered': withoutTexts({ messageId: isName, ...parentField }),
  'results-cleared': withoutTexts({
    ...contextFields,
    paths: listOf(isPath, MAX_MESSAGES),
    ...tokenFields,
  }),
  compacted: withTexts(
    {
      ...contextFields,
      from: isName,
      to: isName,
      keptFrom: nullOr(isName),
      summary: isContent,
      usage: optional(isRunUsage),
      ...tokenFields,
    },
    ({ summary }) => summary,
  ),
  'skill-activated': withTexts(
    {
      ...contextFields,
      name: isName,
      hash: isName,
      text: isContent,
      restrictTools: optional(isNames),
      files: optional(isNames),
      loaded: optional(isBoolean),
      path: optional(isPath),
    },
    ({ loaded, text }) => loaded && text,
  ),
  'skill-dropped': withoutTexts({ ...contextFields, name: isName }),
  'plan-changed': withoutTexts({
    ...contextFields,
    plan: listOf(shape({ content: isShortText, status: planStatus } satisfies ChecksOf<PlanItem>)),
  }),
  'context-tainted': withoutTexts({ ...contextFields, ...originFields, title: optional(isName) }),
  'descriptions-changed': withoutTexts({ ...contextFields, origins: isNames }),
  'memory-retrieved': withTexts(
    { ...contextFields, items: listOf(isRecord) },
    ({ items }) => items,
  ),
  'consent-given': withoutTexts({
    consentId: isName,
    scope: isConsentScope,
    until: optional(isTime),
  }),
  'consent-revoked': withoutTexts({ consentId: isName }),
  'row-set-aside': withoutTexts({ reason: isShortText }),
}

/** The texts in a row that the model did not write. */
export function foreignTexts(row: Row): unknown {
  const texts: (fact: never) => unknown = FACTS[row.type].texts
  return texts(row as never)
}
