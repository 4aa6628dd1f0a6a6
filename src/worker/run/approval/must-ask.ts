import type { JsonValue } from '../../../protocol/json.ts'
import type { CallState } from '../../../protocol/state.ts'
import type { AskedBecause } from '../../../protocol/taint.ts'
import type { ToolDescriptor } from '../../../protocol/tool.ts'
import { callContext, type ReadyCall, type RunContext } from '../run-context.ts'
import { isAsked, type ApprovalContext } from './is-asked.ts'

/** A call with what is to run. */
export interface JudgedCall {
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

/** Whether a person is to be asked, by the table of `isAsked`. */
export async function mustAsk(
  context: RunContext,
  call: CallState,
  judged: JudgedCall,
): Promise<boolean> {
  const { tool, input, about, because } = judged
  const asks = isAsked({
    call,
    tool,
    about,
    isOneShot: context.conversation.run?.limits.maxSteps === 0,
    isUnclear: context.conversation.sealed.isUnclear(call.toolCallId),
    isTaintAReason: because !== null,
  })
  return asks === 'page' ? context.page.needsApproval(callContext(context, call, input)) : asks
}
