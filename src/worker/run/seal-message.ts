import { findRepeats, type Repeats } from '../../lib/replace-repeats.ts'
import { sameJson } from '../../lib/same-json.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type {
  AssistantMessage,
  CallError,
  ProviderMetadata,
  ToolCallPart,
} from '../../protocol/message.ts'
import { replaceInJson, replaceInNames } from '../../protocol/replace-in.ts'
import { sealedValues } from '../../protocol/sealed.ts'
import type { SealedInputs } from './sealed-inputs.ts'
import type { ToolTable } from './tool-table.ts'

/** A call's input, as written by the model (`whole`) and with placeholders for its secrets (`stored`). */
export interface SealedInput {
  readonly toolCallId: string
  readonly whole: JsonValue
  readonly stored: JsonValue
}

interface Sealing {
  readonly tools: Pick<ToolTable, 'get'>
  readonly inputs: readonly SealedInput[]
  readonly sealed: SealedInputs
  /** Whether a tool accepts this input. */
  readonly fits: (toolName: string, input: JsonValue) => boolean
}

/** Replaces an unknown tool name that holds a secret. Servers refuse a placeholder's characters in names. */
const SEALED_NAME = 'sealed_name'

/** Removes the secrets of sealed inputs from the rest of the message: texts, other calls and vendor metadata. */
export function sealMessage<Message extends AssistantMessage>(
  message: Message,
  { inputs, sealed, tools, fits }: Sealing,
): Message {
  const secrets = inputs.flatMap(({ whole, stored }) => sealedValues(stored, whole))
  if (secrets.length === 0) return message
  const repeats = findRepeats(new Map(secrets.map(({ seal, value }) => [String(value), seal])))
  const stored = new Map(inputs.map((input) => [input.whole, input.stored]))
  const parts = message.parts.map((part): AssistantMessage['parts'][number] => {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return { ...part, text: repeats.replace(part.text) }
      case 'tool-call': {
        const { toolCallId } = part
        const isSecretName = !tools.get(part.toolName) && repeats.isIn(part.toolName)
        const toolName = isSecretName ? SEALED_NAME : part.toolName
        if (part.error) return withoutRepeats({ ...part, toolName }, repeats)
        // Nothing opens the placeholders of a control call such as `ask_user`: its input is only shown and read.
        const input = tools.get(toolName)?.control
          ? replaceInJson(part.input, repeats.replace)
          : sealed.seal(toolCallId, part.input, (value) => repeats.isIn(`${value}`))
        const whole = inputs.find((one) => one.toolCallId === toolCallId)?.whole ?? part.input
        // A tool that runs gets property names as the model wrote them. Otherwise names lose their secrets, too.
        const shown = fits(toolName, whole) ? input : replaceInNames(input, repeats.replace)
        stored.set(whole, shown)
        return { ...part, toolName, input: shown }
      }
      case 'file':
        return part
      default:
        return part satisfies never
    }
  })
  // Dropped: the ACTION text is built again from the calls' inputs.
  const { actionText: _text, providerMetadata, ...rest } = message
  const metadata = providerMetadata && sealedMetadata(providerMetadata, { stored, repeats })
  return { ...(rest as Message), parts, ...(metadata && { providerMetadata: metadata }) }
}

function withoutRepeats(
  part: Extract<ToolCallPart, { readonly error: CallError }>,
  { isIn, replace }: Repeats,
): ToolCallPart {
  const { rawInput, error, ...rest } = part
  return {
    ...rest,
    error: { ...error, message: replace(error.message) },
    ...(rawInput !== undefined && !isIn(rawInput) && { rawInput }),
  }
}

/** Vendor metadata with sealed inputs. Undefined if another secret is in it: a replacement breaks what is signed. */
function sealedMetadata(
  metadata: ProviderMetadata,
  {
    stored,
    repeats,
  }: { readonly stored: ReadonlyMap<JsonValue, JsonValue>; readonly repeats: Repeats },
): ProviderMetadata | undefined {
  const sealed = withInputs(metadata, stored) as ProviderMetadata
  return sameJson(replaceInJson(sealed, repeats.replace), sealed) ? sealed : undefined
}

/** Replaces inputs in metadata, since some vendors want their calls back as they sent them. */
function withInputs(value: JsonValue, stored: ReadonlyMap<JsonValue, JsonValue>): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  for (const [whole, input] of stored) if (sameJson(whole, value)) return input
  if (Array.isArray(value)) return value.map((each: JsonValue) => withInputs(each, stored))
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, withInputs(each, stored)]),
  )
}
