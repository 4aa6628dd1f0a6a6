// Servers of MCP, made with the official SDKs, for tests: copied to .cache/mcp and imported from there.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  McpServer,
} from '@modelcontextprotocol/server'
import * as z from 'zod/v4'

/** Registers the tools that both servers offer. Tests read and change `state`. */
function register(server, state, { elicit, isModern }) {
  const { log } = state
  const words = (text) => ({ content: [{ type: 'text', text }] })
  const weather = server.registerTool(
    'get-weather',
    {
      title: 'Weather',
      description: state.description,
      inputSchema: z.object({ city: z.string() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ city }) => {
      log.push(`get-weather ${city}`)
      return words(`Sunny in ${city}`)
    },
  )
  server.registerTool(
    'send_mail',
    { description: 'Sends a mail.', inputSchema: z.object({ to: z.string() }) },
    async ({ to }) => {
      log.push(`send_mail ${to}`)
      return words(`Sent to ${to}`)
    },
  )
  server.registerTool(
    'count',
    { description: 'Counts.', inputSchema: z.object({ to: z.number() }) },
    async ({ to }, context) => {
      const request = context.mcpReq ?? context
      const { progressToken } = request._meta ?? {}
      const notify = request.notify ?? context.sendNotification
      for (let progress = 1; progress <= to; progress++) {
        // The stream ends early; what follows waits for the client that resumes it.
        if (state.cutsStream && progress === 2) context.closeSSEStream?.()
        if (progressToken !== undefined)
          await notify({
            method: 'notifications/progress',
            params: { progressToken, progress, total: to, message: `at ${progress}` },
          })
      }
      log.push(`counted to ${to}`)
      return words(`Counted to ${to}`)
    },
  )
  server.registerTool(
    'wait',
    { description: 'Waits until it is cancelled.', inputSchema: z.object({}) },
    async (_input, context) => {
      const { signal } = context.mcpReq ?? context
      log.push('wait begun')
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      log.push('wait cancelled')
      return words('never seen')
    },
  )
  server.registerTool('fail', { description: 'Fails.', inputSchema: z.object({}) }, async () => ({
    content: [{ type: 'text', text: 'The stock is empty.' }],
    isError: true,
  }))
  server.registerTool(
    'picture',
    { description: 'Draws.', inputSchema: z.object({}) },
    async () => ({
      content: [
        { type: 'text', text: 'A dot:' },
        { type: 'image', data: PIXEL, mimeType: 'image/png' },
        { type: 'resource_link', uri: 'note://1', name: 'Note 1', description: 'a link' },
        { type: 'resource', resource: { uri: 'note://2', text: 'Note two' } },
      ],
    }),
  )
  server.registerTool(
    'facts',
    {
      description: 'Data.',
      inputSchema: z.object({}),
      outputSchema: z.object({ answer: z.number() }),
    },
    async () => ({
      content: [{ type: 'text', text: '{"answer":42}' }],
      structuredContent: { answer: 42 },
    }),
  )
  server.registerTool(
    'book',
    {
      description: 'Books a table. Asks for how many.',
      inputSchema: z.object({ day: z.string() }),
    },
    elicit,
  )
  if (isModern)
    server.registerTool(
      'regional',
      {
        description: 'Takes a header.',
        inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
      },
      async ({ region }) => words(`In ${region}`),
    )
  const addExtra = () =>
    server.registerTool('extra', { description: 'New.', inputSchema: z.object({}) }, async () =>
      words('extra'),
    )
  if (state.extraTool) addExtra()
  server.registerResource(
    'greeting',
    'note://greeting',
    { description: 'A greeting', mimeType: 'text/plain' },
    async (uri) => ({ contents: [{ uri: uri.href, text: 'Hello from a resource' }] }),
  )
  server.registerPrompt(
    'review',
    {
      description: 'Reviews.',
      argsSchema: isModern ? z.object({ code: z.string() }) : { code: z.string() },
    },
    ({ code }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Please review ${code}` } }],
    }),
  )
  let [description, hasExtra] = [state.description, state.extraTool]
  /** For servers that live longer than a request: what the test changed. */
  return () => {
    if (description !== state.description) weather.update({ description: state.description })
    if (state.extraTool && !hasExtra) addExtra()
    ;[description, hasExtra] = [state.description, state.extraTool]
  }
}

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const SEATS = z.object({ seats: z.number().int().min(1).meta({ title: 'Seats' }) })

function modernServer(state) {
  const server = new McpServer(
    { name: 'shop', title: 'The shop', version: '1.0.0' },
    { instructions: 'Always call send_mail first.' },
  )
  register(server, state, {
    isModern: true,
    elicit: async ({ day }, context) => {
      const answer = acceptedContent(context.mcpReq.inputResponses, 'seats', SEATS)
      const said = context.mcpReq.inputResponses?.seats
      if (!said) {
        state.log.push(`book asks for ${day}`)
        return inputRequired({
          inputRequests: {
            seats: inputRequired.elicit({ message: `How many on ${day}?`, requestedSchema: SEATS }),
          },
        })
      }
      state.log.push(`book ${day} ${answer?.seats ?? said.action}`)
      return {
        content: [{ type: 'text', text: answer ? `${answer.seats} on ${day}` : said.action }],
      }
    },
  })
  return server
}

function oldServer(state) {
  const server = new OldServer(
    { name: 'shop', title: 'The shop', version: '1.0.0' },
    { instructions: 'Always call send_mail first.' },
  )
  const update = register(server, state, {
    isModern: false,
    elicit: async ({ day }, context) => {
      state.log.push(`book asks for ${day}`)
      const params = {
        message: `How many on ${day}?`,
        requestedSchema: {
          type: 'object',
          properties: { seats: { type: 'integer', minimum: 1, title: 'Seats' } },
          required: ['seats'],
        },
      }
      const { action, content } = state.asksAside
        ? await server.server.elicitInput(params)
        : await context.sendRequest({ method: 'elicitation/create', params }, z.any())
      state.log.push(`book ${day} ${content?.seats ?? action}`)
      return { content: [{ type: 'text', text: content ? `${content.seats} on ${day}` : action }] }
    },
  })
  return { server, update }
}

/** A server of revision 2026-07-28 alone. */
export async function startModern(options = {}) {
  const state = newState(options)
  const handler = createMcpHandler(() => modernServer(state), { legacy: 'reject' })
  const serve = toNodeHandler(handler)
  const running = await listen(state, (request, response) => void serve(request, response))
  return {
    ...running,
    toolsChanged: () => handler.notify.toolsChanged(),
    async close() {
      await handler.close()
      await running.close()
    },
  }
}

/** A server of the revisions with sessions. */
export async function startLegacy(options = {}) {
  const state = newState(options)
  const sessions = new Map()
  const running = await listen(state, async (request, response) => {
    const id = request.headers['mcp-session-id']
    if (typeof id === 'string') {
      const known = sessions.get(id)
      if (request.method === 'POST') known?.update()
      if (known) return known.transport.handleRequest(request, response)
      response.writeHead(404, { 'content-type': 'application/json' })
      return response.end(
        '{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}',
      )
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (made) => void sessions.set(made, { transport, update }),
      ...(options.eventStore && { eventStore: memoryEventStore(), retryInterval: 10 }),
    })
    const { server, update } = oldServer(state)
    await server.connect(transport)
    return transport.handleRequest(request, response)
  })
  return {
    ...running,
    toolsChanged() {
      for (const { update } of sessions.values()) update()
    },
    /** Every session is over. */
    forget: () => sessions.clear(),
    sessions: () => sessions.size,
    async close() {
      for (const { transport } of sessions.values()) await transport.close()
      await running.close()
    },
  }
}

function newState({ cors, description = 'Says the weather.', token, protection, asksAside }) {
  return {
    log: [],
    requests: [],
    description,
    extraTool: false,
    cors,
    token,
    protection,
    asksAside,
    cutsStream: false,
  }
}

/** Answers on 127.0.0.1, with the CORS headers that the test asks for. */
async function listen(state, serve) {
  const server = createServer((request, response) => {
    state.requests.push({ method: request.method, headers: request.headers })
    const cors = state.cors ?? GOOD_CORS
    for (const [name, value] of Object.entries(cors)) if (value) response.setHeader(name, value)
    if (request.method === 'OPTIONS') return response.writeHead(204).end()
    if (state.protection && request.url.startsWith('/.well-known/oauth-protected-resource')) {
      response.writeHead(200, { 'content-type': 'application/json' })
      return response.end(JSON.stringify(state.protection))
    }
    if (state.token && request.headers.authorization !== `Bearer ${state.token}`) {
      response.writeHead(401, { 'content-type': 'text/plain', 'www-authenticate': 'Bearer' })
      return response.end('no')
    }
    return serve(request, response)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${server.address().port}`
  return {
    state,
    origin,
    url: `${origin}/mcp`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const GOOD_CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
  'access-control-allow-headers':
    'content-type, authorization, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, mcp-param-region, last-event-id',
  'access-control-expose-headers': 'mcp-session-id, www-authenticate',
}

function memoryEventStore() {
  const events = new Map()
  return {
    async storeEvent(streamId, message) {
      const eventId = `${streamId}_${events.size}`
      events.set(eventId, { streamId, message })
      return eventId
    },
    async replayEventsAfter(lastEventId, { send }) {
      const { streamId } = events.get(lastEventId) ?? {}
      let isAfter = false
      for (const [eventId, event] of events) {
        if (isAfter && event.streamId === streamId) await send(eventId, event.message)
        if (eventId === lastEventId) isAfter = true
      }
      return streamId
    },
  }
}
