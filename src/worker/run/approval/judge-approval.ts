import { sameJson } from '../../../lib/same-json.ts'
import type { Rememberable } from '../../../protocol/fact.ts'
import type { CallState } from '../../../protocol/state.ts'
import type { AskedBecause } from '../../../protocol/taint.ts'
import { callContext, type RunContext } from '../run-context.ts'
import type { Settlement } from '../settlement.ts'
import { taintFor } from './approval-context.ts'
import { consentFor, rememberableOf, type JudgedCall } from './consents.ts'
import { asksWhileTainted, isAsked, mayMislead } from './is-asked.ts'

/** A call's tool and input. */
export type Called = Pick<JudgedCall, 'tool' | 'input'>

/** Whether a call runs without approval, is denied, or waits for a person. */
export type ApprovalVerdict =
  /** `consentId`: id of the consent that allows the call. */
  | { readonly type: 'unasked'; readonly consentId?: string }
  | { readonly type: 'denied'; readonly settlement: Settlement }
  | { readonly type: 'ask'; readonly rememberable?: Rememberable }

interface Judgement {
  readonly verdict: ApprovalVerdict
  readonly because: AskedBecause | null
  /** Whether the page should request approval, if this is one-shot mode. */
  readonly asks: boolean
}

/** Decides whether a call needs a person's approval. Earlier denials and consents count. */
export async function judgeApproval(
  context: RunContext,
  call: CallState,
  called: Called,
): Promise<Judgement> {
  const { conversation, page } = context
  const { tool, input } = called
  const taint = taintFor(conversation.state, tool, call)
  const because = await whyAsked(context, call, { ...called, taint })
  const isUnclear = conversation.sealed.isUnclear(call.toolCallId)
  const isTaintAReason = because !== null
  const isOneShot = conversation.run?.limits.maxSteps === 0
  const isNeeded = isAsked({ call, tool, taint, isOneShot, isUnclear, isTaintAReason })
  const mustAsk =
    isNeeded === 'page' ? await page.needsApproval(callContext(context, call, input)) : isNeeded
  const verdict = mustAsk
    ? await answerBefore(context, call, { ...called, taint })
    : ({ type: 'unasked' } as const)
  return { verdict, because, asks: isTaintAReason || isUnclear || mayMislead(call, tool, taint) }
}

/** The reason why taint makes approval necessary, whatever the app's own rules are. Null: none. */
async function whyAsked(
  context: RunContext,
  call: CallState,
  { tool, input, taint }: JudgedCall,
): Promise<AskedBecause | null> {
  const [first] = taint
  const asks = asksWhileTainted(call, tool, taint)
  if (first === undefined || asks === false) return null
  if (asks === 'page' && !(await context.page.commits(callContext(context, call, input))))
    return null
  const { origin, path } = first
  return { type: 'untrusted-content', origin, ...(path && { path }) }
}

/** Applies an earlier denial or consent to a call that needs approval. */
async function answerBefore(
  context: RunContext,
  call: CallState,
  judged: JudgedCall,
): Promise<ApprovalVerdict> {
  const denied = answeredBefore(context, call).find((each) => isSameCall(each, judged))
  if (denied?.output?.type === 'denied') {
    const { output } = denied
    return { type: 'denied', settlement: { call, status: 'denied', output, note: DENIED_BEFORE } }
  }
  const rememberable = await rememberableOf(context, call, judged)
  // A call that has requested approval requests it again, whatever consent was given since.
  const consent =
    rememberable !== null &&
    call.askedAt === undefined &&
    (await consentFor(context, judged.tool, rememberable))
  if (consent) return { type: 'unasked', consentId: consent.consentId }
  return { type: 'ask', ...(rememberable && { rememberable }) }
}

const DENIED_BEFORE = 'A person denied this call before. Do not repeat it in this run.'

/** Calls of the same tool in this run that a person has answered. */
function answeredBefore(
  { conversation, runId }: RunContext,
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

/** Denials in a row after which a run stops requesting approval: for a tool, and for a tool with the same target. */
const MOST_DENIALS = 6
const MOST_DENIALS_OF_TARGET = 3

const OVER = 'Denied without asking: similar calls were denied. Do not repeat it in this run.'

/** Denies other waiting calls of the same tool, once a denial has reached the maximum in a row. */
export function deniedTogether(
  context: RunContext,
  { call, status }: Settlement,
): readonly Settlement[] {
  const { calls = [] } = (status === 'denied' && context.conversation.run) || {}
  return calls.flatMap((sibling) => {
    const { toolName, status: now } = sibling
    const isBeside = sibling !== call && toolName === call.toolName && now === 'awaiting-approval'
    const asked = { ...sibling, newest: [{ ...call, status }] }
    return (isBeside && tooOftenDenied(context, sibling, asked)) || []
  })
}

/**
 * Denies a call if people keep denying similar ones. The person reads the reason, too. `newest` holds a denial that
 * isn't stored yet.
 */
export function tooOftenDenied(
  context: RunContext,
  call: CallState,
  asked: Pick<CallState, 'about' | 'rememberable'> & { readonly newest?: readonly CallState[] },
): Settlement | null {
  const before = [...answeredBefore(context, call), ...(asked.newest ?? [])]
  const target = targetOf(asked)
  const ofTarget = before.filter((each) => target !== undefined && targetOf(each) === target)
  const isOver =
    denialsAtEnd(before) >= MOST_DENIALS || denialsAtEnd(ofTarget) >= MOST_DENIALS_OF_TARGET
  if (!isOver) return null
  return { call, status: 'denied', output: { type: 'denied', reason: OVER } }
}

function targetOf({ about, rememberable }: Pick<CallState, 'about' | 'rememberable'>) {
  return rememberable?.key ?? about?.text
}

function denialsAtEnd(calls: readonly CallState[]): number {
  return calls.length - 1 - calls.findLastIndex(({ status }) => status !== 'denied')
}
