import type { JsonValue } from '../../protocol/json.ts'
import type { CallState } from '../../protocol/state.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'
import { checkInput } from '../validation/check-input.ts'
import { callContext, type RunContext } from './run-context.ts'

/** A call of which an input is to be stored. */
export type SealedCall = Pick<CallState, 'toolCallId' | 'toolName'>

/**
 * The input as it may be stored: with seals in place of what its tool says is secret. Where the tool can't say, or the
 * input isn't one of the tool's, all texts and numbers are.
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
      // The run is stopped, or the page is gone: nobody waits for what is secret.
      .catch(() => null)
  )
}

/** A pointer to the whole input. */
const EVERYTHING = ['']
