import type { Message } from '../../protocol/message.ts'
import { asObjects, asRecord, asText, type JsonRecord } from '../../providers/core/read-json.ts'

/** A wire format: Chat Completions, Responses, or Anthropic's Messages. */
export type WireFormat = 'chat' | 'responses' | 'messages'

interface RefusalFields {
  /** Default 400. */
  readonly status?: number
  readonly param?: string
  readonly code?: string
  /** Default: tells official clients not to retry, because a script gives the same answer each time. */
  readonly headers?: Readonly<Record<string, string>>
}

/** An error response, which doesn't depend on the vendor's format. */
export class Refusal extends Error {
  readonly status: number
  readonly param: string | null
  readonly code: string | null
  readonly headers: Readonly<Record<string, string>>

  constructor(
    message: string,
    { status = 400, param, code, headers = { 'x-should-retry': 'false' } }: RefusalFields = {},
  ) {
    super(message)
    this.status = status
    this.param = param ?? null
    this.code = code ?? null
    this.headers = headers
  }
}

/** The parts of a valid request that the mock uses. */
export interface ParsedRequest {
  readonly format: WireFormat
  readonly model: string
  readonly isStreamed: boolean
  /** Chat Completions: true if the stream ends with a chunk of usage. */
  readonly wantsUsage: boolean
  /** Estimated from the length of the request. */
  readonly inputTokens: number
  /** Messages in order, with text only for user messages. A script's position depends on nothing else. */
  readonly messages: readonly Message[]
}

/** Reads the body of a request. Throws a `Refusal` if the vendor's API would refuse the request. */
export function readRequest(format: WireFormat, body: JsonRecord): ParsedRequest {
  const model = asText(body['model'])
  if (model === undefined) throw new Refusal(NO_MODEL[format])
  const messages = readers[format](body)
  const { instructions, system, tools, input, messages: rawMessages } = body
  return {
    format,
    model,
    isStreamed: body['stream'] === true,
    wantsUsage: asRecord(body['stream_options'])?.['include_usage'] === true,
    inputTokens: estimateByLength(
      JSON.stringify([instructions, system, tools, input, rawMessages]),
    ),
    messages,
  }
}

/** Four characters are about one token of English. */
export function estimateByLength(text: string): number {
  return Math.ceil(text.length / 4)
}

const NO_MODEL: Readonly<Record<WireFormat, string>> = {
  chat: 'you must provide a model parameter',
  responses: "Missing required parameter: 'model'.",
  messages: 'model: Field required',
}

const readers: Readonly<Record<WireFormat, (body: JsonRecord) => Message[]>> = {
  chat: readChat,
  responses: readResponses,
  messages: readMessages,
}

/**
 * Text that Offstage sends between tool results and a user message, for servers that require an assistant message
 * there.
 */
const BRIDGE = 'I have read the tool results.'

function readChat({ messages: rawMessages }: JsonRecord): Message[] {
  if (!Array.isArray(rawMessages))
    throw new Refusal("Missing required parameter: 'messages'.", {
      param: 'messages',
      code: 'missing_required_parameter',
    })
  if (rawMessages.length === 0)
    throw new Refusal(
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      { param: 'messages', code: 'empty_array' },
    )
  const unanswered = new Set<string>()
  const messages = rawMessages.flatMap((entry: unknown, at) =>
    chatMessage(asRecord(entry) ?? {}, at, unanswered),
  )
  checkChatAnswered(unanswered, rawMessages.length)
  return messages
}

function chatMessage(message: JsonRecord, at: number, unanswered: Set<string>): Message[] {
  const { role, content } = message
  if (role !== 'tool') checkChatAnswered(unanswered, at)
  switch (role) {
    case 'system':
    case 'developer':
    case 'function':
      return []
    case 'user':
      return userMessage(content)
    case 'assistant':
      for (const { id } of asObjects(message['tool_calls'])) unanswered.add(String(id))
      return content === BRIDGE ? [] : [{ role, parts: [] }]
    case 'tool':
      if (unanswered.delete(String(message['tool_call_id']))) return [{ role, parts: [] }]
      throw new Refusal(
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        { param: `messages.[${at}].role` },
      )
    default:
      throw new Refusal(
        `Invalid value: '${String(role)}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
        { param: `messages[${at}].role`, code: 'invalid_value' },
      )
  }
}

function checkChatAnswered(unanswered: ReadonlySet<string>, at: number): void {
  if (unanswered.size === 0) return
  throw new Refusal(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...unanswered].join(', ')}`,
    { param: `messages.[${at}].role` },
  )
}

function readResponses(body: JsonRecord): Message[] {
  const { input, previous_response_id: previous } = body
  if (previous !== undefined && previous !== null)
    throw new Refusal(`Previous response with id '${String(previous)}' not found.`, {
      param: 'previous_response_id',
      code: 'previous_response_not_found',
    })
  if (typeof input === 'string') return userMessage(input)
  if (!Array.isArray(input))
    throw new Refusal("Missing required parameter: 'input'.", {
      param: 'input',
      code: 'missing_required_parameter',
    })
  const unanswered = new Set<string>()
  const messages: Message[] = []
  for (const item of asObjects(input)) {
    const { type, role, content, call_id: callId } = item
    const isCall = type === 'function_call'
    if (isCall) unanswered.add(String(callId))
    // All items of one answer are one message.
    if (isCall || role === 'assistant') {
      if (messages.at(-1)?.role !== 'assistant') messages.push({ role: 'assistant', parts: [] })
    } else if (role === 'user') messages.push(...userMessage(content))
    else if (type === 'function_call_output') {
      if (!unanswered.delete(String(callId)))
        throw new Refusal(
          `No tool call found for function call output with call_id ${String(callId)}.`,
          { param: 'input' },
        )
      messages.push({ role: 'tool', parts: [] })
    }
  }
  for (const id of unanswered)
    throw new Refusal(`No tool output found for function call ${id}.`, { param: 'input' })
  return messages
}

function readMessages({ messages: rawMessages, max_tokens: maxTokens }: JsonRecord): Message[] {
  if (typeof maxTokens !== 'number') throw new Refusal('max_tokens: Field required')
  if (!Array.isArray(rawMessages)) throw new Refusal('messages: Field required')
  if (rawMessages.length === 0) throw new Refusal('messages: at least one message is required')
  let uses: string[] = []
  const messages = rawMessages.flatMap((entry: unknown, at) => {
    const { role, content } = asRecord(entry) ?? {}
    if (role !== 'user' && role !== 'assistant')
      throw new Refusal(
        `messages: Unexpected role "${String(role)}". Allowed roles are "user" or "assistant".`,
      )
    const blocks = asObjects(content)
    const results = blocks.filter(({ type }) => type === 'tool_result')
    checkResults(
      results.map((block) => String(block['tool_use_id'])),
      uses,
      at,
    )
    uses = blocks.flatMap(({ type, id }) => (type === 'tool_use' ? [String(id)] : []))
    if (role === 'assistant') return [{ role, parts: [] } as const]
    const otherBlocks = blocks.filter(({ type }) => type !== 'tool_result')
    const toolMessages: Message[] = results.length > 0 ? [{ role: 'tool', parts: [] }] : []
    const isOnlyResults = results.length > 0 && otherBlocks.length === 0
    return [...toolMessages, ...(isOnlyResults ? [] : userMessage(asText(content) ?? otherBlocks))]
  })
  checkResults([], uses, rawMessages.length)
  return messages
}

/** Throws unless the message at `at` has results for exactly the calls of the previous message. */
function checkResults(results: readonly string[], uses: readonly string[], at: number): void {
  const missing = uses.filter((id) => !results.includes(id))
  if (missing.length > 0)
    throw new Refusal(
      `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    )
  const stray = results.findIndex((id) => !uses.includes(id))
  if (stray >= 0)
    throw new Refusal(
      `messages.${at}.content.${stray}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${results[stray]}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
    )
}

const FILES = /^Files from (?:the tool results|your answer) above:$/

/** Text that Offstage adds to the end of a request: live context, memories, the plan, notices. */
const TRAILER =
  /(?:^|\n\n)(?:Context, as of now:\n|Memories that may be of use|Your plan, as of now:\n|The run's limit of |This is the last step you have\.|You have asked for the same calls )[^]*$/

/**
 * Returns a person's message. Empty if Offstage added all of its text, because such a message must not restart a
 * script.
 */
function userMessage(content: unknown): Message[] {
  const parts = typeof content === 'string' ? [{ text: content }] : asObjects(content)
  const texts = parts.flatMap((part) => asText(part['text']) ?? [])
  const userTexts = texts
    .map((text) => text.replace(FILES, '').replace(TRAILER, ''))
    .filter((text) => text !== '')
  const isAdded = texts.some((text) => FILES.test(text)) || texts.length === parts.length
  if (userTexts.length === 0 && texts.length > 0 && isAdded) return []
  return [{ role: 'user', parts: userTexts.map((text) => ({ type: 'text', text })) }]
}
