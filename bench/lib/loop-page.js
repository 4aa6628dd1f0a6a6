// Runs in the page: the same conversation of tool turns, once by hand and once by Offstage.
import { createAgent, defineTool } from '/dist/index.js'

const TOOL = {
  type: 'function',
  function: {
    name: 'step',
    description: 'Takes a step.',
    parameters: {
      type: 'object',
      properties: { n: { type: 'integer' }, size: { type: 'integer' } },
      required: ['n'],
    },
  },
}

/** The floor: fetch, split the stream's lines, JSON.parse, call the function, go on. */
export async function byHand(baseURL, prompt) {
  const messages = [{ role: 'user', content: prompt }]
  const stamps = [performance.now()]
  for (;;) {
    const response = await fetch(`${baseURL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'bench', stream: true, messages, tools: [TOOL] }),
    })
    const answer = readAnswer(await response.text())
    stamps.push(performance.now())
    if (answer.calls.length === 0) return stamps
    messages.push({ role: 'assistant', content: answer.text, tool_calls: answer.calls })
    for (const call of answer.calls) {
      const { n, size = 0 } = JSON.parse(call.function.arguments)
      messages.push({ role: 'tool', tool_call_id: call.id, content: result(n, size) })
    }
  }
}

function readAnswer(body) {
  const answer = { text: '', calls: [] }
  for (const line of body.split('\n')) {
    if (!line.startsWith('data: {')) continue
    const { delta } = JSON.parse(line.slice(6)).choices[0]
    answer.text += delta.content ?? ''
    for (const call of delta.tool_calls ?? []) answer.calls.push(call)
  }
  return answer
}

export async function byOffstage(baseURL, prompt, storage) {
  const agent = createAgent({
    model: { provider: 'openai-compatible', model: 'bench', baseURL },
    storage,
    maxSteps: -1,
    tools: [
      defineTool({
        name: 'step',
        description: 'Takes a step.',
        inputSchema: TOOL.function.parameters,
        execute: ({ n, size = 0 }) => result(n, size),
      }),
    ],
  })
  await agent.prepare()
  const stamps = [performance.now()]
  const run = agent.run(prompt)
  for await (const event of run) if (event.type === 'step-end') stamps.push(performance.now())
  const { outcome } = await run.result
  await agent.dispose()
  if (outcome !== 'completed') throw new Error(`The run ended as ${outcome}.`)
  return stamps
}

/** Milliseconds until an aborted run has ended: while it writes, and while a tool ignores its signal. */
export async function abortMs() {
  const steps = [
    { toolCalls: [{ toolName: 'hang', input: {} }] },
    { text: 'A long story. '.repeat(500) },
  ]
  const measured = []
  for (const type of ['tool-execution-start', 'text-delta']) {
    const agent = createAgent({
      model: {
        provider: 'scripted',
        model: 'bench',
        script: { steps: [steps.shift()], paceMs: 5 },
      },
      tools: [{ name: 'hang', description: 'Hangs.', execute: () => new Promise(() => {}) }],
    })
    const run = agent.run('Go')
    for await (const event of run) if (event.type === type) break
    const begun = performance.now()
    run.abort()
    await run.result
    measured.push(performance.now() - begun)
    await agent.dispose()
  }
  return measured
}

function result(n, size) {
  return `${n}:`.padEnd(size, 'x')
}
