import type { JsonValue } from '../../protocol/json.ts'
import type { CallState } from '../../protocol/state.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'
import { checkInput } from '../validation/check-input.ts'
import { callContext, type RunContext } from './run-context.ts'

/** A call whose input is to be stored. */
export type SealedCall = Pick<CallState, 'toolCallId' | 'toolName'>

/**
 * Replaces the input's secrets with placeholders, so that it may be stored. The tool says which values are secret. If
 * it can't, or if the input is invalid, all texts and numbers count as secret.
 */
export async function sealInput(
  context: RunContext,
  call: SealedCall,
  { tool, input }: { readonly tool: ToolDescriptor | undefined; readonly input: JsonValue },
): Promise<JsonValue> {
  if (!tool?.seals) return input
  const { sealed } = context.conversation
  const isValid = checkInput(context.validator, tool, input) === null
  const secrets = isValid ? await secretsIn(context, call, input) : EVERYTHING
  if (secrets === null) sealed.markUnclear(call.toolCallId)
  const pointers = secrets ?? EVERYTHING
  return sealed.seal(call.toolCallId, input, (_value, pointer) =>
    pointers.some((at) => pointer === at || pointer.startsWith(`${at}/`)),
  )
}

function secretsIn(
  context: RunContext,
  call: SealedCall,
  input: JsonValue,
): Promise<readonly string[] | null> {
  return (
    context.page
      .secretsIn(callContext(context, call, input))
      // The run was stopped, or the page is gone. All values then count as secret.
      .catch(() => null)
  )
}

/** JSON pointers to all secrets: here, the whole input. */
const EVERYTHING = ['']
