import type { JsonObject } from '../../protocol/json.ts'
import type {
  AssistantMessage,
  Message,
  ToolCallPart,
  ToolMessage,
} from '../../protocol/message.ts'
import { asObjects, asRecord } from '../core/read-json.ts'
import { legalToolName } from '../core/wire-names.ts'
import { createWireIds, type WireIds } from '../core/wire-ids.ts'
import { healHistory } from '../heal-history.ts'
import type { ModelRequest } from '../provider.ts'
import { withFilesAsInput } from '../sent-files.ts'
import { resultBlock, textBlocks, userBlocks } from './content.ts'

/** A turn on its way into the request body. Roles alternate, so blocks are added to the last one. */
export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: JsonObject[]
}

export interface TurnsOptions {
  readonly providerId: string
  readonly takesFiles: boolean
}

/** The conversation in the form of the Messages API, without system text and trailer. */
export function messagesTurns(request: ModelRequest, options: TurnsOptions): Turn[] {
  const turns: Turn[] = []
  const ids = createWireIds({ pattern: /^[a-zA-Z0-9_-]{1,64}$/, length: 24 })
  for (const message of withFilesAsInput(healHistory(request.messages))) {
    addBlocks(turns, roleOf(message), blocksOf(message, ids, options))
  }
  const answered = withoutUnanswered(turns)
  // The API requires a user turn first.
  if (answered[0]?.role === 'assistant') {
    answered.unshift({ role: 'user', content: textBlocks('(The conversation goes on.)') })
  }
  return answered
}

/**
 * The API's own tools have their results in the content that follows their calls. A turn that was paused
 * before, and never continued, is refused unless such calls are left out. (Calls of the page's tools may be
 * made by the code that the API runs; its result comes after theirs.)
 */
function withoutUnanswered(turns: readonly Turn[]): Turn[] {
  const results = new Set(
    turns.flatMap(({ content }) => content.map((block) => block['tool_use_id'])),
  )
  const kept: Turn[] = []
  for (const [at, { role, content }] of turns.entries()) {
    const isOver = at < turns.length - 1 && !content.some(isUse)
    const isAnswered = (block: JsonObject): boolean =>
      !/^(server|mcp)_tool_use$/.test(String(block['type'])) || results.has(block['id'])
    addBlocks(kept, role, isOver ? content.filter(isAnswered) : content)
  }
  return kept
}

/** Adds blocks to the last turn when it has the role, else as a turn of their own. */
export function addBlocks(turns: Turn[], role: Turn['role'], blocks: readonly JsonObject[]): void {
  if (blocks.length === 0) return
  const last = turns[turns.length - 1]
  if (last?.role === role) last.content.push(...blocks)
  else turns.push({ role, content: [...blocks] })
}

function roleOf(message: Message): Turn['role'] {
  return message.role === 'assistant' ? 'assistant' : 'user'
}

function blocksOf(message: Message, ids: WireIds, options: TurnsOptions): JsonObject[] {
  switch (message.role) {
    case 'system':
      return []
    case 'user':
      return userBlocks(message.parts, options.takesFiles)
    case 'assistant':
      return assistantBlocks(message, ids, options)
    case 'tool':
      return resultBlocks(message, ids, options)
    default:
      return message satisfies never
  }
}

function assistantBlocks(
  message: AssistantMessage,
  ids: WireIds,
  { providerId }: TurnsOptions,
): JsonObject[] {
  const calls = message.parts.filter((part) => part.type === 'tool-call')
  const uses = calls.map((call) => useBlock(call, ids.next(call)))
  const own = asObjects(message.providerMetadata?.[providerId]?.['content'])
  // The stored content counts while it holds the same calls as the message.
  if (own.length > 0 && own.filter(isUse).length === calls.length) {
    return own.flatMap((block) =>
      isUse(block) ? [{ ...block, ...idAndName(uses.shift()) }] : replayable(block),
    )
  }
  const text = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return [...textBlocks(text), ...uses]
}

function useBlock(call: ToolCallPart, id: string): JsonObject {
  const input = asRecord(call.input) as JsonObject | undefined
  return { type: 'tool_use', id, name: legalToolName(call.toolName), input: input ?? {} }
}

function idAndName(use: JsonObject | undefined): JsonObject {
  return use ? { id: use['id'] ?? '', name: use['name'] ?? '' } : {}
}

/** Blank texts are refused. */
function replayable(block: JsonObject): JsonObject[] {
  const isBlank = block['type'] === 'text' && String(block['text'] ?? '').trim() === ''
  return isBlank ? [] : [block]
}

function isUse(block: JsonObject): boolean {
  return block['type'] === 'tool_use'
}

function resultBlocks(message: ToolMessage, ids: WireIds, options: TurnsOptions): JsonObject[] {
  return message.parts.map((part) => resultBlock(part, ids.of(part.toolCallId), options.takesFiles))
}
