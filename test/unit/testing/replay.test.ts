import { describe, expect, onTestFinished, test } from 'vitest'
import { defineTool, type AgentOptions, type JsonSchema } from '../../../src/index.ts'
import {
  createTestAgent,
  type ReplayOptions,
  type Script,
  type TestAgentOptions,
} from '../../../src/testing/index.ts'

type Tools = NonNullable<AgentOptions['tools']>

/** Plays a script with tools, and exports the conversation. */
async function recorded(
  options: TestAgentOptions & { readonly script: Script },
  talk: (agent: ReturnType<typeof createTestAgent>) => Promise<unknown> = (agent) =>
    agent.run('A mug, please').result,
): Promise<string> {
  const agent = createTestAgent(options)
  try {
    await talk(agent)
    return await new Response(await agent.conversations.export()).text()
  } finally {
    await agent.dispose()
  }
}

/** Replays with tools. Resolves to the message of the error, or to null. */
async function replayed(
  recording: string,
  options: Tools | Omit<TestAgentOptions, 'recording'>,
  how?: ReplayOptions,
): Promise<string | null> {
  const agent = createTestAgent({
    ...('tools' in options ? options : { tools: options as Tools }),
    recording,
  })
  try {
    await agent.replay(how)
    return null
  } catch (error) {
    return (error as Error).message
  } finally {
    await agent.dispose()
  }
}

/** A shop whose `add_item` accepts a quantity of some type. */
function shop(type: JsonSchema['type']) {
  const cart: unknown[] = []
  const tools = [
    {
      name: 'add_item',
      description: 'Adds an item.',
      inputSchema: { type: 'object', properties: { qty: { type } }, required: ['qty'] },
      execute: ({ qty }: { qty: unknown }) => {
        cart.push(Number(qty))
        return 'Added.'
      },
    },
    { name: 'look', description: 'Lists items.', execute: () => ['mug'] },
  ] as unknown as Tools
  return { cart, tools }
}

const BUG: Script = {
  steps: [
    { text: 'I look.', toolCalls: [{ toolName: 'look', input: {} }] },
    { toolCalls: [{ toolName: 'add_item', input: { qty: '2' } }] },
    { toolCalls: [{ toolName: 'add_item', input: { qty: '2' } }] },
    { text: 'That did not work.' },
  ],
}

test('a refused call fails the replay until the tool is mended, without a model', async () => {
  const recording = await recorded({ script: BUG, tools: shop('number').tools })
  const before = shop('number')
  expect(await replayed(recording, before.tools)).toBe(
    [
      `Step 2: add_item({ qty: '2' }) was refused: 'qty' must be number, got "2". Expected: qty (number, required).`,
      `Step 3: add_item({ qty: '2' }) was refused: 'qty' must be number, got "2". Expected: qty (number, required).`,
    ].join('\n'),
  )
  const after = shop(['number', 'string'] as never)
  expect(await replayed(recording, after.tools)).toBeNull()
  // The model's second try answered to the refusal.
  expect(after.cart).toEqual([2])
})

describe('a difference is reported', () => {
  const once = (toolName: string, input: object = {}): Script => ({
    steps: [{ toolCalls: [{ toolName, input: input as never }] }, { text: 'Done.' }],
  })
  const look = (output: unknown, more: object = {}): Tools =>
    [{ name: 'look', description: 'Looks.', execute: () => output, ...more }] as Tools

  test('a tool that is gone', async () => {
    const recording = await recorded({ script: once('look'), tools: look('mug') })
    expect(await replayed(recording, [])).toMatch(
      /^Step 1: look\(\{\}\) was refused: Unknown tool 'look'/,
    )
  })

  test('a tool that throws', async () => {
    const recording = await recorded({ script: once('look'), tools: look('mug') })
    const execute = (): never => {
      throw new Error('No shelf.')
    }
    expect(await replayed(recording, look('', { execute }))).toBe(
      'Step 1: look({}) failed: No shelf.',
    )
  })

  test('another output, only if asked for', async () => {
    const recording = await recorded({ script: once('look'), tools: look({ names: ["d'or"] }) })
    const now = look({ names: ['spoon'] })
    expect(await replayed(recording, now)).toBeNull()
    expect(await replayed(recording, now, { outputs: true })).toBe(
      `Step 1: look({}) returned { names: ['spoon'] } instead of { names: ['d\\'or'] }.`,
    )
    expect(
      await replayed(recording, look({ names: ["d'or"] }), { outputs: true, exact: true }),
    ).toBeNull()
  })

  test('another executed input', async () => {
    const { tools } = shop('number')
    const recording = await recorded({ script: once('add_item', { qty: 2 }), tools })
    const beforeToolCall = (): { readonly input: { readonly qty: number } } => ({
      input: { qty: 3 },
    })
    expect(await replayed(recording, { tools, beforeToolCall })).toBe(
      'Step 1: add_item({ qty: 2 }) ran with { qty: 3 } instead of { qty: 2 }.',
    )
  })

  /** Differs from others only at its end. */
  const long = (end: string): string => `${'All is well. '.repeat(40)}${end}`

  test('another end of a long input', async () => {
    const { tools } = shop('string')
    const script = once('add_item', { qty: long('Regards, Ann') })
    const recording = await recorded({ script, tools })
    const beforeToolCall = () => ({ input: { qty: long('Regards, Eve') } })
    expect(await replayed(recording, { tools, beforeToolCall })).toMatch(
      / ran with .*Regards, Eve' } instead of .*Regards, Ann' }\.$/,
    )
  })

  test('nested calls: another one, another input, one more, one less', async () => {
    const trip = (calls: readonly (readonly [string, object])[]): Tools =>
      [
        { name: 'fly', description: 'Flies.', inputSchema: ANY, execute: () => 'ok' },
        { name: 'stay', description: 'Stays.', inputSchema: ANY, execute: () => 'ok' },
        {
          name: 'trip',
          description: 'Books a trip.',
          version: '1',
          run: async (_: unknown, { call }: { call: (...of: readonly unknown[]) => unknown }) => {
            for (const [name, input] of calls) await call(name, input)
            return 'booked'
          },
        },
      ] as unknown as Tools
    const calls = [
      ['fly', { to: 'Rome' }],
      ['stay', { nights: 2 }],
    ] as const
    const recording = await recorded({ script: once('trip'), tools: trip(calls) })
    expect(await replayed(recording, trip(calls))).toBeNull()
    expect(await replayed(recording, trip([calls[1], calls[0]]))).toBe(
      [
        "Step 1: trip → stay({ nights: 2 }) instead of trip → fly({ to: 'Rome' }).",
        "Step 1: trip → fly({ to: 'Rome' }) instead of trip → stay({ nights: 2 }).",
      ].join('\n'),
    )
    expect(await replayed(recording, trip([calls[0], ['stay', { nights: 3 }]]))).toBe(
      'Step 1: trip → stay({ nights: 3 }) instead of trip → stay({ nights: 2 }).',
    )
    const far = await recorded({
      script: once('trip'),
      tools: trip([['fly', { to: long('Rome') }]]),
    })
    expect(await replayed(far, trip([['fly', { to: long('Oslo') }]]))).toMatch(
      /^Step 1: trip → fly.*Oslo' }\) instead of trip → fly.*Rome' }\)\.$/,
    )
    expect(await replayed(recording, trip([...calls, ['fly', {}]]))).toBe(
      'Step 1: trip → fly({}) is new.',
    )
    expect(await replayed(recording, trip([calls[0]]))).toBe(
      'Step 1: trip → stay({ nights: 2 }) is missing.',
    )
  })

  test('an approval that is new, and one that is no longer requested', async () => {
    const asks = { needsApproval: true }
    const without = await recorded({ script: once('look'), tools: look('mug') })
    expect(await replayed(without, look('mug', asks))).toBe(
      'Step 1: look({}) waits for somebody, unlike in the recording.',
    )
    const approved = await recorded({ script: once('look'), tools: look('mug', asks) }, approving)
    expect(await replayed(approved, look('mug', asks))).toBeNull()
    expect(await replayed(approved, look('mug'))).toBe(
      'Step 1: look({}) ran without the approval that the recording has.',
    )
  })

  test('an approval because of untrusted content that is no longer requested', async () => {
    const tools = (untrustedContent: boolean): Tools => [
      ...look('mug', { annotations: { readOnly: true, untrustedContent } }),
      { name: 'send', description: 'Sends.', annotations: { openWorld: true }, execute: () => '' },
    ]
    const steps = ['look', 'send'].flatMap((name) => once(name).steps?.slice(0, 1) ?? [])
    const script = { steps: [...steps, { text: 'Done.' }] }
    const recording = await recorded({ script, tools: tools(true) }, approving)
    expect(await replayed(recording, tools(true))).toBeNull()
    expect(await replayed(recording, tools(false))).toBe(
      'Step 2: send({}) ran without the approval that the recording has.',
    )
  })

  test('a run that ends early, or asks the model once more', async () => {
    const tools = look('mug')
    const verify = ({ text }: { readonly text: string }) =>
      text === 'Done.' ? { feedback: 'Say please.' } : { ok: true as const }
    const recording = await recorded({ script: once('look'), tools })
    expect(await replayed(recording, { tools, verify })).toBe(
      'Step 2: was the last one recorded, and the model was asked again.',
    )
    const script = { steps: [...(once('look').steps ?? []), { text: 'Please, done.' }] }
    const rejected = await recorded({ script, tools, verify })
    expect(await replayed(rejected, tools)).toBe(
      'Step 3: was not reached: the run ended as completed.',
    )
  })
})

const ANY = { type: 'object', additionalProperties: true } as const

/** Approves all calls of a run. */
async function approving(agent: ReturnType<typeof createTestAgent>): Promise<void> {
  const run = agent.run('Look')
  for await (const event of run)
    if (event.type === 'tool-approval-request') await agent.approve(event)
}

describe('the person of the recording', () => {
  const pay = (): { readonly paid: unknown[]; readonly tools: Tools } => {
    const paid: unknown[] = []
    return {
      paid,
      tools: [
        {
          name: 'pay',
          description: 'Pays.',
          inputSchema: { type: 'object', properties: { amount: { type: 'number' } } },
          needsApproval: true,
          execute: (input) => void paid.push(input),
        },
      ],
    }
  }
  const PAYS: Script = {
    steps: [
      {
        toolCalls: [
          { toolName: 'pay', input: { amount: 1 } },
          { toolName: 'pay', input: { amount: 2 } },
        ],
      },
      { toolCalls: [{ toolName: 'pay', input: { amount: 3 } }] },
      { text: 'Settled.' },
    ],
  }

  test('approves, edits and denies as before, also where a user gesture is needed', async () => {
    const recording = await recorded({ script: PAYS, tools: pay().tools }, async (agent) => {
      const run = agent.run('Pay')
      for await (const event of run) {
        if (event.type !== 'tool-approval-request') continue
        const { amount } = event.input as { amount: number }
        if (amount === 1) await agent.deny(event, 'Too early.')
        else await agent.approve(event, { input: { amount: amount * 10 } })
      }
    })
    const { paid, tools } = pay()
    expect(await replayed(recording, { tools, consent: 'person' }, { exact: true })).toBeNull()
    expect(paid).toEqual([{ amount: 20 }, { amount: 30 }])
  })

  test('remembers an approval as before', async () => {
    const recording = await recorded({ script: PAYS, tools: pay().tools }, async (agent) => {
      const run = agent.run('Pay')
      for await (const event of run)
        if (event.type === 'tool-approval-request') {
          const { amount } = event.input as { amount: number }
          await agent.approve(event, amount === 2 ? { remember: 'run' } : {})
        }
    })
    const { paid, tools } = pay()
    expect(await replayed(recording, tools, { exact: true })).toBeNull()
    expect(paid).toEqual([{ amount: 1 }, { amount: 2 }, { amount: 3 }])
  })

  test('answers questions as before, with text, fields or a refusal', async () => {
    const heard: unknown[] = []
    const fields = { size: { type: 'string', title: 'Size' } }
    const ask = (input: object) => ({
      toolCalls: [{ toolName: 'ask_user', input: input as never }],
    })
    const script: Script = {
      steps: [
        ask({ question: 'Which?' }),
        ask({ question: 'How large?', fields }),
        ask({ question: 'Sure?' }),
        { text: 'Thanks.' },
      ],
    }
    const options = {
      tools: [],
      controlTools: ['ask_user'],
      questionFields: true,
      afterToolCall: ({ output }: { readonly output: unknown }) => void heard.push(output),
    } as unknown as TestAgentOptions
    const recording = await recorded({ ...options, script }, async (agent) => {
      const run = agent.run('A mug')
      for await (const event of run)
        if (event.type === 'question')
          await agent.answer(
            event,
            event.fields
              ? { action: 'accept', content: { size: 'L' } }
              : event.question === 'Sure?'
                ? { action: 'decline' }
                : 'blue',
          )
    })
    expect(await replayed(recording, options, { exact: true, outputs: true })).toBeNull()
  })

  test('settles long-running calls as before', async () => {
    const { pending } = await import('../../../src/index.ts')
    const tools = [
      { name: 'ship', description: 'Ships.', execute: () => pending({ resumeToken: 'box' }) },
    ] as unknown as Tools
    const script = { steps: [{ toolCalls: [{ toolName: 'ship', input: {} }] }, { text: 'Sent.' }] }
    const recording = await recorded({ script, tools }, async (agent) => {
      const run = agent.run('Ship it')
      for await (const event of run)
        if (event.type === 'tool-suspended') await agent.settle(event, { output: 'arrived' })
    })
    expect(await replayed(recording, tools, { exact: true, outputs: true })).toBeNull()
  })

  test('a replay ends where the recording waits', async () => {
    const recording = await recorded({ script: PAYS, tools: pay().tools }, async (agent) => {
      const run = agent.run('Pay')
      for await (const event of run)
        if (event.type === 'tool-approval-request') {
          await agent.approve(event)
          break
        }
    })
    const { paid, tools } = pay()
    expect(await replayed(recording, tools)).toBeNull()
    expect(paid).toEqual([{ amount: 1 }])
  })

  test('sends later messages, those sent during a run, and edited ones, in order', async () => {
    const { tools } = shop('number')
    const script: Script = {
      scenes: [
        {
          match: ['two'],
          steps: [{ toolCalls: [{ toolName: 'add_item', input: { qty: 2 } }] }, { text: 'Two.' }],
        },
        {
          match: ['three'],
          steps: [{ toolCalls: [{ toolName: 'add_item', input: { qty: 3 } }] }, { text: 'Three.' }],
        },
        {
          match: ['look'],
          steps: [{ toolCalls: [{ toolName: 'look', input: {} }] }, { text: 'Looked.' }],
        },
      ],
    }
    const recording = await recorded({ script, tools }, async (agent) => {
      const talk = agent.conversation('talk')
      const run = talk.send('look')
      for await (const event of run)
        if (event.type === 'tool-execution-start' && event.toolName === 'look')
          await talk.steer('two')
      await talk.send('look again').result
      const stored = await agent.conversations.get('talk')
      const last = stored?.messages.findLast(({ role }) => role === 'user')
      await talk.edit(last?.id ?? '', 'three').result
      await talk.regenerate().result
    })
    const { cart, tools: now } = shop('number')
    expect(await replayed(recording, now, { exact: true })).toBeNull()
    expect(cart).toEqual([2, 3, 3])
    expect(await replayed(recording, [])).toMatch(/^Run 1, step 1: look/)
  })
})

describe('a recording that cannot be replayed', () => {
  const { tools } = shop('number')
  const good = recorded({ script: BUG, tools })

  test.each([
    ['a path', () => 'bug.jsonl', 'This is no exported file.'],
    [
      'another format',
      (text: string) => text.replace('"format":2', '"format":99'),
      'newer Offstage',
    ],
    [
      'another version',
      (text: string) => text.replace('"version":1', '"version":9'),
      'newer Offstage',
    ],
    ['a changed text', (text: string) => text.replace('I look.', 'I book.'), 'The file is damaged'],
    ['a cut file', (text: string) => text.slice(0, 900), 'The file is damaged'],
    [
      'nothing in it',
      (text: string) => `${text.split('\n')[0]}\n{"conversations":0}\n`,
      'It has 0 conversations',
    ],
  ])('is refused: %s', async (_, change, why) => {
    const message = await replayed(change(await good), tools)
    expect(message).toContain("The recording can't be replayed")
    expect(message).toContain(why)
  })

  test('several conversations', async () => {
    const text = await recorded({ script: BUG, tools }, async (agent) => {
      await agent.run('A mug').result
      await agent.run('A bowl').result
    })
    expect(await replayed(text, tools)).toContain('It has 2 conversations instead of one.')
  })

  test('together with a script, and replay() without a recording', async () => {
    expect(() => createTestAgent({ recording: '', script: BUG })).toThrow('A recording has')
    const agent = createTestAgent({ script: BUG })
    await expect(agent.replay()).rejects.toMatchObject({ code: 'invalid-config' })
    await agent.dispose()
  })
})

test('calls that a model wrote as text are read again from its text, mistakes included', async () => {
  const { cart, tools } = shop('number')
  const model = (script: Script) =>
    ({ provider: 'scripted', model: 'm', toolMode: 'action', script }) as const
  const script: Script = {
    steps: [
      { text: '<ACTION>\nadd_item(qty=)\n</ACTION>' },
      { toolCalls: [{ toolName: 'add_item', input: { qty: 2 } }] },
      { text: 'Done.' },
    ],
  }
  const recording = await recorded({ tools, model: model(script) } as never)
  expect(cart).toEqual([2])
  const now = shop('number')
  expect(await replayed(recording, now.tools)).toBeNull()
  expect(now.cart).toEqual([2])
})

test('a mended call may do more than before, and may request an approval', async () => {
  const trip = (calls: readonly string[], needsApproval: boolean): Tools =>
    [
      { name: 'fly', description: 'Flies.', needsApproval, execute: () => 'ok' },
      {
        name: 'trip',
        description: 'Books a trip.',
        version: '1',
        run: async (_: unknown, { call }: { call: (name: string) => unknown }) => {
          for (const name of calls) await call(name)
        },
      },
    ] as unknown as Tools
  const script = { steps: [{ toolCalls: [{ toolName: 'trip', input: {} }] }, { text: 'Done.' }] }
  const recording = await recorded({ script, tools: trip(['sail'], false) })
  expect(await replayed(recording, trip(['sail'], false))).toContain('Step 1: trip({}) failed: ')
  expect(await replayed(recording, trip(['fly', 'fly'], true))).toBeNull()
})

test('exact: a failure that is as recorded is accepted, a mended one is reported', async () => {
  const recording = await recorded({ script: BUG, tools: shop('number').tools })
  expect(await replayed(recording, shop('number').tools, { exact: true })).toBeNull()
  expect(await replayed(recording, shop('string').tools, { exact: true })).toMatch(
    /^Step 2: add_item\(\{ qty: '2' \}\) succeeded\. In the recording, it was refused/,
  )
})

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  needsApproval: true,
  execute: () => 'paid',
})
const PAYS = { toolCalls: [{ toolName: 'pay', input: {} }] }
const ASKS = { toolCalls: [{ toolName: 'ask_user', input: { question: 'Which one?' } }] }

test.each([
  ['an approval request', PAYS, 'tool-approval-request'],
  ['a question', ASKS, 'question'],
])('a recording in which a message interrupts %s can be replayed', async (_, calls, type) => {
  const options: Partial<AgentOptions> = { tools: [pay], controlTools: ['ask_user'] }
  const before = createTestAgent({
    script: {
      scenes: [{ match: ['Stop'], steps: [{ text: 'As you like.' }] }],
      fallback: [calls, { text: 'Done.' }],
    },
    ...options,
  })
  onTestFinished(() => before.dispose())
  const run = before.run('Go')
  for await (const event of run) if (event.type === type) run.send('Stop that', { when: 'now' })
  expect((await run.result).text).toBe('As you like.')
  const recording = await new Response(await before.conversations.export()).text()
  const after = createTestAgent({ recording, ...options })
  onTestFinished(() => after.dispose())
  await after.replay()
})
