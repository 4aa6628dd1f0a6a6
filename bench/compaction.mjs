// Compares the cost of a late step with that of an early one, in a long run whose requests must fit a context window.
// Runs the whole loop in Node, without a browser or a network. Also measures the cost of folding a row, in the first
// tenth of the run and overall.
import { emptyState, fold } from '../dist/conversation.js'
import { createTestAgent } from '../dist/testing.js'

const STEPS = Number(process.env.STEPS ?? 2000)
const EARLY = 200
/** Number of steps that a median is taken of. */
const SAMPLE_SIZE = 100
const RESULT = Array.from({ length: 170 }, (_, at) => `harbour${at}`).join(' ')

const policies = {
  auto: 'auto',
  summarize: 'summarize',
  'drop-oldest': 'drop-oldest',
  custom: ({ messages }) => ({
    summary: 'A blue mug is wanted.',
    firstKept: messages.findLast(({ message }) => message.role === 'assistant').id,
  }),
}
for (const [name, policy] of Object.entries(policies)) {
  const { stamps, rows, compactions } = await run(policy)
  const [early, late] = [stepMs(stamps, EARLY), stepMs(stamps, stamps.length)]
  const [first, all] = [foldMicros(rows.slice(0, rows.length / 10)), foldMicros(rows)]
  console.log(
    `${name.padEnd(12)} ${compactions} compactions   a step ${early.toFixed(2)} ms at ${EARLY}, ${late.toFixed(2)} ms at ${stamps.length}   a row folded ${first.toFixed(1)} µs of ${Math.floor(rows.length / 10)}, ${all.toFixed(1)} µs of ${rows.length}`,
  )
}

async function run(policy) {
  const stamps = []
  const provider = {
    id: 'reading',
    async *stream({ messages }) {
      const asksForSummary = JSON.stringify(messages.at(-1)).includes('Room has to be made')
      if (asksForSummary) return yield textAnswer('A blue mug is wanted.')
      stamps.push(performance.now())
      if (stamps.length === STEPS) return yield textAnswer('Done.')
      yield [
        {
          type: 'tool-call',
          toolCallId: `call_${stamps.length}`,
          toolName: 'read',
          input: { at: stamps.length },
        },
        { type: 'finish', finishReason: 'tool-calls' },
      ]
    },
  }
  const agent = createTestAgent({
    model: { provider: 'reading', model: 'm' },
    providers: [provider],
    maxSteps: -1,
    compaction: { contextWindow: 8_000, policy },
    tools: [
      {
        name: 'read',
        description: 'Reads.',
        inputSchema: { type: 'object', properties: { at: { type: 'number' } } },
        execute: ({ at }) => `${at}: ${RESULT}`,
      },
    ],
  })
  const { outcome, conversationId } = await agent.run('Find the blue mug.').result
  if (outcome !== 'completed') throw new Error(`The run ended as ${outcome}.`)
  const file = await new Response(await agent.conversations.export(conversationId)).text()
  await agent.dispose()
  const rows = file
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .flatMap((line) => line.row ?? (line.seq === undefined ? [] : line))
  const compactions = rows.filter(({ type }) => /^(compacted|results-cleared)$/.test(type)).length
  return { stamps, rows, compactions }
}

function textAnswer(text) {
  return [
    { type: 'text-delta', delta: text },
    { type: 'finish', finishReason: 'stop' },
  ]
}

/** The median of the steps that end there. */
function stepMs(stamps, end) {
  const sample = stamps.slice(end - SAMPLE_SIZE - 1, end)
  return median(sample.slice(1).map((stamp, at) => stamp - sample[at]))
}

/** Row by row, as they come. */
function foldMicros(rows) {
  const times = Array.from({ length: 5 }, () => {
    const startedAt = performance.now()
    rows.reduce((state, row) => fold(state, [row]), emptyState('bench'))
    return ((performance.now() - startedAt) * 1000) / rows.length
  })
  return median(times)
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
