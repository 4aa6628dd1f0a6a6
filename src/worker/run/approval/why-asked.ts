import type { CallState } from '../../../protocol/state.ts'
import type { AskedBecause } from '../../../protocol/taint.ts'
import { asksWhileTainted } from './is-asked.ts'
import { callContext, type RunContext } from '../run-context.ts'
import type { JudgedCall } from './must-ask.ts'

/** Why a person is to be asked, whatever the app's own rules are; null: there is no reason. */
export async function whyAsked(
  context: RunContext,
  call: CallState,
  { tool, input, about }: Pick<JudgedCall, 'tool' | 'input' | 'about'>,
): Promise<AskedBecause | null> {
  const [first] = about.taint
  const asks = asksWhileTainted(call, tool, about)
  if (first === undefined || asks === false) return null
  if (asks === 'page' && !(await context.page.commits(callContext(context, call, input))))
    return null
  const { origin, path } = first
  return { type: 'untrusted-content', origin, ...(path && { path }) }
}
