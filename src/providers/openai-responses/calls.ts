import type { StreamPart } from '../../protocol/stream-part.ts'
import type { ToolDefinition } from '../../protocol/tool.ts'
import { createArgumentText } from '../core/argument-text.ts'
import { asArguments } from '../core/argument-value.ts'
import { newCallId } from '../core/new-call-id.ts'
import { callParts, type OutputEnd, type Settlement } from '../core/read-input.ts'
import { asList, asRecord, asText, parseJson } from '../core/read-json.ts'
import { withoutNulls } from '../core/strict-nulls.ts'
import type { Item } from './items.ts'

type CallRef = Parameters<typeof callParts>[0]

interface Calling {
  readonly tools: readonly ToolDefinition[]
  readonly isStrict: boolean
  readonly items: readonly Item[]
}

/** A call of the page's tools. Calls of other types run at the vendor's. */
export function isCall({ value }: Item): boolean {
  return value['type'] === 'function_call'
}

/** A wrapper around several calls, which OpenAI's models write by mistake: `{ tool_uses: [ … ] }`. */
export function isWrapper({ tools }: Pick<Calling, 'tools'>, { value }: Item): boolean {
  const name = asText(value['name']) ?? ''
  return /^(?:multi_tool_use\.)?parallel$/.test(name) && !tools.some((tool) => tool.name === name)
}

/** Shows a call once it has a name, with the arguments that came before the name. */
export function openCall(calling: Pick<Calling, 'tools'>, item: Item): StreamPart[] {
  const { value } = item
  const toolName = asText(value['name'])
  if (!isCall(item) || toolName === undefined || item.toolCallId !== undefined) return []
  const toolCallId = asText(value['call_id']) ?? asText(value['id']) ?? newCallId()
  item.toolCallId = toolCallId
  if (isWrapper(calling, item)) return []
  const delta = item.shown.get('arguments')
  return [
    { type: 'tool-input-start', toolCallId, toolName },
    ...(delta === undefined ? [] : [{ type: 'tool-input-delta', toolCallId, delta } as const]),
  ]
}

/** Every call. A call gets an input only after `output_item.done` or `function_call_arguments.done`. */
export function settledCalls(calling: Calling, end: OutputEnd): StreamPart[] {
  const calls = calling.items.filter(isCall)
  return calls.flatMap((item, at) => {
    const settlement: Settlement = {
      end: item.isDone ? end : 'cut',
      isLast: at === calls.length - 1,
      isDone: true,
      hasStray: false,
      tools: calling.tools,
    }
    return settle(calling, item, settlement)
  })
}

function settle(calling: Calling, item: Item, settlement: Settlement): StreamPart[] {
  const { value, shown } = item
  const args = asArguments(value['arguments']) || (shown.get('arguments') ?? '')
  const toolName = asText(value['name']) ?? ''
  const given = asText(value['call_id'])
  const { toolCallId = given ?? newCallId() } = item
  const uses = isWrapper(calling, item) ? asList(asRecord(parseJson(args))?.['tool_uses']) : []
  if (uses.length > 0)
    return uses.flatMap((use, at) => {
      const { recipient_name: name, parameters } = asRecord(use) ?? {}
      return partsOf(calling, settlement, {
        toolCallId: `${toolCallId}_${at + 1}`,
        toolName: (asText(name) ?? '').replace(/^functions\./, ''),
        args: asArguments(parameters) ?? '',
      })
    })
  const isOther = given !== undefined && given !== toolCallId
  const call = { toolCallId, toolName, args }
  return partsOf(calling, settlement, isOther ? { ...call, providerCallId: given } : call)
}

function partsOf(
  { isStrict, tools }: Calling,
  settlement: Settlement,
  { args, ...ref }: CallRef & { readonly args: string },
): StreamPart[] {
  const text = createArgumentText()
  text.push(args)
  const parts = callParts(ref, text, settlement)
  return isStrict ? parts.map((part) => withoutNulls(part, tools)) : parts
}
