import type { JsonValue } from '../../protocol/json.ts'
import type { CallState } from '../../protocol/state.ts'
import type { AskedBecause } from '../../protocol/taint.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'
import { asksBecauseOfTaint, type ApprovalContext } from './approval-rules.ts'
import { callContext, type RunContext } from './run-context.ts'

interface Judged {
  readonly tool: ToolDescriptor
  readonly input: JsonValue
  readonly about: ApprovalContext
}

/** Why a person is to be asked, whatever the app's own rules are; null: there is no reason. */
export async function whyAsked(
  context: RunContext,
  call: CallState,
  { tool, input, about }: Judged,
): Promise<AskedBecause | null> {
  const [first] = about.taint
  const asks = asksBecauseOfTaint(call, tool, about)
  if (first === undefined || asks === false) return null
  if (asks === 'page' && !(await context.page.commits(callContext(context, call, input))))
    return null
  const { origin, path } = first
  return { type: 'untrusted-content', origin, ...(path && { path }) }
}
