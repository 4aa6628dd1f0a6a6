import { suggestName } from '../../action/suggest.ts'
import type { FactOf } from '../../protocol/fact.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { ToolCallPart } from '../../protocol/message.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'
import { forModel } from '../model/model-names.ts'
import type { RunContext } from './run-context.ts'
import { checkInput } from '../validation/check-input.ts'
import { sealInput } from './seal-input.ts'
import { sealMessage, type SealedInput } from './seal-message.ts'
import { withoutQuotes, withoutRaw, UNREAD } from './unread-calls.ts'

type ModelOutput = Omit<FactOf<'model-output'>, 'parentId'>

/**
 * Replaces secrets in the output with placeholders, so that it may be stored. The calls' tools name the secrets, and
 * repetitions elsewhere in the output are replaced, too. Returns the output unchanged if no tool has secrets.
 */
export async function sealOutput(context: RunContext, output: ModelOutput): Promise<ModelOutput> {
  const { sealing } = context.tools
  if (sealing.length === 0) return output
  const { message } = output
  const inputs: SealedInput[] = []
  const parts: (typeof message.parts)[number][] = []
  let isUnread = output.feedback !== undefined
  for (const part of message.parts) {
    if (part.type !== 'tool-call' || !maySeal(context, part.toolName)) parts.push(part)
    else if (part.error) {
      isUnread = true
      parts.push(withoutRaw(part, sealing))
    } else {
      const input = await storedInput(context, part)
      inputs.push({ toolCallId: part.toolCallId, whole: part.input, stored: input })
      parts.push({ ...part, input })
    }
  }
  const { feedback } = output
  return {
    ...output,
    message: sealMessage(
      { ...message, parts, ...(isUnread && textOfUnread(message.actionText, context)) },
      { inputs, sealed: context.conversation.sealed, tools: context.tools, fits: fitsIn(context) },
    ),
    ...(feedback && {
      feedback: {
        ...feedback,
        error: { ...feedback.error, message: withoutQuotes(feedback.error.message, sealing) },
        text: withoutQuotes(feedback.text, sealing),
      },
    }),
  }
}

function fitsIn({ tools, validator }: RunContext): (toolName: string, input: JsonValue) => boolean {
  return (toolName, input) => {
    const tool = tools.get(toolName)
    return tool !== undefined && checkInput(validator, tool, input) === null
  }
}

/** Whether the tool may have secrets. An unknown name counts if it resembles such a tool's name. */
export function maySeal({ tools }: Pick<RunContext, 'tools'>, toolName: string): boolean {
  const tool = tools.get(toolName)
  return tool ? tool.seals === true : suggestName(toolName, namesOf(tools.sealing)) !== undefined
}

function storedInput(
  context: RunContext,
  { toolCallId, toolName, input }: ToolCallPart & { readonly input: JsonValue },
): Promise<JsonValue> | JsonValue {
  const tool = context.tools.get(toolName)
  return tool
    ? sealInput(context, { toolCallId, toolName }, { tool, input })
    : context.conversation.sealed.seal(toolCallId, input, () => true)
}

/** Hides ACTION text that names a tool with secrets, if it could not be read: anything in it may be secret. */
function textOfUnread(
  actionText: string | undefined,
  { tools }: RunContext,
): { readonly actionText: string } | null {
  const isNamed = namesOf(tools.sealing).some((name) => actionText?.includes(name))
  return isNamed ? { actionText: UNREAD } : null
}

/** Names that the model knows. */
function namesOf(tools: readonly ToolDescriptor[]): string[] {
  return tools.map((tool) => forModel(tool).name)
}
