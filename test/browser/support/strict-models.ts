import { createServer, type ServerResponse } from 'node:http'
import { listen } from './listen.ts'
import { checkChat, checkMessages, type Issued } from './strict-rules.ts'

/** Vendors that reject data signed by another vendor. */
export type House = 'openai' | 'anthropic' | 'minimax'

/** The model's answer in one turn, independent of the format. */
export interface StrictAnswer {
  readonly thinking: string
  readonly text: string
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: object }[]
}

export interface StrictRequest {
  readonly house: House
  readonly text: string
}

/** Servers that refuse whatever the vendors' own would refuse, and say why. */
export interface StrictModels {
  readonly baseURLs: Readonly<Record<House, string>>
  readonly requests: readonly StrictRequest[]
  readonly complaints: readonly string[]
  /** Signatures and reasoning that a house has given out. */
  readonly issued: readonly Issued[]
  enqueue(...answers: readonly StrictAnswer[]): void
  close(): Promise<void>
}

export async function startStrictModels(): Promise<StrictModels> {
  const queue: StrictAnswer[] = []
  const issued: Issued[] = []
  const requests: StrictRequest[] = []
  const complaints: string[] = []
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader(
      'access-control-allow-headers',
      request.headers['access-control-request-headers'] ?? '',
    )
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    let text = ''
    request.setEncoding('utf8').on('data', (piece) => (text += String(piece)))
    request.on('end', () => {
      const house = request.url?.split('/')[1] as House
      requests.push({ house, text })
      answer(response, house, JSON.parse(text))
    })
  })
  const { url, close } = await listen(server)
  return {
    baseURLs: {
      openai: `${url}/openai/v1`,
      anthropic: `${url}/anthropic`,
      minimax: `${url}/minimax/anthropic`,
    },
    requests,
    complaints,
    issued,
    enqueue: (...answers) => void queue.push(...answers),
    close,
  }

  function answer(response: ServerResponse, house: House, body: unknown): void {
    const own = issued.filter((thing) => thing.house === house)
    const complaint = house === 'openai' ? checkChat(body, own) : checkMessages(body, own)
    const next = complaint === undefined ? queue.shift() : undefined
    if (!next) {
      complaints.push(`${house}: ${complaint ?? 'nothing left to say'}`)
      response.writeHead(400, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify({ error: { message: complaint } }))
    }
    const signature = `sig/${house}+${issued.length}==`
    issued.push({ house, thinking: next.thinking, signature })
    const events = house === 'openai' ? chatEvents(next) : messagesEvents(next, signature)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
  }
}

function chatEvents({ thinking, text, calls = [] }: StrictAnswer): object[] {
  const chunk = (delta: object, finish: string | null = null): object => ({
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  return [
    chunk({ role: 'assistant', reasoning_content: thinking }),
    chunk({ content: text }),
    ...calls.map(({ id, name, input }, index) =>
      chunk({
        tool_calls: [
          { index, id, type: 'function', function: { name, arguments: JSON.stringify(input) } },
        ],
      }),
    ),
    chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
  ]
}

function messagesEvents({ thinking, text, calls = [] }: StrictAnswer, signature: string): object[] {
  const blocks = [
    {
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        { type: 'thinking_delta', thinking },
        { type: 'signature_delta', signature },
      ],
    },
    { start: { type: 'text', text: '' }, deltas: [{ type: 'text_delta', text }] },
    ...calls.map(({ id, name, input }) => ({
      start: { type: 'tool_use', id, name, input: {} },
      deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }],
    })),
  ]
  return [
    { type: 'message_start', message: { role: 'assistant', content: [] } },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn' } },
    { type: 'message_stop' },
  ]
}
