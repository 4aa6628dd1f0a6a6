import type { JsonSchema } from '../protocol/json.ts'
import type { AgentParts } from './agent-parts.ts'
import type * as childRuns from './child-runs.ts'
import type { SubAgent } from './sub-agent-parts.ts'
import { agents } from './agents.ts'
import { callers } from './callers.ts'
import { checkNames } from './check-names.ts'
import { badConfig } from './failures.ts'
import { loadPart } from './load-part.ts'
import { setJoiner } from './joiners.ts'
import type { Tool } from './tool.ts'

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

/** Turns an agent into a tool for other agents. Throws `invalid-config`. */
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
    // A repeated call joins the child run that already exists.
    annotations: { idempotent: true },
    sequential: false,
    async execute(input, context) {
      const parent = callerOf(callers.get(context.signal))
      return (await load()).runChild(of, parent, { input, context })
    },
  }
  setJoiner(tool, {
    async join(agentId, call) {
      await (await load()).joinChild(of, callerOf(agentId), call)
    },
  })
  return tool
}

/** Throws if the tool's caller isn't an agent of this page. */
function callerOf(agentId: string | undefined): AgentParts {
  const caller = agents.get(agentId ?? '')
  if (caller) return caller
  throw badConfig(
    'An agent as a tool can be called by agents of this page only, made by the same version of the package.',
  )
}
