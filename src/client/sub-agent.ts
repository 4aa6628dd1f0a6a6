import type { JsonSchema } from '../protocol/json.ts'
import type { Agent } from './agent.ts'
import type { AgentCore } from './agent-core.ts'
import type { AgentParts } from './agent-parts.ts'
import type * as childRuns from './child-runs.ts'
import { callers } from './callers.ts'
import { checkNames } from './check-names.ts'
import { badConfig } from './failures.ts'
import { loadPart } from './load-part.ts'
import type { RunInput } from './options.ts'
import type { StandardSchema } from './standard-schema.ts'
import type { RunStarter } from './start-run.ts'
import type { CompositeTool, Tool } from './tool.ts'

/** How an agent is called by another one. */
export interface SubAgentOptions<Input = unknown> {
  readonly name: string
  readonly title?: string
  /** For the model that calls: what the agent does and when to ask it. */
  readonly description: string
  /** Default: `{ prompt: string }`. */
  readonly inputSchema?: JsonSchema | StandardSchema
  /** What the agent is asked. Default: `prompt` of the input, else the input as JSON. */
  toPrompt?(input: Input): RunInput
  /** Of the data that the calling model gets. Default: it gets the agent's last words. */
  readonly output?: JsonSchema | StandardSchema
  /** Model calls of one run. Default: the agent's. */
  readonly maxSteps?: number
  /** As a tool's. */
  readonly needsApproval?: boolean
}

/** Goes on with the runs that calls of such a tool wait for. */
export interface ChildJoiner {
  join(parent: AgentParts, call: ChildCall): Promise<void>
}

/** The call that an agent works for. */
export interface ChildCall {
  readonly conversationId: string
  readonly toolCallId: string
  /** Of the conversation that the agent works in. */
  readonly childId: string
}

const joiners = new WeakMap<Tool | CompositeTool, ChildJoiner>()

/** Of a tool that is an agent; undefined for all others. */
export function joinerOf(tool: Tool | CompositeTool | undefined): ChildJoiner | undefined {
  return tool && joiners.get(tool)
}

export interface SubAgent {
  readonly agent: Agent
  readonly core: AgentCore
  readonly start: RunStarter
  readonly options: SubAgentOptions
}

const PROMPT: JsonSchema = {
  type: 'object',
  properties: {
    prompt: {
      type: 'string',
      description: 'All that the agent has to know: it sees nothing else.',
    },
  },
  required: ['prompt'],
  additionalProperties: false,
}

const load = (): Promise<typeof childRuns> => loadPart(() => import('./child-runs.ts'))

/** The agent as a tool of others. Throws `invalid-config`. */
export function subAgentTool(of: SubAgent): Tool {
  const { options } = of
  checkNames(options, 'asTool')
  const { name, title, description, inputSchema = PROMPT, needsApproval } = options
  if (typeof name !== 'string' || typeof description !== 'string')
    throw badConfig('asTool() needs a name and a description.')
  const tool: Tool = {
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema,
    ...(needsApproval !== undefined && { needsApproval }),
    // Asked twice for the same call, it joins the run that there is.
    annotations: { idempotent: true },
    sequential: false,
    async execute(input, context) {
      const parent = callers.get(context.signal)
      if (!parent) throw badConfig(`${name} was not called by an agent.`)
      return (await load()).runChild(of, parent, { input, context })
    },
  }
  joiners.set(tool, {
    async join(parent, call) {
      await (await load()).joinChild(of, parent, call)
    },
  })
  return tool
}
