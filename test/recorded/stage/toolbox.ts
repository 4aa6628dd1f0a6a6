import { pending, type Tool, type ToolContext } from '../../../src/index.ts'
import type { JsonSchema, JsonValue } from '../../../src/protocol/json.ts'

export type ToolName = keyof typeof tools

/** The page as the scenarios' tools see it. */
export interface Surroundings {
  /** Records a call that ran. */
  ran(call: { readonly tool: string; readonly input: JsonValue; readonly key: string }): void
  /** False once the page has crashed. */
  isAlive(): boolean
  /** The verdict that the tool `checked` returns from `reconcile`. */
  readonly verdict: 'happened' | 'did-not-happen' | 'unknown'
}

type Make = (around: Surroundings) => Partial<Tool> & Pick<Tool, 'execute'>

const object = (properties: object, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties: { ...properties },
  required: [...required],
})

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const note = object({ note: { type: 'string' }, times: { type: 'integer', default: 1 } })

const tools = {
  /** Pure and quick. */
  add: () => ({
    inputSchema: object({ a: { type: 'number' }, b: { type: 'number' } }, ['a', 'b']),
    execute: (input) => {
      const { a, b } = input as { a: number; b: number }
      return { sum: a + b }
    },
  }),
  read: () => ({
    title: 'Read the page',
    annotations: { readOnly: true },
    inputSchema: note,
    execute: async () => {
      await sleep(30)
      return 'The page says hello.'
    },
  }),
  look: () => ({
    annotations: { readOnly: true },
    execute: async () => {
      await sleep(10)
      return ['one', 'two']
    },
  }),
  write: () => ({ inputSchema: note, execute: (input) => ({ written: input }) }),
  nothing: () => ({ execute: () => undefined }),
  remove: () => ({
    annotations: { destructive: true },
    inputSchema: object({ id: { type: 'integer' } }, ['id']),
    execute: (input) => ({ removed: input }),
  }),
  fail: () => ({
    execute: () => {
      throw new Error('No such thing.')
    },
  }),
  slow: () => ({
    inputSchema: note,
    execute: async () => {
      await sleep(500)
      return 'at last'
    },
  }),
  /** Returns a pending result; the output is supplied later. */
  job: () => ({ inputSchema: note, execute: () => pending({ resumeToken: 'job-7' }) }),
  /** Ends only when it is aborted. */
  obedient: () => ({
    execute: (_input, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  }),
  stubborn: () => ({ execute: () => new Promise(() => undefined) }),
  late: () => ({ timeoutMs: 50, execute: () => new Promise(() => undefined) }),
  progress: () => ({
    inputSchema: note,
    execute: async (_input, context) => {
      for (const done of [1, 2, 3]) {
        context.progress({ done })
        await sleep(20)
      }
      return 'all three'
    },
  }),
  /** May run beside others. */
  beside: () => ({
    sequential: false,
    inputSchema: object({ ms: { type: 'integer' } }),
    execute: async (input) => {
      const { ms = 20 } = input as { ms?: number }
      await sleep(ms)
      return `after ${ms}`
    },
  }),
  alone: () => ({ sequential: true, annotations: { readOnly: true }, execute: () => 'alone' }),
  repeatable: () => ({
    annotations: { idempotent: true },
    inputSchema: note,
    execute: async () => {
      await sleep(200)
      return 'the same each time'
    },
  }),
  /** Can say what became of a call. */
  checked: ({ verdict }) => ({
    inputSchema: note,
    execute: async () => {
      await sleep(200)
      return 'charged'
    },
    reconcile: () => {
      if (verdict === 'unknown') return null
      return verdict === 'happened' ? { happened: true, result: 'it did' } : { happened: false }
    },
  }),
  /** Asks for consent where the input says so. */
  careful: () => ({
    inputSchema: object({ risky: { type: 'boolean' } }),
    needsApproval: (input: unknown) => (input as { risky?: boolean }).risky === true,
    execute: () => 'careful',
  }),
  picture: () => ({
    execute: () => [
      'a picture',
      {
        [Symbol.toStringTag]: 'Blob',
        size: 3,
        type: 'image/png',
        arrayBuffer: async () => new Uint8Array([1, 2, 3]).buffer,
      },
    ],
  }),
  brief: () => ({
    toModelOutput: () => 'in short',
    execute: () => ({ long: 'story', of: ['many', 'words'] }),
  }),
} satisfies Record<string, Make>

/** A tool by its name. What runs is kept; of a page that crashed, nothing comes back. */
export function toolOf(name: ToolName, around: Surroundings): Tool {
  const make: Make = tools[name]
  const tool = make(around)
  return {
    name,
    description: `The tool ${name}.`,
    ...tool,
    execute: async (input: unknown, context: ToolContext) => {
      around.ran({ tool: name, input: input as JsonValue, key: context.idempotencyKey })
      const output = await tool.execute(input, context)
      if (!around.isAlive()) await new Promise(() => undefined)
      return output
    },
  }
}
