import { sameJson } from '../../../lib/same-json.ts'
import type { Rememberable } from '../../../protocol/fact.ts'
import type { CallState } from '../../../protocol/state.ts'
import type { RunContext } from '../run-context.ts'
import type { Settlement } from '../settlement.ts'
import { consentFor, rememberableOf } from './consents.ts'
import { heldBy } from './held-by.ts'
import { mustAsk, type JudgedCall } from './must-ask.ts'

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
  judged: JudgedCall,
): Promise<ApprovalVerdict> {
  if (!(await mustAsk(context, call, judged))) return { type: 'unasked' }
  const denied = deniedBefore(context, call, judged)
  if (denied?.output?.type === 'denied') {
    const { output } = denied
    return { type: 'denied', settlement: { call, status: 'denied', output, note: DENIED_BEFORE } }
  }
  const rememberable = await rememberableOf(context, call, judged)
  // One that was asked about is asked about again, whatever was consented to meanwhile.
  const consent =
    rememberable !== null &&
    call.askedAt === undefined &&
    consentFor(context, judged.tool, rememberable)
  if (consent) return { type: 'unasked', consentId: consent.consentId }
  const by = await heldBy(context, call, judged)
  if (by !== null) return { type: 'held', by }
  return { type: 'ask', ...(rememberable && { rememberable }) }
}

const DENIED_BEFORE =
  'A person denied this same call before, and was not asked again. Do not repeat it in this run.'

/** A call of the run that a person denied: of the same tool, with the same input. */
function deniedBefore(
  { conversation, runId }: RunContext,
  { toolName, toolCallId }: CallState,
  { tool: { definition }, input }: JudgedCall,
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
