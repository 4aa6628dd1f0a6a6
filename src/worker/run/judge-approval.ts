import { sameJson } from '../../lib/same-json.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { ConsentScope, Rememberable } from '../../protocol/fact.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { CallState, ConversationState } from '../../protocol/state.ts'
import type { AskedBecause } from '../../protocol/taint.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { asksByRule, mayMislead, type ApprovalContext } from './approval-rules.ts'
import { callContext, type ReadyCall, type RunContext } from './run-context.ts'
import type { Settlement } from './settlement.ts'

/** A call with what is to run. */
interface Judged {
  readonly tool: ToolDescriptor
  readonly input: JsonValue
  readonly about: ApprovalContext
  /** Words of others are a reason to ask. */
  readonly because: AskedBecause | null
  /** What is about to be asked together with it. */
  readonly asked: readonly (Pick<ReadyCall, 'by'> & {
    readonly call: CallState
    readonly because?: AskedBecause
  })[]
}

/** Whether a call runs unasked, is denied, or waits for a person. */
export type ApprovalVerdict =
  /** `consentId`: of the consent that it runs by. */
  | { readonly type: 'unasked'; readonly consentId?: string }
  | { readonly type: 'denied'; readonly settlement: Settlement }
  | { readonly type: 'ask'; readonly rememberable?: Rememberable }
  /** `by`: the call whose answer it waits for. */
  | { readonly type: 'held'; readonly by: string }

/** Whether a person is to be asked before a call runs, or has said before what becomes of it. */
export async function judgeApproval(
  context: RunContext,
  call: CallState,
  judged: Judged,
): Promise<ApprovalVerdict> {
  if (!(await mustAsk(context, call, judged))) return { type: 'unasked' }
  const denied = deniedBefore(context, call, judged)
  if (denied?.output?.type === 'denied') {
    const { output } = denied
    return { type: 'denied', settlement: { call, status: 'denied', output, note: DENIED_BEFORE } }
  }
  const rememberable = await rememberableOf(context, call, judged)
  if (rememberable === null) return (await heldBy(context, call, judged)) ?? { type: 'ask' }
  // One that was asked about is asked about again, whatever was consented to meanwhile.
  const consent =
    call.askedAt === undefined && consentFor(context, { ...rememberable, ...scopeOf(judged.tool) })
  if (consent) return { type: 'unasked', consentId: consent.consentId }
  return (await heldBy(context, call, judged)) ?? { type: 'ask', rememberable }
}

/**
 * The earlier call of the same answer of the model whose approval would have nobody asked about this one: that of a
 * tool which is asked about once in a conversation. Null where there is none, or another reason to ask.
 */
async function heldBy(
  context: RunContext,
  call: CallState,
  judged: Judged,
): Promise<Extract<ApprovalVerdict, { readonly type: 'held' }> | null> {
  const { tool, because, asked } = judged
  if (because === null || tool.whileTainted !== 'once' || call.path.length > 1) return null
  const calls = context.conversation.run?.calls ?? []
  const place = calls.findIndex(({ toolCallId }) => toolCallId === call.toolCallId)
  const earlier =
    calls.slice(0, Math.max(0, place)).find((each) => {
      const isAsked = each.status === 'awaiting-approval' && each.because !== undefined
      return isAsked && isOf(tool, each.toolName, each.decidedBy?.definition)
    }) ??
    asked.find((each) => each.because && isOf(tool, each.call.toolName, each.by.definition))?.call
  if (!earlier || (await mustAsk(context, call, { ...judged, because: null }))) return null
  return { type: 'held', by: earlier.toolCallId }
}

function isOf(tool: ToolDescriptor, toolName: string, definition: string | undefined): boolean {
  return tool.name === toolName && tool.definition === definition
}

async function mustAsk(
  context: RunContext,
  call: CallState,
  { tool, input, about, because }: Judged,
): Promise<boolean> {
  // In one-shot mode the page runs the call itself, and asks whom it likes.
  if (context.conversation.run?.limits.maxSteps === 0) return false
  // Whatever a policy says now: what a person was asked about is not done unasked, by another tool of that name.
  if (call.askedAt !== undefined) return true
  if (because || context.conversation.sealed.isUnclear(call.toolCallId)) return true
  const approval = asksByRule(call, tool, about)
  if (approval !== 'page') return approval
  return context.page.needsApproval(callContext(context, call, input))
}

const DENIED_BEFORE =
  'A person denied this same call before, and was not asked again. Do not repeat it in this run.'

/** A call of the run that a person denied: of the same tool, with the same input. */
function deniedBefore(
  { conversation, runId }: RunContext,
  { toolName, toolCallId }: CallState,
  { tool: { definition }, input }: Judged,
): CallState | undefined {
  return conversation.state.path
    .filter((node) => node.runId === runId)
    .flatMap(({ calls }) => calls)
    .find(
      (call) =>
        call.status === 'denied' &&
        call.askedAt !== undefined &&
        call.toolCallId !== toolCallId &&
        call.toolName === toolName &&
        call.decidedBy?.definition === definition &&
        sameJson(call.input, input),
    )
}

/** What a person may consent to beyond the call; null: to nothing, since they are to see each one. */
async function rememberableOf(
  context: RunContext,
  call: CallState,
  { tool, input, about }: Judged,
): Promise<Rememberable | null> {
  const { annotations, remote, describes, commits } = tool
  if (annotations.destructive || describes || commits || mayMislead(call, tool, about)) return null
  if (context.conversation.sealed.isUnclear(call.toolCallId)) return null
  // Only what a trusted server says of its own tool counts.
  const isOpenWorld = remote
    ? !remote.trusted || annotations.openWorld !== false
    : annotations.openWorld
  const effect = isOpenWorld ? ({ openWorld: true } as const) : {}
  if (!tool.hasConsentKey) return isOpenWorld ? null : {}
  const key = await context.page.consentKey(callContext(context, call, input))
  return key === null ? null : { key, ...effect }
}

type Wanted = Pick<ConsentScope, 'toolName' | 'definition' | 'key'>

function scopeOf({ name: toolName, definition }: ToolDescriptor): Omit<Wanted, 'key'> {
  return { toolName, definition }
}

function consentFor(
  { conversation, effects }: RunContext,
  { toolName, definition, key }: Wanted,
): ConversationState['consents'][number] | undefined {
  return conversation.state.consents.find(
    ({ scope, until }) =>
      scope.toolName === toolName &&
      scope.definition === definition &&
      scope.key === key &&
      (until === undefined || effects.now() < until),
  )
}

/** The consent that a person gives with their approval of a call. Throws `invalid-input` where they are asked each time. */
export async function consentGiven(
  context: RunContext,
  call: CallState,
  { within, input }: Pick<ConsentScope, 'within'> & { readonly input?: JsonValue },
): Promise<FactDraft> {
  const { rememberable, decidedBy, toolName, title } = call
  const isEdited = input !== undefined && rememberable?.key !== undefined
  const key = isEdited
    ? await context.page.consentKey(callContext(context, call, input))
    : rememberable?.key
  if (!rememberable || !decidedBy || key === null)
    throw new OffstageError(
      'invalid-input',
      `A person is asked about each call of ${toolName}, or about this one in any case: approve it without remember.`,
    )
  return {
    type: 'consent-given',
    consentId: context.effects.newId('consent-'),
    scope: {
      ...rememberable,
      ...(key !== undefined && { key }),
      toolName,
      ...(title && { title }),
      definition: decidedBy.definition,
      within,
    },
  }
}
