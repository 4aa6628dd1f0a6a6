import type {
  ModelContext,
  ModelContextTool,
  RegisteredTool,
} from '../../../src/connect/webmcp/model-context.ts'

export interface Double extends ModelContext {
  getTools(): Promise<readonly RegisteredTool[]>
  executeTool(
    tool: RegisteredTool,
    input: unknown,
    options?: { readonly signal?: AbortSignal },
  ): Promise<unknown>
  /** Registers a tool as a page does. Returns a function that unregisters it. */
  add(tool: Partial<ModelContextTool> & { readonly name: string }, window?: object): () => void
  /** Inputs of `executeTool`, unchanged. */
  readonly inputs: unknown[]
}

/** Generations of browsers: up to Chromium 153, and from 154 on. */
export type Generation = 'strings' | 'objects'

type Held = ModelContextTool & { readonly window: object }

/**
 * The browser's `document.modelContext`, as Chromium's of that generation: tools come as copies, with a copy of their
 * schema or its JSON, results as text, and a tool's function gets plain data.
 */
export function modelContextDouble(generation: Generation = 'objects'): Double {
  const tools: Held[] = []
  const inputs: unknown[] = []
  const events = new EventTarget()
  const changed = (): void => void events.dispatchEvent(new Event('toolchange'))
  const schemaFor = (schema: object): unknown =>
    generation === 'strings' ? JSON.stringify(schema) : structuredClone(schema)
  const hold = (tool: ModelContextTool, window: object): (() => void) => {
    if (tools.some((each) => each.name === tool.name && each.window === window))
      throw new DOMException('Duplicate tool name', 'InvalidStateError')
    const held = { ...tool, window }
    tools.push(held)
    changed()
    return () => {
      tools.splice(tools.indexOf(held), 1)
      changed()
    }
  }
  return {
    inputs,
    ontoolchange: null,
    addEventListener: events.addEventListener.bind(events),
    async registerTool(tool, { signal } = {}) {
      if (!/^[\w.-]{1,128}$/.test(tool.name) || !tool.description)
        throw new DOMException('Invalid tool name', 'InvalidStateError')
      signal?.addEventListener('abort', hold(tool, globalThis))
    },
    add: (tool, window = globalThis) =>
      hold({ description: `Does ${tool.name}.`, execute: async () => 'done', ...tool }, window),
    async getTools() {
      return tools.map(({ name, title = '', description, inputSchema, annotations, window }) => ({
        name,
        title,
        description,
        window,
        ...(inputSchema && { inputSchema: schemaFor(inputSchema) }),
        ...(annotations && { annotations: { ...annotations } }),
      }))
    },
    async executeTool({ name, window }, input, { signal } = {}) {
      const tool = tools.find((each) => each.name === name && each.window === window)
      if (!tool) throw new DOMException('The operation failed', 'UnknownError')
      inputs.push(input)
      const given = JSON.parse(textOf(input, generation)) as unknown
      const result = await stoppable(tool.execute(given, signal && { signal }), signal)
      // A tool of these tests that goes to another page.
      if (result === NAVIGATES) return null
      return typeof result === 'string' ? result : (JSON.stringify(result) ?? 'undefined')
    },
  }
}

export const NAVIGATES: unique symbol = Symbol('navigates')

/** Converts the input of `executeTool` as the browsers of each generation do. */
function textOf(input: unknown, generation: Generation): string {
  if (generation === 'strings') return String(input)
  if (typeof input !== 'object' || input === null)
    throw new TypeError('invalid input object: value is not an object')
  return JSON.stringify(input)
}

function stoppable<Result>(work: Promise<Result>, signal?: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error))
    void work.then(resolve, reject)
  })
}
