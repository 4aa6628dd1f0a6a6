import { prepareTool, toJsonSchema } from '../client/prepare-tool.ts'
import { type CompositeTool, isComposite, type Tool } from '../client/tool.ts'
import { type OneByOne, oneByOne } from '../lib/one-by-one.ts'
import { describeThrown } from '../protocol/error.ts'
import type { JsonSchema } from '../protocol/json.ts'
import { mayNeedApproval } from './confirm.ts'
import type { Hints, ModelContext, ModelContextTool } from './model-context.ts'
import type { PublishOptions } from './publish-options.ts'
import type { RefusedTool } from './publish-tools.ts'
import { markPublished } from './published-names.ts'
import { type PublishedTool, runPublished } from './run-published.ts'

export interface Registration {
  readonly context: ModelContext
  readonly options: PublishOptions
  readonly ended: AbortSignal
  readonly published: string[]
  readonly refused: RefusedTool[]
}

/** Registers each tool, and notes what became of it. Never rejects. */
export async function registerEach(
  tools: readonly (Tool | CompositeTool)[],
  { context, options, ended, published, refused }: Registration,
): Promise<void> {
  const { exposedTo, prefix = '' } = options
  const inTurn = oneByOne()
  const register = async (tool: Tool | CompositeTool): Promise<void> => {
    try {
      if (isComposite(tool)) throw new Error('its function needs an agent')
      refuse(tool, options)
      const name = prefix + prepareTool(tool).modelName
      const inputSchema = toJsonSchema(tool, tool.name)
      const execute = runnerOf({ tool, inputSchema, options }, inTurn)
      const unmark = markPublished(name)
      ended.addEventListener('abort', unmark)
      try {
        await context.registerTool(
          { name, ...definitionOf(tool, inputSchema), execute },
          { signal: ended, ...(exposedTo && { exposedTo }) },
        )
      } catch (thrown) {
        ended.removeEventListener('abort', unmark)
        unmark()
        throw thrown
      }
      published.push(name)
    } catch (thrown) {
      refused.push({ name: tool.name, reason: describeThrown(thrown) })
    }
  }
  if (ended.aborted) return
  await Promise.all(tools.map(register))
}

function refuse(tool: Tool, { toolApproval, confirm }: PublishOptions): void {
  if (tool.remote) throw new Error("it is somebody else's")
  if (mayNeedApproval(tool, toolApproval) && !confirm)
    throw new Error('its calls may need approval, and there is no confirm')
}

function definitionOf(
  tool: Tool,
  inputSchema: JsonSchema,
): Omit<ModelContextTool, 'name' | 'execute'> {
  const { description, title } = tool
  return {
    description,
    inputSchema,
    annotations: hintsOf(tool),
    ...(title !== undefined && { title }),
  }
}

function hintsOf({ annotations = {} }: Tool): Hints {
  return {
    readOnlyHint: annotations.readOnly === true,
    untrustedContentHint: annotations.untrustedContent === true,
    consequentialHint: annotations.destructive === true,
  }
}

/** As an agent would: what changes something, one after the other. */
function runnerOf(published: PublishedTool, inTurn: OneByOne): ModelContextTool['execute'] {
  const { tool } = published
  const isParallel = tool.annotations?.readOnly === true || tool.sequential === false
  return (input, caller) => {
    const run = (): Promise<unknown> => runPublished(published, input, caller)
    return isParallel ? run() : inTurn(run)
  }
}
