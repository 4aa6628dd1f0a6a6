import { sameJson } from '../../../lib/json/same-json.ts'
import type { ConsentScope, Rememberable } from '../../../protocol/fact.ts'
import type { CallState, Consent, ConversationState } from '../../../protocol/state.ts'
import type { ApprovalReason, Taint } from '../../../protocol/taint.ts'
import { callContext, type CallsContext, type DrivenRun } from '../run-context.ts'
import type { Settlement } from '../settle.ts'
import { nextRequestTaint, taintOfRequest } from '../../../conversation/taint.ts'
import { originOfTools } from '../../../conversation/tree.ts'
import type { ToolDescriptor } from '../../../protocol/tool.ts'
import { OffstageError } from '../../../protocol/error.ts'
import type { JsonValue } from '../../../protocol/json.ts'
import type { FactDraft } from '../../store/fact-draft.ts'

/**
 * Taint of the model request that led to a call. Excludes what calls of the same output, or the call itself, have read
 * since.
 */
function taintOfCall(
  state: ConversationState,
  { path: [root] }: Pick<CallState, 'path'>,
): readonly Taint[] {
  const node = state.path.findLast(({ calls }) => calls.some((each) => each.toolCallId === root))
  return node ? taintOfRequest(state, node.id) : nextRequestTaint(state)
}

/**
 * Whether a call's input may hold untrusted content, which the tool may pass on. For a nested call, includes content
 * that its composite tool has read since it began.
 */
export function hasTaintedInput(state: ConversationState, call: Pick<CallState, 'path'>): boolean {
  const { path } = call
  if (taintOfCall(state, call).length > 0) return true
  return (
    path.length > 1 &&
    state.context.some((row) => row.type === 'context-tainted' && row.path?.[0] === path[0])
  )
}

/**
 * Taint that decides whether a call needs approval. Pass `call` only once its output is stored; before, the next
 * request's taint applies. Descriptions from the tool's own untrusted source don't count. Calls to untrusted sources
 * need approval by default, and the app may have exempted them.
 */
export function taintFor(
  state: ConversationState,
  { remote }: ToolDescriptor,
  call?: Pick<CallState, 'path'>,
): readonly Taint[] {
  const taint = call ? taintOfCall(state, call) : nextRequestTaint(state)
  const ownOrigin = remote && !remote.trusted && originOfTools(remote.source)
  return taint.filter(({ origin }) => origin !== ownOrigin)
}

type Call = Pick<CallState, 'quoted' | 'rescued' | 'askedAt'>

interface Judged {
  readonly call: Call
  readonly tool: ToolDescriptor
  /** Taint of the request that the call comes from. */
  readonly taint: readonly Taint[]
  /** Whether this is one-shot mode, where the page runs the calls and decides itself whether to request approval. */
  readonly isOneShot: boolean
  /** Whether the tool's `secretsIn` failed, so that the secret values in the input are unknown. */
  readonly isUnclear: boolean
  /** Result of `asksWhileTainted`. If that was `'page'`, the page's decision. */
  readonly isTaintAReason: boolean
}

/**
 * Whether the call needs a person's approval. `'page'`: a function of the page decides. The checks follow the table "Is
 * this call asked about?" in docs/security.md. `resolveNeedsApproval` (client/tools/describe-tools.ts) implements its
 * last rows.
 */
export function requiresApproval(judged: Judged): boolean | 'page' {
  const { call, tool, taint, isOneShot, isUnclear, isTaintAReason } = judged
  if (isOneShot) return false
  // A call that has requested approval never runs without it, even if another tool now has the tool's name.
  if (call.askedAt !== undefined) return true
  if (isUnclear) return true
  if (mayMislead(call, tool, taint)) return true
  if (isTaintAReason) return true
  return tool.needsApproval === 'ask' ? 'page' : tool.needsApproval
}

/** Whether untrusted content is a reason to request approval. `'page'`: the tool's `commits` decides. */
export function asksWhileTainted(
  call: Call,
  tool: ToolDescriptor,
  taint: readonly Taint[],
): boolean | 'page' {
  if (taint.length === 0) return false
  if (call.rescued && !isReadOnly(tool)) return true
  return tool.whileTainted === 'commits' ? 'page' : tool.whileTainted !== undefined
}

/** Whether untrusted content may have dictated a call of a tool that isn't read-only. */
function mayMislead(call: Call, tool: ToolDescriptor, taint: readonly Taint[]): boolean {
  return (call.quoted || (call.rescued && taint.length > 0)) && !isReadOnly(tool)
}

/** Whether neither a person nor the page decides about the call, so that its start may be committed with the output. */
export function runsWithoutApproval(judged: Omit<Judged, 'isTaintAReason'>): boolean {
  const { call, tool, taint } = judged
  const asks = asksWhileTainted(call, tool, taint)
  return asks === false && requiresApproval({ ...judged, isTaintAReason: false }) === false
}

/** Whether a function of the page decides if the call needs approval. */
export function isDecidedByPage(tool: ToolDescriptor | undefined): boolean {
  return tool?.needsApproval === 'ask' || tool?.whileTainted === 'commits'
}

/** Whether the tool only reads. An untrusted server's own annotation is ignored. */
function isReadOnly({ annotations, remote }: ToolDescriptor): boolean {
  return annotations.readOnly === true && (!remote || remote.trusted === true)
}

interface JudgedCall {
  readonly tool: ToolDescriptor
  readonly input: JsonValue
  readonly taint: readonly Taint[]
}

/** The consent that a person may give for later calls, too. Null if each call needs its own approval. */
async function rememberableOf(
  context: DrivenRun,
  call: CallState,
  { tool, input, taint }: JudgedCall,
): Promise<Rememberable | null> {
  const { annotations, remote, hasDescribe, hasCommits } = tool
  if (annotations.destructive || hasDescribe || hasCommits || mayMislead(call, tool, taint))
    return null
  if (context.conversation.secrets.isUnclear(call.toolCallId)) return null
  // Annotations count only if the tool's server is trusted.
  const isOpenWorld = remote
    ? !remote.trusted || annotations.openWorld !== false
    : annotations.openWorld
  const effect = isOpenWorld
    ? ({ openWorld: true, ...(remote && { source: remote.source }) } as const)
    : {}
  if (!tool.hasConsentKey) return isOpenWorld && !remote ? null : effect
  const key = await context.page.consentKey(callContext(context, call, input))
  return key === null ? null : { key, ...effect }
}

/** Finds a consent for this tool and key that is in effect and was given in this browser. */
async function consentFor(
  context: DrivenRun,
  { name: toolName, definition }: ToolDescriptor,
  { key }: Rememberable,
): Promise<Consent | undefined> {
  const { conversation, effects } = context
  const consent = conversation.state.consents.find(
    ({ scope, until }) =>
      scope.toolName === toolName &&
      scope.definition === definition &&
      scope.key === key &&
      (until === undefined || effects.now() < until),
  )
  const isFromThisBrowser =
    consent &&
    (await conversation.claims.isNoted(
      'consents',
      consentIdentity(context, consent),
      consent.consentId,
    ))
  return isFromThisBrowser ? consent : undefined
}

/** Identifies a consent by its id and scope, and by the run if it holds for one run only. */
function consentIdentity(
  { runId }: DrivenRun,
  { consentId, scope }: Pick<Consent, 'consentId' | 'scope'>,
): readonly unknown[] {
  return [consentId, scope, scope.within === 'run' && runId]
}

/** The consent that a person gives with an approval. Throws `invalid-input` if each call needs its own approval. */
export async function createConsent(
  context: DrivenRun,
  call: CallState,
  { within, input }: Pick<ConsentScope, 'within'> & { readonly input?: JsonValue | undefined },
): Promise<FactDraft> {
  const { rememberable, decidedBy, toolName, title } = call
  const isEdited = input !== undefined && rememberable?.key !== undefined
  const key = isEdited
    ? await context.page.consentKey(callContext(context, call, input))
    : rememberable?.key
  if (!rememberable || !decidedBy || key === null)
    throw new OffstageError(
      'invalid-input',
      `Calls of ${toolName} can't be allowed in advance: approve it without remember.`,
    )
  const consentId = context.effects.newId('consent-')
  const scope = {
    ...rememberable,
    ...(key !== undefined && { key }),
    toolName,
    ...(title && { title }),
    definition: decidedBy.definition,
    within,
  }
  await context.conversation.claims.note('consents', consentIdentity(context, { consentId, scope }))
  return { type: 'consent-given', consentId, scope }
}

/** Warns the developer, once per run, about a tool that needs approval only because it has no annotations. */
export function warnNoAnnotations(context: CallsContext, { toolName }: CallState): void {
  const { conversation, runId, warnedTools, stream, tools } = context
  if (tools.get(toolName)?.whileTainted !== 'unknown' || warnedTools.has(toolName)) return
  warnedTools.add(toolName)
  const { steps = 1, failedAttempts = 0 } = conversation.run ?? {}
  stream.pushDelta({
    type: 'warning',
    code: 'tool-effect-unknown',
    message: `Calls of ${toolName} need approval after untrusted content was read: the tool has no annotations. Add reversible, openWorld or readOnly.`,
    runId,
    step: steps,
    attempt: failedAttempts + 1,
  })
}

export type Called = Pick<JudgedCall, 'tool' | 'input'>

/** Whether a call runs without approval, is denied, or waits for a person. */
export type ApprovalVerdict =
  /** `consentId`: id of the consent that allows the call. */
  | { readonly type: 'unasked'; readonly consentId?: string }
  | { readonly type: 'denied'; readonly settlement: Settlement }
  | { readonly type: 'ask'; readonly rememberable?: Rememberable }

interface Judgement {
  readonly verdict: ApprovalVerdict
  readonly because: ApprovalReason | null
  /** Only in one-shot mode: whether the page should request approval. */
  readonly asks: boolean
}

/** Decides whether a call needs a person's approval. Takes earlier denials and consents into account. */
export async function judgeApproval(
  context: DrivenRun,
  call: CallState,
  called: Called,
): Promise<Judgement> {
  const { conversation, page } = context
  const { tool, input } = called
  const taint = taintFor(conversation.state, tool, call)
  const because = await approvalReason(context, call, { ...called, taint })
  const isUnclear = conversation.secrets.isUnclear(call.toolCallId)
  const isTaintAReason = because !== null
  const isOneShot = conversation.run?.limits.maxSteps === 0
  const requirement = requiresApproval({ call, tool, taint, isOneShot, isUnclear, isTaintAReason })
  const mustAsk =
    requirement === 'page'
      ? await page.needsApproval(callContext(context, call, input))
      : requirement
  const verdict = mustAsk
    ? await applyEarlierAnswer(context, call, { ...called, taint })
    : ({ type: 'unasked' } as const)
  return { verdict, because, asks: isTaintAReason || isUnclear || mayMislead(call, tool, taint) }
}

/** The reason why taint makes approval necessary, regardless of the app's own rules. Null if it doesn't. */
async function approvalReason(
  context: DrivenRun,
  call: CallState,
  { tool, input, taint }: JudgedCall,
): Promise<ApprovalReason | null> {
  const [firstTaint] = taint
  const asks = asksWhileTainted(call, tool, taint)
  if (firstTaint === undefined || asks === false) return null
  if (asks === 'page' && !(await context.page.commits(callContext(context, call, input))))
    return null
  const { origin, path } = firstTaint
  return { type: 'untrusted-content', origin, ...(path && { path }) }
}

/** Applies an earlier denial or consent to a call that needs approval. */
async function applyEarlierAnswer(
  context: DrivenRun,
  call: CallState,
  judged: JudgedCall,
): Promise<ApprovalVerdict> {
  const denied = answeredCalls(context, call).find((each) => isSameCall(each, judged))
  if (denied?.output?.type === 'denied') {
    const { output } = denied
    return { type: 'denied', settlement: { call, status: 'denied', output, note: DENIED_BEFORE } }
  }
  const rememberable = await rememberableOf(context, call, judged)
  // No consent applies to a call that has already requested approval: it requests approval again.
  const consent =
    rememberable !== null &&
    call.askedAt === undefined &&
    (await consentFor(context, judged.tool, rememberable))
  if (consent) return { type: 'unasked', consentId: consent.consentId }
  return { type: 'ask', ...(rememberable && { rememberable }) }
}

const DENIED_BEFORE = 'A person denied this call before. Do not repeat it in this run.'

/** Calls of the same tool in this run that a person has answered. */
function answeredCalls(
  { conversation, runId }: DrivenRun,
  { toolName, toolCallId }: CallState,
): readonly CallState[] {
  return conversation.state.path
    .filter((node) => node.runId === runId)
    .flatMap(({ calls }) => calls)
    .filter(
      (call) =>
        call.askedAt !== undefined &&
        call.toolCallId !== toolCallId &&
        call.toolName === toolName &&
        !/^(?:proposed|awaiting)/.test(call.status),
    )
}

function isSameCall(
  { status, decidedBy, input }: CallState,
  { tool: { definition }, input: next }: JudgedCall,
): boolean {
  return status === 'denied' && decidedBy?.definition === definition && sameJson(input, next)
}

/**
 * Denials in a row after which a run stops requesting approval: for one tool, and for one tool with the same target.
 */
const MOST_DENIALS = 6
const MOST_DENIALS_OF_TARGET = 3

const TOO_MANY_DENIALS =
  'Denied without asking: similar calls were denied. Do not repeat it in this run.'

/** Denies other waiting calls of the same tool, once a denial has reached the maximum in a row. */
export function denySiblings(
  context: DrivenRun,
  { call, status }: Settlement,
): readonly Settlement[] {
  const { calls = [] } = (status === 'denied' && context.conversation.run) || {}
  return calls.flatMap((sibling) => {
    const { toolName, status: siblingStatus } = sibling
    const isWaitingSibling =
      sibling !== call && toolName === call.toolName && siblingStatus === 'awaiting-approval'
    const request = { ...sibling, newest: [{ ...call, status }] }
    return (isWaitingSibling && tooOftenDenied(context, sibling, request)) || []
  })
}

/**
 * Denies a call if similar calls were denied several times in a row. The chat shows the reason, too. `newest`: a denial
 * that isn't stored yet.
 */
export function tooOftenDenied(
  context: DrivenRun,
  call: CallState,
  request: Pick<CallState, 'about' | 'rememberable'> & { readonly newest?: readonly CallState[] },
): Settlement | null {
  const answered = [...answeredCalls(context, call), ...(request.newest ?? [])]
  const target = targetOf(request)
  const sameTarget = answered.filter((each) => target !== undefined && targetOf(each) === target)
  const isOver =
    denialsAtEnd(answered) >= MOST_DENIALS || denialsAtEnd(sameTarget) >= MOST_DENIALS_OF_TARGET
  if (!isOver) return null
  return { call, status: 'denied', output: { type: 'denied', reason: TOO_MANY_DENIALS } }
}

function targetOf({ about, rememberable }: Pick<CallState, 'about' | 'rememberable'>) {
  return rememberable?.key ?? about?.text
}

function denialsAtEnd(calls: readonly CallState[]): number {
  return calls.length - 1 - calls.findLastIndex(({ status }) => status !== 'denied')
}
