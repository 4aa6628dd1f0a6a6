/** Data that a vendor has issued and accepts back only unchanged. */
export interface Issued {
  readonly house: string
  readonly thinking: string
  readonly signature: string
}

interface ChatMessage {
  readonly role: string
  readonly content?: unknown
  readonly reasoning_content?: string
  readonly tool_call_id?: string
  readonly tool_calls?: readonly {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
}

interface Block {
  readonly type: string
  readonly id?: string
  readonly tool_use_id?: string
  readonly text?: string
  readonly thinking?: string
  readonly signature?: string
  readonly input?: unknown
}

interface Turn {
  readonly role: string
  readonly content: readonly Block[]
}

const CHAT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content'],
  user: ['role', 'content'],
  assistant: ['role', 'content', 'tool_calls', 'reasoning_content'],
  tool: ['role', 'content', 'tool_call_id'],
}

/** Why a Chat Completions server refuses the request, or undefined. */
export function checkChat(body: unknown, issued: readonly Issued[]): string | undefined {
  const { messages } = body as { readonly messages: readonly ChatMessage[] }
  const ids = new Set<string>()
  let open: string[] = []
  for (const [at, message] of messages.entries()) {
    const where = `messages[${at}] (${message.role})`
    const fields = CHAT_FIELDS[message.role]
    const foreign = Object.keys(message).filter((field) => !fields?.includes(field))
    if (!fields || foreign.length > 0) return `${where} has the fields ${foreign.join()}`
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id ?? '')) return `${where} answers no call`
      open = open.filter((id) => id !== message.tool_call_id)
      continue
    }
    if (open.length > 0) return `${where} stands where ${open.join()} should be answered`
    const calls = message.tool_calls ?? []
    if (typeof message.content !== 'string' && calls.length === 0) return `${where} is empty`
    const thought = message.reasoning_content
    if (thought !== undefined && !issued.some(({ thinking }) => thinking === thought))
      return `${where} has reasoning of another house`
    for (const { id, function: call } of calls) {
      if (ids.has(id) || id.length > 40 || id === '') return `${where} has the id ${id}`
      ids.add(id)
      open.push(id)
      if (!isObject(JSON.parse(call.arguments))) return `${where} has no arguments`
    }
  }
  return open.length > 0 ? `${open.join()} isn't answered` : undefined
}

/** Why a Messages server refuses the request, or undefined. */
export function checkMessages(body: unknown, issued: readonly Issued[]): string | undefined {
  const { messages } = body as { readonly messages: readonly Turn[] }
  const ids = new Set<string>()
  let open: string[] = []
  for (const [at, { role, content }] of messages.entries()) {
    const where = `messages[${at}] (${role})`
    if (role !== (at % 2 === 0 ? 'user' : 'assistant')) return `${where} breaks the alternation`
    if (content.length === 0) return `${where} is empty`
    const results = content.filter(({ type }) => type === 'tool_result')
    const answered = results.map((block) => block.tool_use_id ?? '')
    if (answered.toSorted().join() !== open.toSorted().join())
      return `${where} answers [${answered.join()}] instead of [${open.join()}]`
    if (content.slice(0, results.length).some(({ type }) => type !== 'tool_result'))
      return `${where} doesn't begin with its results`
    open = []
    for (const block of content) {
      const complaint = checkBlock(block, role, issued)
      if (complaint !== undefined) return `${where} ${complaint}`
      if (block.type !== 'tool_use') continue
      const { id = '' } = block
      if (ids.has(id) || !/^[a-zA-Z0-9_-]+$/.test(id)) return `${where} has the id ${id}`
      ids.add(id)
      open.push(id)
    }
  }
  return open.length > 0 ? `${open.join()} isn't answered` : undefined
}

function checkBlock(block: Block, role: string, issued: readonly Issued[]): string | undefined {
  switch (block.type) {
    case 'text':
      return block.text?.trim() ? undefined : 'has blank text'
    case 'tool_result':
      return role === 'user' ? undefined : 'has a result'
    case 'tool_use':
      return role === 'assistant' && isObject(block.input) ? undefined : 'has a wrong call'
    case 'thinking': {
      const own = issued.find(({ signature }) => signature === block.signature)
      return own?.thinking === block.thinking ? undefined : 'has thinking that was not signed here'
    }
    default:
      return `has a block of type ${block.type}`
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
