import type { FactOf } from '../../protocol/fact.ts'
import type { CallState } from '../../protocol/state.ts'
import { decide } from './decide.ts'
import { runsUnasked } from './approval/is-asked.ts'
import type { RunContext } from './run-context.ts'
import { nextGroup, startsOf, type Start } from './starts.ts'
import { lookAhead } from './look-ahead.ts'
import { forbidden } from './skill-rules.ts'
import { taintFor } from './approval/approval-context.ts'
import { checkInput } from '../validation/check-input.ts'

type ModelOutput = Omit<FactOf<'model-output'>, 'parentId'>

/**
 * Calls that can start with the commit of their output, which saves one wait for the disk per step. Empty if a hook, an
 * approval, an invalid call, one-shot mode or redaction is involved: such calls are prepared first.
 */
export function headStart(context: RunContext, output: ModelOutput): Start[] {
  const { conversation, tools } = context
  if (conversation.run?.limits.maxSteps === 0 || tools.hasBeforeToolCall || context.signal.aborted)
    return []
  if (conversation.redacts) return []
  const next = lookAhead(conversation, [output])
  if (next === null || next.calls.length === 0 || decide(next) !== 'run-tools') return []
  if (!next.calls.every((call) => isPlain(context, call) && !forbidden(context, call))) return []
  return startsOf(context, nextGroup(next.calls))
}

function isPlain({ conversation, tools, validator }: RunContext, call: CallState): boolean {
  const tool = tools.get(call.toolName)
  if (tool === undefined || call.error !== null || tool.control !== undefined) return false
  const taint = taintFor(conversation.state, tool)
  const isUnclear = conversation.sealed.isUnclear(call.toolCallId)
  if (!runsUnasked({ call, tool, taint, isUnclear, isOneShot: false })) return false
  const whole = conversation.sealed.open(call.toolCallId, call.input)
  return whole !== null && checkInput(validator, tool, whole) === null
}
