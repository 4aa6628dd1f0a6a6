import { plainName, suggestName } from '../../action/suggest.ts'
import type { FactOf } from '../../protocol/fact.ts'
import type { JsonValue } from '../../protocol/json.ts'
import {
  type AssistantMessage,
  type CallError,
  type ProviderMetadata,
  replaceInJson,
  replaceInNames,
  type ToolCallPart,
} from '../../protocol/message.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'
import { forModel, type NamedTool } from '../model/model-names.ts'
import { callContext, type CallsContext, type DrivenRun } from './run-context.ts'
import { checkInput } from '../validation/check-input.ts'
import type { SecretReplacer } from '../../lib/replace-repeats.ts'
import { sameJson } from '../../lib/json/same-json.ts'
import { sealedValues } from '../../protocol/sealed.ts'
import { replacerFor } from './call-secrets.ts'
import type { CallState } from '../../protocol/state.ts'

/** A call whose input is to be stored. */
type SealedCall = Pick<CallState, 'toolCallId' | 'toolName'>

/**
 * Replaces the input's secrets with placeholders, so that the input may be stored. The tool's `secretsIn` names the
 * secret values. If it fails, or if the input is invalid, all texts and numbers are treated as secret.
 */
export async function hideInputSecrets(
  context: CallsContext,
  call: SealedCall,
  { tool, input }: { readonly tool: ToolDescriptor | undefined; readonly input: JsonValue },
): Promise<JsonValue> {
  if (!tool?.hasSecretsIn) return input
  const { secrets: callSecrets } = context.conversation
  // Checks the input with its secrets: a placeholder may not fit the schema where its value does.
  const inputWithSecrets = callSecrets.restore(call.toolCallId, input) ?? input
  const isValid = checkInput(context.validator, tool, inputWithSecrets) === null
  const secrets = isValid ? await secretsIn(context, call, input) : EVERYTHING
  if (secrets === null) callSecrets.markUnclear(call.toolCallId)
  const pointers = secrets ?? EVERYTHING
  return callSecrets.hide(call.toolCallId, input, (_value, pointer) =>
    pointers.some(
      (secretPointer) => pointer === secretPointer || pointer.startsWith(`${secretPointer}/`),
    ),
  )
}

function secretsIn(
  context: DrivenRun,
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

/** JSON pointer to the whole input, which marks all of its values as secret. */
const EVERYTHING = ['']

/** A call's input, as written by the model (`original`) and with placeholders for its secrets (`stored`). */
interface SealedInput {
  readonly toolCallId: string
  readonly original: JsonValue
  readonly stored: JsonValue
}

/** Replaces an unknown tool name that contains a secret. A placeholder has characters that servers refuse in names. */
const SEALED_NAME = 'sealed_name'

/** Removes the secrets of the inputs from the rest of the message: texts, other calls and vendor metadata. */
function sealMessage<Message extends AssistantMessage>(
  message: Message,
  inputs: readonly SealedInput[],
  { conversation, tools, validator }: CallsContext,
): Message {
  const secrets = inputs.flatMap(({ original, stored }) => sealedValues(stored, original))
  if (secrets.length === 0) return message
  const repeats = replacerFor(secrets)
  const stored = new Map(inputs.map((input) => [input.original, input.stored]))
  const parts = message.parts.map((part): AssistantMessage['parts'][number] => {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return { ...part, text: repeats.replace(part.text) }
      case 'tool-call': {
        const { toolCallId } = part
        const tool = tools.get(part.toolName)
        const isSecretName = !tool && repeats.hasSecret(part.toolName)
        const toolName = isSecretName ? SEALED_NAME : part.toolName
        if (part.error) return withoutRepeats({ ...part, toolName }, repeats)
        // The placeholders of a control call, such as `ask_user`, never get their values back: its input is only
        // displayed.
        const input = tool?.control
          ? replaceInJson(part.input, repeats.replace)
          : conversation.secrets.hide(toolCallId, part.input, (value) =>
              repeats.hasSecret(`${value}`),
            )
        const original =
          inputs.find((each) => each.toolCallId === toolCallId)?.original ?? part.input
        // A call that will run needs its property names unchanged. In other calls, secrets are removed from names, too.
        const isValid = tool && checkInput(validator, tool, original) === null
        const shownInput = isValid ? input : replaceInNames(input, repeats.replace)
        stored.set(original, shownInput)
        return { ...part, toolName, input: shownInput }
      }
      case 'file':
        return part
      default:
        return part satisfies never
    }
  })
  // Drops `actionText`: requests rebuild it from the calls' inputs.
  const { actionText: _text, providerMetadata, ...rest } = message
  const metadata = providerMetadata && sealedMetadata(providerMetadata, { stored, repeats })
  return { ...(rest as Message), parts, ...(metadata && { providerMetadata: metadata }) }
}

function withoutRepeats(
  part: Extract<ToolCallPart, { readonly error: CallError }>,
  { hasSecret, replace }: SecretReplacer,
): ToolCallPart {
  const { rawInput, error, ...rest } = part
  return {
    ...rest,
    error: { ...error, message: replace(error.message) },
    ...(rawInput !== undefined && !hasSecret(rawInput) && { rawInput }),
  }
}

/**
 * Vendor metadata with placeholders in the calls' inputs. Undefined if it contains secrets elsewhere: replacing them
 * would break signatures.
 */
function sealedMetadata(
  metadata: ProviderMetadata,
  {
    stored,
    repeats,
  }: { readonly stored: ReadonlyMap<JsonValue, JsonValue>; readonly repeats: SecretReplacer },
): ProviderMetadata | undefined {
  const sealed = withInputs(metadata, stored) as ProviderMetadata
  return sameJson(replaceInJson(sealed, repeats.replace), sealed) ? sealed : undefined
}

/** Replaces inputs in metadata, which for some vendors contains the calls as the vendor sent them. */
function withInputs(value: JsonValue, stored: ReadonlyMap<JsonValue, JsonValue>): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  for (const [original, input] of stored) if (sameJson(original, value)) return input
  if (Array.isArray(value)) return value.map((each: JsonValue) => withInputs(each, stored))
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, withInputs(each, stored)]),
  )
}

/** Replaces the text of a call that could not be read. */
const UNREAD = '(A call that could not be read. It may hold a secret.)'

const HIDDEN = '(not repeated)'

/** Names that the ACTION format itself uses. */
const FORMAT_NAMES = ['action', 'actions', 'parameters', 'params', 'arguments', 'item', 'name']

/** Removes the model's text from a call that could not be read, because any part of the text may be secret. */
function withoutRaw(
  part: Extract<ToolCallPart, { readonly error: CallError }>,
  tools: readonly NamedTool[],
): ToolCallPart {
  const { rawInput: _raw, error, ...rest } = part
  const message =
    // The browser's error message for invalid JSON quotes some of the text.
    error.code === 'invalid-json' ? RESEND : withoutQuotes(error.message, tools)
  return { ...rest, error: { ...error, message } }
}

const RESEND = 'Send the call again with valid JSON.'

/** Removes quotations from the message, except names of tools, of their parameters and of the ACTION format. */
function withoutQuotes(message: string, tools: readonly NamedTool[]): string {
  const names = tools.map(forModel).map(({ name, inputSchema }) => [name, inputSchema])
  const knownNames = JSON.stringify([FORMAT_NAMES, names])
  const isKnown = (text: string): boolean => knownNames.includes(JSON.stringify(text))
  let result = ''
  let remaining = message
  for (;;) {
    const start = remaining.search(/(?<![\p{L}\p{N}])["']/u)
    if (start === -1) break
    const quote = remaining.charAt(start)
    const end = remaining.indexOf(quote, start + 1)
    if (end !== -1 && isKnown(remaining.slice(start + 1, end))) {
      result += remaining.slice(0, end + 1)
      remaining = remaining.slice(end + 1)
    } else {
      // A quotation may contain the same quotation mark, so everything up to the last such mark is hidden.
      const last = remaining.lastIndexOf(quote)
      result += `${remaining.slice(0, start)}${HIDDEN}`
      remaining = last > start ? remaining.slice(last + 1) : ''
    }
  }
  return `${result}${remaining}`.replace(/<\/?([^\s<>/]+)/g, (tag, name: string) =>
    isKnown(name) ? tag : HIDDEN,
  )
}

/** A model's output, before its parent message is known. */
export type ModelOutput = Omit<FactOf<'model-output'>, 'parentId'>

/**
 * Replaces secrets in the output with placeholders, so that it may be stored. The calls' tools name the secrets, which
 * are also replaced elsewhere in the output. Returns the output unchanged if no tool has secrets.
 */
export async function hideOutputSecrets(
  context: CallsContext,
  output: ModelOutput,
): Promise<ModelOutput> {
  const { toolsWithSecrets } = context.tools
  if (toolsWithSecrets.length === 0) return output
  const { feedback } = output
  const { actionText, providerMetadata, ...message } = output.message
  const plainText = plainName(actionText ?? '')
  // If a call doesn't run, no `secretsIn` names its secrets. They may be in the model's text and the vendor's metadata,
  // too.
  let isHidden = namesOf(toolsWithSecrets).some((name) => plainText.includes(plainName(name)))
  let hasError = feedback !== undefined
  const inputs: SealedInput[] = []
  const parts: (typeof message.parts)[number][] = []
  for (const part of message.parts) {
    const isCall = part.type === 'tool-call'
    if (isCall && part.error) hasError = true
    if (!isCall || !mayHaveSecrets(context, part.toolName)) parts.push(part)
    else if (part.error) {
      isHidden = true
      parts.push(withoutRaw(part, toolsWithSecrets))
    } else {
      const input = await storedInput(context, part)
      inputs.push({ toolCallId: part.toolCallId, original: part.input, stored: input })
      parts.push({ ...part, input })
    }
  }
  return {
    ...output,
    message: sealMessage(
      {
        ...message,
        parts,
        ...(providerMetadata && !isHidden && { providerMetadata }),
        ...(actionText !== undefined &&
          (hasError || !isHidden) && { actionText: isHidden ? UNREAD : actionText }),
      },
      inputs,
      context,
    ),
    ...(feedback && {
      feedback: {
        ...feedback,
        error: {
          ...feedback.error,
          message: withoutQuotes(feedback.error.message, toolsWithSecrets),
        },
        text: withoutQuotes(feedback.text, toolsWithSecrets),
      },
    }),
  }
}

/** Whether the tool may have secrets. True for an unknown name that resembles the name of a tool with secrets. */
export function mayHaveSecrets({ tools }: Pick<DrivenRun, 'tools'>, toolName: string): boolean {
  const tool = tools.get(toolName)
  return tool
    ? tool.hasSecretsIn === true
    : suggestName(toolName, namesOf(tools.toolsWithSecrets)) !== undefined
}

function storedInput(
  context: CallsContext,
  { toolCallId, toolName, input }: ToolCallPart & { readonly input: JsonValue },
): Promise<JsonValue> | JsonValue {
  const tool = context.tools.get(toolName)
  return tool
    ? hideInputSecrets(context, { toolCallId, toolName }, { tool, input })
    : context.conversation.secrets.hide(toolCallId, input, () => true)
}

/** Names that the model knows. */
function namesOf(tools: readonly ToolDescriptor[]): string[] {
  return tools.map((tool) => forModel(tool).name)
}
