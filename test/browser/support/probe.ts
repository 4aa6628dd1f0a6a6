import type { ErrorData, ModelConfig, RunEvent, RunResult } from '../../../src/index.ts'

/** Does one run in a page that has `window.offstage`. The result is plain data, so any browser driver can return it. */
export interface Probe {
  readonly model: Omit<ModelConfig, 'apiKey' | 'headers'>
  /** Keys that the key function returns, one per call. */
  readonly keys?: readonly string[]
  readonly maxSteps?: number
  /** Ends the run when the first event of this type comes. */
  readonly abortAt?: RunEvent['type']
}

export interface Finding {
  readonly outcome: RunResult['outcome']
  readonly text: string
  readonly error?: ErrorData
  readonly events: readonly RunEvent[]
  /** Inputs with which the tool `note` ran. */
  readonly notes: readonly string[]
  /** `previousRejected` of each call of the key function, in order. */
  readonly rejected: readonly boolean[]
}

/** Runs in the page, so it can use nothing from outside itself. Its agents share one worker. */
export async function probe({ model, keys, maxSteps = 5, abortAt }: Probe): Promise<Finding> {
  const { createAgent, defineTool } = window.offstage
  const notes: string[] = []
  const rejected: boolean[] = []
  const agent = createAgent({
    model: {
      ...model,
      ...(keys && {
        apiKey: ({ previousRejected }) => keys[rejected.push(previousRejected) - 1] ?? '',
      }),
    },
    storage: 'memory',
    tools: [
      defineTool({
        name: 'note',
        description: 'Writes a note.',
        inputSchema: {
          type: 'object',
          properties: { text: { type: 'string' } },
          required: ['text'],
        },
        execute({ text }) {
          notes.push(text)
          return 'noted'
        },
      }),
    ],
  })
  const run = agent.run('Note this, please', { maxSteps })
  const events: RunEvent[] = []
  for await (const event of run) {
    events.push(event)
    if (event.type === abortAt) run.abort('enough')
  }
  const result = await run.result
  const { outcome, text } = result
  const error = result.outcome === 'failed' ? { error: result.error } : {}
  return { outcome, text, ...error, events, notes, rejected }
}
