import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { formatAction } from '../../../src/action/index.ts'
import type { HookedCall, Tool } from '../../../src/index.ts'
import type { JsonObject, JsonSchema, JsonValue } from '../../../src/protocol/json.ts'
import type { ModelRequest, StreamProviderDefinition } from '../../../src/providers/provider.ts'
import {
  createTestAgent,
  createTestStorage,
  type TestAgentOptions,
} from '../../../src/testing/index.ts'
import { someOf } from '../more.ts'

type Write = (request: ModelRequest) => { readonly toolName: string; readonly input: JsonObject }

/** A model that calls what `writes` says, in the names that the request has, and then says `Done.` */
function modelOf(writes: readonly Write[], requests: ModelRequest[]): StreamProviderDefinition {
  return {
    id: 'local',
    async *stream(request) {
      const write = writes[requests.length]
      requests.push(structuredClone(request))
      const call = write?.(request)
      if (call === undefined) {
        yield [{ type: 'text-delta', delta: 'Done.' }]
        yield [{ type: 'finish', finishReason: 'stop' }]
      } else if (request.toolMode === 'action') {
        yield [{ type: 'text-delta', delta: formatAction([call], request.tools) }]
        yield [{ type: 'finish', finishReason: 'stop' }]
      } else {
        const { toolName, input } = call
        const toolCallId = `call-${requests.length}`
        yield [
          { type: 'tool-input-start', toolCallId, toolName },
          { type: 'tool-input-delta', toolCallId, delta: JSON.stringify(input) },
          { type: 'tool-call', toolCallId, toolName, input },
        ]
        yield [{ type: 'finish', finishReason: 'tool-calls' }]
      }
    },
  }
}

function stage(
  tool: Partial<Tool> & Pick<Tool, 'name'>,
  writes: readonly Write[],
  options: TestAgentOptions = {},
) {
  const requests: ModelRequest[] = []
  const ran: unknown[] = []
  const agent = createTestAgent({
    providers: [modelOf(writes, requests)],
    tools: [
      { description: 'Does it.', execute: (input) => (ran.push(input), 'done'), ...tool },
      { name: 'other', description: 'Does something else.', execute: () => 'other' },
    ],
    ...options,
    model: { provider: 'local', model: 'm', ...options.model },
  })
  onTestFinished(() => agent.dispose())
  return { agent, requests, ran }
}

/** The properties of a request's only schema of interest, in their order. */
function propertiesOf(schema: JsonValue | JsonSchema | undefined): [string, JsonSchema][] {
  return Object.entries((schema as JsonSchema)['properties'] as { [name: string]: JsonSchema })
}

/** An input in the names of the request: texts, and in the last parameter a list of objects. */
const write =
  (value: string): Write =>
  ({ tools: [tool] }) => {
    const parameters = propertiesOf(tool?.inputSchema)
    const input = parameters.map(([name, schema]) => {
      if (schema['type'] !== 'array') return [name, value]
      const inner = propertiesOf(schema['items'] as JsonSchema)[0]?.[0] ?? ''
      return [name, [{ [inner]: value }]]
    })
    return { toolName: tool?.name ?? '', input: Object.fromEntries(input) as JsonObject }
  }

const odd = fc
  .string({
    unit: fc.constantFrom(...Array.from('aB9_-.@ /ä数"\'<&')),
    minLength: 1,
    maxLength: 12,
  })
  .map((text) => text.trim())
  .filter((text) => text !== '')
const named = fc.record({
  name: fc.tuple(fc.constantFrom('a', 'Send', '9'), odd).map((parts) => parts.join('')),
  parameters: fc.uniqueArray(odd, {
    minLength: 2,
    maxLength: 4,
    selector: (own) => own.replace(/[^\w-]+/g, '_'),
  }),
  inner: odd,
})

describe('a tool with names that no model API accepts', () => {
  test.each(['native', 'action'] as const)(
    'has its own names everywhere, and legal names for the model only, %s',
    async (toolMode) => {
      await fc.assert(
        fc.asyncProperty(named, async ({ name, parameters, inner }) => {
          const last = parameters.at(-1) ?? ''
          const texts = parameters.slice(0, -1)
          const items = {
            type: 'object',
            properties: { [inner]: { type: 'string' } },
            required: [inner],
          }
          const inputSchema = {
            type: 'object',
            properties: Object.fromEntries([
              ...texts.map((text) => [text, { type: 'string' }]),
              [last, { type: 'array', items }],
            ]) as JsonSchema,
            required: parameters,
          }
          const inputOf = (value: string): JsonValue =>
            Object.fromEntries([
              ...texts.map((text) => [text, value]),
              [last, [{ [inner]: value }]],
            ]) as JsonValue
          const seen: [string, HookedCall['toolName'], JsonValue][] = []
          const note =
            (surface: string, value = 'v') =>
            (call: HookedCall) => {
              seen.push([surface, call.toolName, call.input])
              expect(call.input).toEqual(inputOf(value))
            }
          const described: unknown[] = []
          const { agent, requests, ran } = stage(
            {
              name,
              inputSchema,
              describe: (input) => {
                described.push(input)
                return { text: 'About it.' }
              },
            },
            [write('v')],
            {
              model: { provider: 'local', toolMode },
              enabledTools: [name],
              beforeToolCall: note('before'),
              toolApproval: (call) => (note('policy')(call), true),
              afterToolCall: note('after', 'edited'),
            },
          )
          const chat = agent.conversation('c')
          const off = chat.subscribe(() => undefined)
          const run = chat.send('Go.')
          const events: string[] = []
          for await (const event of run) {
            if ('toolName' in event) events.push(event.toolName)
            if (event.type === 'tool-call') expect(event.input).toEqual(inputOf('v'))
            if (event.type !== 'tool-approval-request') continue
            expect(event.input).toEqual(inputOf('v'))
            await expect.poll(() => chat.getSnapshot().pending).toHaveLength(1)
            expect(chat.getSnapshot().pending[0]).toMatchObject({
              toolName: name,
              input: inputOf('v'),
            })
            await agent.approve(event.toolCallId, { input: inputOf('edited') })
          }
          await run.result
          await expect.poll(() => chat.getSnapshot().status).toBe('idle')
          const shown = chat.getSnapshot().messages.flatMap(({ calls = [] }) => calls)
          expect(shown).toMatchObject([
            { toolName: name, status: 'succeeded', input: inputOf('edited') },
          ])
          expect(new Set(events)).toEqual(new Set([name]))
          expect(new Set(seen.map(([, toolName]) => toolName))).toEqual(new Set([name]))
          expect(new Set(seen.map(([surface]) => surface))).toEqual(
            new Set(['before', 'policy', 'after']),
          )
          expect(described[0]).toEqual(inputOf('v'))
          expect(ran).toEqual([inputOf('edited')])
          expect(agent.inputSchema(name)).toMatchObject({ required: parameters })

          const [first, second] = requests
          const tool = first?.tools[0]
          const schema = tool?.inputSchema
          const [, nested] = propertiesOf(schema).find(([, each]) => each['type'] === 'array') ?? []
          const all = [
            ...propertiesOf(schema).map(([each]) => each),
            ...propertiesOf(nested?.['items'] as JsonSchema).map(([each]) => each),
          ]
          for (const each of [tool?.name, ...all]) expect(each).toMatch(/^[\w-]{1,64}$/)
          // Names that are numbers come first among properties.
          const required = (schema as { readonly required: string[] }).required.toSorted()
          expect(required).toEqual(
            propertiesOf(schema)
              .map(([each]) => each)
              .toSorted(),
          )
          // The history has the call as the model wrote it.
          if (toolMode === 'native') {
            const call = second?.messages
              .flatMap((message) => (message.role === 'assistant' ? message.parts : []))
              .find((part) => part.type === 'tool-call')
            expect(call).toMatchObject(write('v')(first as ModelRequest))
          }
          off()
          await agent.dispose()
        }),
        { numRuns: someOf(60) },
      )
    },
    60_000,
  )

  const mail = {
    name: 'Send Mail',
    inputSchema: {
      type: 'object',
      properties: { 'E-Mail@1': { type: 'string' } },
      required: ['E-Mail@1'],
    },
  }
  const toEve: Write = () => ({ toolName: 'Send_Mail', input: { 'E-Mail_1': 'eve' } })

  test("a policy applies by the tool's own name", async () => {
    const { agent, ran } = stage(mail, [toEve], {
      toolApproval: ({ toolName, input }) =>
        toolName === 'Send Mail' && (input as JsonObject)['E-Mail@1'] === 'eve',
    })
    const asked: string[] = []
    for await (const event of agent.run('Go.')) {
      if (event.type !== 'tool-approval-request') continue
      asked.push(event.toolName)
      await agent.deny(event.toolCallId)
    }
    expect(asked).toEqual(['Send Mail'])
    expect(ran).toEqual([])
  })

  test('in one-shot mode the page gets a call with its own parameter names', async () => {
    const { agent } = stage(mail, [toEve], { maxSteps: 0 })
    const result = await agent.run('Go.').result
    expect(result).toMatchObject({
      outcome: 'waiting',
      pending: [{ toolName: 'Send Mail', input: { 'E-Mail@1': 'eve' } }],
    })
  })

  test("an error about a parameter uses the model's name in the request", async () => {
    const { agent, requests } = stage(mail, [() => ({ toolName: 'Send_Mail', input: {} })])
    await agent.run('Go.').result
    const sent = JSON.stringify(requests[1]?.messages)
    expect(sent).toContain("Invalid parameters for Send_Mail: missing required 'E-Mail_1'")
    expect(sent).not.toContain('E-Mail@1')
  })

  test("toolChoice is sent to the provider under the model's name", async () => {
    const models: unknown[] = []
    const requests: ModelRequest[] = []
    const model = modelOf([], requests)
    const { agent } = stage(mail, [], {
      providers: [
        {
          ...model,
          stream: (request, config, options) => {
            models.push(config.toolChoice)
            return model.stream(request, config, options)
          },
        },
      ],
      model: { provider: 'local', toolChoice: { toolName: 'Send Mail' } },
    })
    await agent.run('Go.').result
    expect(models[0]).toEqual({ toolName: 'Send_Mail' })
  })

  test("an undo of a call stored by an earlier version uses the tool's own names", async () => {
    const undone: unknown[] = []
    const testStorage = createTestStorage()
    const undo = (input: unknown) => void undone.push(input)
    const old = stage(
      {
        name: 'Send_Mail',
        inputSchema: { type: 'object', properties: { 'E-Mail_1': { type: 'string' } } },
        undo,
      },
      [toEve],
      { testStorage },
    )
    const { conversationId } = await old.agent.run('Go.').result
    await old.agent.dispose()
    const { agent } = stage({ ...mail, undo }, [], { testStorage })
    const chat = agent.conversation(conversationId)
    onTestFinished(chat.subscribe(() => undefined))
    await expect.poll(() => chat.getSnapshot().messages.length).toBeGreaterThan(0)
    const [call] = chat.getSnapshot().messages.flatMap(({ calls = [] }) => calls)
    expect(call).toMatchObject({ toolName: 'Send_Mail', undoable: true })
    expect(await chat.undo(call?.toolCallId ?? '')).toBe(true)
    expect(undone).toEqual([{ 'E-Mail@1': 'eve' }])
  })

  test('a call waiting since an earlier version is judged and run with its own names', async () => {
    const testStorage = createTestStorage()
    const old = stage(
      {
        name: 'Send_Mail',
        inputSchema: { type: 'object', properties: { 'E-Mail_1': { type: 'string' } } },
        needsApproval: true,
      },
      [toEve],
      { testStorage },
    )
    const left = old.agent.run('Go.', { conversationId: 'c' })
    for await (const event of left) if (event.type === 'tool-approval-request') break
    await old.agent.dispose()
    const hooked: string[] = []
    const { agent, ran, requests } = stage({ ...mail, needsApproval: true }, [], {
      testStorage,
      beforeToolCall: ({ toolName, input }) => {
        hooked.push(`${toolName} ${JSON.stringify(input)}`)
      },
    })
    const chat = agent.conversation('c')
    onTestFinished(chat.subscribe(() => undefined))
    const resumed = await agent.resume('c')
    const approve = async (): Promise<void> => {
      await expect.poll(() => chat.getSnapshot().pending.length).toBe(1)
      await agent.approve(chat.getSnapshot().pending[0]?.toolCallId ?? '')
    }
    await approve()
    // The tool has changed since the question: the call is decided anew.
    await expect.poll(() => hooked.length).toBe(1)
    await approve()
    await resumed?.result
    expect(new Set(hooked)).toEqual(new Set(['Send Mail {"E-Mail@1":"eve"}']))
    expect(ran).toEqual([{ 'E-Mail@1': 'eve' }])
    expect(JSON.stringify(requests[0]?.messages)).toContain('E-Mail_1')
  })
})

describe('a list of tool names', () => {
  test('warns once about an unknown name, with the intended name', async () => {
    const warnings: string[] = []
    const { agent } = stage({ name: 'Send Mail' }, [], {
      enabledTools: ['Send Mail', 'Send Mial'],
      model: { provider: 'local', toolChoice: { toolName: 'othr' } },
    })
    agent.on('warning', ({ code, message }) => warnings.push(`${code}: ${message}`))
    await agent.run('Go.').result
    await agent.run('Go.').result
    expect(warnings).toEqual([
      'unknown-tool: enabledTools names Send Mial, a tool that this agent does not have. Did you mean Send Mail?',
      'unknown-tool: toolChoice names othr, a tool that this agent does not have. Did you mean other?',
    ])
  })

  test("accepts a tool's own name or the model's without a warning", async () => {
    const warnings: string[] = []
    const { agent, requests } = stage({ name: 'Send Mail' }, [], {
      enabledTools: ['Send_Mail', 'other'],
      controlTools: ['ask_user'],
      model: { provider: 'local', toolChoice: { toolName: 'ask_user' } },
    })
    agent.on('warning', ({ message }) => warnings.push(message))
    await agent.run('Go.').result
    expect(warnings).toEqual([])
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['Send_Mail', 'other', 'ask_user'])
  })
})
